/* begun.c - the newest at the end. */
#include "gateway/begun.h"

#include <stdlib.h>

#include "base/must.h"
#include "crew/crew.h"
#include "gateway/inside.h"
#include "journal/journal.h"

#define BEGUN_MAX 256

struct gateway_begun {
	char id[GATEWAY_ID];
	uint64_t seq; /* of the journal, which tells of it */
	struct link in_all;
	char key[];
};

static bool is_in_crew(const struct gateway *g, const struct gateway_begun *one)
{
	return runs_seq(g->options.runs) >= one->seq && crew_seq(g->options.crew) >= one->seq;
}

static void forget(struct gateway *g, struct gateway_begun *one)
{
	list_remove(&one->in_all);
	g->desk.just_count--;
	free(one);
}

void gateway_note_begun(struct gateway *g, struct text key, const char *id)
{
	struct gateway_begun *fresh = must_zero(1, sizeof(*fresh) + key.len + 1);

	list_each(&g->desk.just, l) {
		struct gateway_begun *one = list_of(l, struct gateway_begun, in_all);

		if (is_in_crew(g, one) || text_is(key, one->key) || g->desk.just_count >= BEGUN_MAX)
			forget(g, one);
	}
	snprintf(fresh->id, sizeof(fresh->id), "%s", id);
	memcpy(fresh->key, key.at, key.len);
	fresh->seq = journal_last_seq(g->options.journal);
	list_add(&g->desk.just, &fresh->in_all);
	g->desk.just_count++;
}

const char *gateway_begun_id(const struct gateway *g, struct text key)
{
	list_each(&g->desk.just, l) {
		const struct gateway_begun *one = list_of(l, struct gateway_begun, in_all);

		if (text_is(key, one->key) && !is_in_crew(g, one))
			return one->id;
	}
	return NULL;
}

void gateway_forget_begun(struct gateway *g)
{
	list_each(&g->desk.just, l)
		forget(g, list_of(l, struct gateway_begun, in_all));
}
