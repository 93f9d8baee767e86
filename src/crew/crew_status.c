/* crew_status.c - how many sessions wait, failed, work and rest. */
#include "base/put.h"
#include "crew/inside.h"

#define WAITING_MAX 100 /* handles that are named; the rest is counted */

void crew_status(struct crew *crew, double now_ms, struct buf *out)
{
	size_t counts[GROUPS] = {0}, named = 0;
	struct buf waiting;

	crew_mark_questions(crew);
	buf_init(&waiting, WAITING_MAX * KIB);
	put_list(&waiting, NULL);
	list_each(&crew->all, l) {
		const struct crew_member *m = list_of(l, struct crew_member, in_all);
		enum crew_group group = crew_group(crew, m, now_ms);

		counts[group]++;
		if (group == GROUP_WAITS && named++ < WAITING_MAX)
			put_word(&waiting, NULL, m->handle);
	}
	put_list_end(&waiting);
	put_object(out, "crew");
	for (unsigned i = 0; i < GROUPS; i++)
		put_u64(out, state_group_name((enum crew_group)i), counts[i]);
	put_json(out, "waiting", buf_text(&waiting));
	put_end(out);
	buf_finish(&waiting);
}
