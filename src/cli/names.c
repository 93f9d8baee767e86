/* names.c - what sessions are called. */
#include "cli/names.h"

#include "base/clock.h"
#include "cli/follow.h"
#include "cli/members.h"
#include "signal/json.h"

#define AGAIN_MS 1000
#define ANSWER_MS 30000
#define PATH_MAX_LEN (4 * KIB)
#define JUDGED_MAX 65536 /* then they are asked about anew */

void names_init(struct names *names, struct remote *remote)
{
	*names = (struct names){.remote = remote};
	map_init(&names->known);
	map_init(&names->judged);
}

static void forget_roll(struct names *names)
{
	map_finish(&names->known);
	roll_finish(&names->roll);
}

void names_finish(struct names *names)
{
	forget_roll(names);
	map_finish(&names->judged);
}

static void know(struct names *names, yyjson_val *member, struct text run)
{
	if (run.len)
		map_set(&names->known, run, member);
}

static void know_runs(struct names *names, yyjson_val *member)
{
	yyjson_arr_iter it = yyjson_arr_iter_with(yyjson_obj_get(member, "runs"));
	yyjson_val *run;

	while ((run = yyjson_arr_iter_next(&it)))
		know(names, member, json_text(run));
	know(names, member, json_text_at(member, "run"));
	know(names, member, json_text_at(member, "id"));
}

/* A box that does not answer is asked again later; what was known stays. */
static void ask_again(struct names *names)
{
	uint64_t now = clock_mono_ns() / 1000000;
	struct error why;
	struct roll roll;

	if (names->asked_ms && now - names->asked_ms < AGAIN_MS)
		return;
	names->asked_ms = now;
	if (!members_fetch(names->remote, &roll, &why))
		return;
	forget_roll(names);
	map_init(&names->known);
	names->roll = roll;
	for (size_t i = 0; i < roll.count; i++)
		know_runs(names, roll.members[i]);
}

struct text names_of(struct names *names, struct text run)
{
	yyjson_val *member = map_get(&names->known, run);

	if (!member) {
		ask_again(names);
		member = map_get(&names->known, run);
	}
	return json_text_at(member, "handle");
}

/* ---- one session ---- */

enum judgement { JUDGED_NOT = 1, JUDGED_IS };

static enum judgement read_judgement(struct text answer, struct text handle)
{
	yyjson_doc *doc = yyjson_read(answer.at, answer.len, 0);
	yyjson_val *member = yyjson_obj_get(yyjson_doc_get_root(doc), "member");
	bool is = text_equal(json_text_at(member, "handle"), handle);

	yyjson_doc_free(doc);
	return is ? JUDGED_IS : JUDGED_NOT;
}

/* The box says it when it has heard what the run has said so far.  0: it does not answer. */
static enum judgement judge(struct names *names, struct text run, struct text handle)
{
	struct remote_request request = {.method = "GET", .timeout_ms = ANSWER_MS};
	enum judgement judgement = 0;
	struct buf path, answer;
	struct error why;
	long status;

	buf_init(&path, PATH_MAX_LEN);
	buf_add(&path, TEXT("/api/crew/"));
	follow_add_escaped(&path, run);
	buf_add_char(&path, '\0');
	request.path = path.at;
	if (!path.full) {
		if (remote_fetch(names->remote, &request, &status, &answer, &why) ==
		    REMOTE_ANSWERED)
			judgement = read_judgement(buf_text(&answer), handle);
		buf_finish(&answer);
	}
	buf_finish(&path);
	return judgement;
}

bool names_is(struct names *names, struct text run, struct text handle)
{
	uintptr_t known = (uintptr_t)map_get(&names->judged, run);

	if (!run.len)
		return false;
	if (!known) {
		known = judge(names, run, handle);
		if (names->judged.count >= JUDGED_MAX) {
			map_finish(&names->judged);
			map_init(&names->judged);
		}
		if (known)
			map_set(&names->judged, run,
			        (void *)known); // NOLINT(performance-no-int-to-ptr)
	}
	return known == JUDGED_IS;
}
