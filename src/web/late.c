/* late.c - requests that wait for what is not folded or not in memory.
 *
 * Runs and the stage follow the journal at a pace of their own (bus/folds.h).  A request for one
 * hears of everything that was admitted before it: where that is not folded yet, the request waits
 * while the folding goes on at once, and after WAIT_MS it is told how far that came.  So it is with
 * texts that were let go (run/recall.h).
 */
#include "web/late.h"

#include <assert.h>
#include <stdlib.h>

#include "base/must.h"
#include "crew/crew.h"
#include "journal/journal.h"
#include "run/recall.h"
#include "web/inside.h"

#define WAIT_MS 8000
#define LATE_MAX 256 /* at once; more are refused */

/* What is waited for. */
struct awaited {
	const char *name;               /* with "is" or "are" */
	const char *words;              /* for whoever waited in vain; NULL: how far it is known */
	bool (*reach)(struct web *web); /* folds on for a moment; true: all there is */
	uint64_t (*seq)(struct web *web);
	void (*watch)(struct web *web, bool watches);
};

static bool reach_runs(struct web *web)
{
	return runs_reach(web->options.runs);
}

static uint64_t seq_of_runs(struct web *web)
{
	return runs_seq(web->options.runs);
}

static void watch_runs(struct web *web, bool watches)
{
	runs_watch(web->options.runs, watches);
}

static bool reach_crew(struct web *web)
{
	return crew_reach(web->options.crew);
}

static uint64_t seq_of_crew(struct web *web)
{
	return crew_seq(web->options.crew);
}

static void watch_crew(struct web *web, bool watches)
{
	crew_watch(web->options.crew, watches);
}

static bool reach_stage(struct web *web)
{
	return web->options.stage.reach(web->options.stage.self);
}

static uint64_t seq_of_stage(struct web *web)
{
	return web->options.stage.seq(web->options.stage.self);
}

static void watch_stage(struct web *web, bool watches)
{
	web->options.stage.watch(web->options.stage.self, watches);
}

static const struct awaited the_runs = {
	.name = "the runs are", .reach = reach_runs, .seq = seq_of_runs, .watch = watch_runs};
static const struct awaited the_texts = {
	.words = "what the run has said is being read from the journal; ask again",
	.reach = reach_runs,
	.seq = seq_of_runs,
	.watch = watch_runs};
static const struct awaited the_crew = {
	.name = "the sessions are", .reach = reach_crew, .seq = seq_of_crew, .watch = watch_crew};
static const struct awaited the_stage = {
	.name = "the stage is", .reach = reach_stage, .seq = seq_of_stage, .watch = watch_stage};

struct late {
	struct call call;
	const struct awaited *awaited;
	void (*answer)(struct call *call);
	uint64_t until, since_ms;
	char *texts_of; /* the run whose texts it waits for, or NULL */
	bool is_whole;
	struct link in_web; /* web.late */
};

static void free_late(struct late *late)
{
	list_remove(&late->in_web);
	assert(late->call.web->late_count > 0);
	late->call.web->late_count--;
	late->awaited->watch(late->call.web, false);
	free(late->texts_of);
	free(late);
}

static void refuse_late(const struct call *call, const struct awaited *awaited, uint64_t until)
{
	uint64_t seq = awaited->seq(call->web);
	char *words = awaited->words ? must_dup(awaited->words)
	                             : must_print("%s known up to signal %llu of %llu; ask again",
	                                          awaited->name, (unsigned long long)seq,
	                                          (unsigned long long)until);
	char *more = must_print(",\"seq\":%llu", (unsigned long long)seq);

	http_refuse(call->http,
	            &(struct http_refusal){503, "behind", words, more, "Retry-After: 1\r\n"});
	free(more);
	free(words);
}

static void whole(void *self, struct http *http)
{
	((struct late *)self)->is_whole = true;
}

static void waiter_left(void *self, struct http *http)
{
	free_late(self);
}

static struct late *wait_for(struct call *call, const struct awaited *awaited,
                             void (*answer)(struct call *call), uint64_t until)
{
	static const struct http_handler handler = {.whole = whole, .gone = waiter_left};
	struct web *web = call->web;
	struct late *late = must_zero(1, sizeof(*late));

	late->call = *call;
	late->call.is_late = true;
	late->answer = answer;
	late->awaited = awaited;
	late->until = until;
	late->since_ms = loop_now_ms(web->options.loop);
	late->is_whole = call->is_late;
	list_add(&web->late, &late->in_web);
	web->late_count++;
	awaited->watch(web, true);
	if (call->is_late)
		http_await(call->http, &handler, late);
	else
		http_accept(call->http, 0, &handler, late);
	web_tick(web);
	return late;
}

static bool has(struct call *call, const struct awaited *awaited, void (*answer)(struct call *call))
{
	struct web *web = call->web;
	uint64_t until = journal_last_seq(web->options.journal);

	if (call->is_late)
		return true;
	if (awaited->reach(web) && awaited->seq(web) >= until)
		return true;
	if (web->late_count < LATE_MAX)
		wait_for(call, awaited, answer, until);
	else
		refuse_late(call, awaited, until);
	return false;
}

bool web_has_runs(struct call *call, void (*answer)(struct call *call))
{
	return has(call, &the_runs, answer);
}

bool web_has_crew(struct call *call, void (*answer)(struct call *call))
{
	return has(call, &the_crew, answer);
}

bool web_has_stage(struct call *call, void (*answer)(struct call *call))
{
	return has(call, &the_stage, answer);
}

const struct said *web_has_said(struct call *call, struct run *run,
                                void (*answer)(struct call *call))
{
	struct runs *runs = call->web->options.runs;
	const struct said *said = run_said(runs, run);

	if (!said && call->web->late_count < LATE_MAX)
		wait_for(call, &the_texts, answer, runs_seq(runs))->texts_of = must_dup(run->id);
	else if (!said)
		refuse_late(call, &the_texts, 0);
	return said;
}

/* A run that was forgotten meanwhile is known to be gone. */
static bool is_known(const struct late *late)
{
	struct runs *runs = late->call.web->options.runs;
	struct run *run = late->texts_of ? runs_find(runs, text_of(late->texts_of)) : NULL;

	return late->awaited->seq(late->call.web) >= late->until && (!run || run_said(runs, run));
}

static void end_wait(struct late *late, bool known)
{
	struct call call = late->call;
	const struct awaited *awaited = late->awaited;
	void (*answer)(struct call *) = late->answer;
	uint64_t until = late->until;

	free_late(late);
	if (known)
		answer(&call);
	else
		refuse_late(&call, awaited, until);
}

void web_late_turn(struct web *web, bool stops)
{
	uint64_t now_ms = loop_now_ms(web->options.loop);

	list_each(&web->late, l) {
		struct late *late = list_of(l, struct late, in_web);
		bool known = late->is_whole && is_known(late);

		if (late->is_whole && (known || stops || now_ms - late->since_ms >= WAIT_MS))
			end_wait(late, known);
	}
}
