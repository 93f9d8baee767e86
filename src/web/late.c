/* late.c - requests that wait until the runs are folded.
 *
 * Runs follow the journal at a pace of their own (bus/folds.h).  A request for one hears of
 * everything that was admitted before it: where that is not folded yet, the request waits while
 * the folding goes on at once, and after WAIT_MS it is told how far that came.
 */
#include <stdlib.h>

#include "base/must.h"
#include "journal/journal.h"
#include "run/runs.h"
#include "web/inside.h"

#define WAIT_MS 8000
#define LATE_MAX 256 /* at once; more are refused */

struct late {
	struct call call;
	void (*answer)(struct call *call);
	uint64_t until, since_ms;
	bool is_whole;
	struct link in_web; /* web.late */
};

static void free_late(struct late *late)
{
	list_remove(&late->in_web);
	late->call.web->late_count--;
	runs_watch(late->call.web->options.runs, false);
	free(late);
}

static void refuse(struct http *http, uint64_t seq, uint64_t until)
{
	char *words = must_print("the runs are known up to signal %llu of %llu; ask again",
	                         (unsigned long long)seq, (unsigned long long)until);
	char *more = must_print(",\"seq\":%llu", (unsigned long long)seq);

	http_refuse(http, &(struct http_refusal){503, "behind", words, more, "Retry-After: 1\r\n"});
	free(more);
	free(words);
}

static void whole(void *self, struct http *http)
{
	((struct late *)self)->is_whole = true;
}

static void gone(void *self, struct http *http)
{
	free_late(self);
}

static void wait_for(struct call *call, void (*answer)(struct call *call), uint64_t until)
{
	static const struct http_handler handler = {.whole = whole, .gone = gone};
	struct web *web = call->web;
	struct late *late = must_zero(1, sizeof(*late));

	late->call = *call;
	late->call.is_late = true;
	late->answer = answer;
	late->until = until;
	late->since_ms = loop_now_ms(web->options.loop);
	list_add(&web->late, &late->in_web);
	web->late_count++;
	runs_watch(web->options.runs, true);
	http_accept(call->http, 0, &handler, late);
	web_tick(web);
}

bool web_has_runs(struct call *call, void (*answer)(struct call *call))
{
	struct web *web = call->web;
	uint64_t until = journal_last_seq(web->options.journal);

	if (call->is_late)
		return true;
	if (runs_reach(web->options.runs) && runs_seq(web->options.runs) >= until)
		return true;
	if (web->late_count < LATE_MAX)
		wait_for(call, answer, until);
	else
		refuse(call->http, runs_seq(web->options.runs), until);
	return false;
}

static void end(struct late *late, bool is_known)
{
	struct call call = late->call;
	void (*answer)(struct call *) = late->answer;
	uint64_t until = late->until;

	free_late(late);
	if (is_known)
		answer(&call);
	else
		refuse(call.http, runs_seq(call.web->options.runs), until);
}

void web_late_turn(struct web *web, bool stops)
{
	uint64_t now_ms = loop_now_ms(web->options.loop);

	list_each(&web->late, l) {
		struct late *late = list_of(l, struct late, in_web);
		bool is_known = runs_seq(web->options.runs) >= late->until;

		if (late->is_whole && (is_known || stops || now_ms - late->since_ms >= WAIT_MS))
			end(late, is_known);
	}
}
