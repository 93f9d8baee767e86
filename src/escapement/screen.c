/* screen.c - what a screen of the run dialect is given, and in which order: where
 * things stand (phase, debug, prompts), what it missed, then what comes.
 */
#include "escapement/inside.h"
#include "hub/hub.h"
#include "hub/person.h"
#include "journal/journal.h"
#include "net/loop.h"
#include "run/prompt_frame.h"
#include "run/prompts.h"
#include "run/replay.h"
#include "run/runs.h"

#define PROMPT_FRAME_MAX (2 * MIB)

static struct runs *runs_of(const struct run_view *view)
{
	return escapement_of(view)->options.runs;
}

/* The run it watches; of all of them, the one that spoke last.  NULL: there is none. */
static struct run *run_of(const struct run_view *view)
{
	struct link *all = runs_all(runs_of(view));

	if (view->session)
		return runs_find(runs_of(view), text_of(view->session));
	return list_is_empty(all) ? NULL : list_of(all->prev, struct run, in_all);
}

static bool is_wanted(const struct run_view *view, const char *run)
{
	return !view->session || strcmp(view->session, run) == 0;
}

/* ---- prompts ---- */

static void say_prompt(struct run_view *view, const struct prompt *prompt)
{
	struct buf out;

	buf_init(&out, PROMPT_FRAME_MAX);
	if (prompt->state == PROMPT_OPEN)
		prompt_frame(prompt, client_answers(view->client), &out);
	else
		prompt_closed_frame(prompt, &out);
	if (!out.full)
		client_say_frame(view->client, WS_OP_TEXT, buf_text(&out));
	buf_finish(&out);
}

/* To one who answered and did not decide it: unmodified screens have closed it. */
void run_screen_ask_again(struct run_view *view, const struct prompt *prompt)
{
	if (prompt->state == PROMPT_OPEN)
		say_prompt(view, prompt);
}

/* Clients of this dialect ask whoever sees a prompt: so only who may answer it gets one. */
static bool may_answer(const struct run_view *view, const struct prompt *prompt)
{
	return prompt_is_answerable(prompt, client_answers(view->client));
}

/* The open ones that it does not know, in the order of their seqs; the rest when it has
 * read these. */
static void say_prompts(struct run_view *view)
{
	view->owed_prompts = false;
	list_each(prompts_open(escapement_of(view)->options.prompts), l) {
		const struct prompt *prompt = list_of(l, struct prompt, in_open);

		if (!is_wanted(view, prompt->run) || prompt->seq <= view->told_prompt ||
		    !may_answer(view, prompt))
			continue;
		if (client_is_slow(view->client)) {
			view->owed_prompts = true;
			return;
		}
		view->told_prompt = prompt->seq;
		say_prompt(view, prompt);
		if (view->client->state == CLIENT_CLOSING)
			return;
	}
}

/* A prompt overtakes what is streamed.  Who reads nothing gets the open ones later, and
 * of what is over only what it was told of. */
void run_screen_prompt(struct run_view *view, const struct prompt *prompt)
{
	bool is_open = prompt->state == PROMPT_OPEN;

	if (!is_wanted(view, prompt->run) || !may_answer(view, prompt) ||
	    (!is_open && prompt->seq > view->told_prompt))
		return;
	if (is_open && (view->owed_prompts || client_is_slow(view->client))) {
		view->owed_prompts = true;
		return;
	}
	if (is_open)
		view->told_prompt = prompt->seq;
	say_prompt(view, prompt);
}

/* ---- where it stands ---- */

/* A frame that is kept of a run; NULL: there is none. */
static void say_kept(struct run_view *view, const struct run *run, const char *frame)
{
	struct text head = text_of(frame);
	struct buf out;

	if (!head.len)
		return;
	buf_init(&out, TRANSLATE_FRAME_MAX);
	if (!view->session)
		pieces_begin(&head, run->id, &out);
	buf_add(&out, head);
	if (!out.full)
		client_say_frame(view->client, WS_OP_TEXT, buf_text(&out));
	buf_finish(&out);
}

static void say_gap(struct run_view *view, uint64_t from, uint64_t to, const char *why)
{
	char words[160];

	client_count_gap(view->client);
	snprintf(words, sizeof(words),
	         "{\"kind\":\"gap\",\"from\":%llu,\"to\":%llu,\"why\":\"%s\"}",
	         (unsigned long long)from, (unsigned long long)to, why);
	run_say(view->client, words);
}

static void replay(struct run_view *view, const struct run *run)
{
	struct run_replay_options o = {
		.journal = client_options(view->client)->journal,
		.run = text_of(run->id),
		.first_seq = run->first_seq,
		.has_after = view->has_number,
		.after = view->number,
	};

	run_replay_destroy(view->replay);
	view->replay = run_replay_create(&o);
}

/* After the oldest that is kept: what was before is named. */
static void seek_oldest(struct run_view *view, uint64_t since)
{
	struct run_frame oldest;

	if (!runs_frame(runs_of(view), 0, &oldest)) {
		view->at = runs_head(runs_of(view));
		return;
	}
	view->at = oldest.at;
	if (oldest.number > since + 1)
		say_gap(view, since + 1, oldest.number - oldest.pieces.is_numbered, "expired");
}

/* A number that was never given out is of another box, or of another life of this one:
 * it gets what who comes without a position does. */
static void seek_lost(struct run_view *view, const struct run *run, uint64_t newest)
{
	say_gap(view, newest + 1, view->number, "lost");
	view->number = 0;
	view->has_number = false;
	view->at = view->session && !run ? runs_head(runs_of(view))
	                                 : runs_back(runs_of(view), run, RUNS_CATCH_UP);
}

static void set_seeking(struct run_view *view, bool is_seeking)
{
	struct escapement *e = escapement_of(view);

	e->seeking += is_seeking;
	e->seeking -= view->is_seeking;
	view->is_seeking = is_seeking;
}

/* After a start not all that was given out is folded yet: then it waits. */
static void seek(struct run_view *view)
{
	const struct run *run = view->session ? run_of(view) : NULL;
	uint64_t newest = run ? run->frames : view->session ? 0 : runs_number(runs_of(view));

	set_seeking(view, false);
	if ((run || !view->session) && runs_place(runs_of(view), run, view->number, &view->at))
		return;
	if (view->number > newest && runs_seq(runs_of(view)) < view->seek_by)
		set_seeking(view, true);
	else if (view->number > newest)
		seek_lost(view, run, newest);
	else if (run)
		replay(view, run);
	else if (view->session)
		view->at = runs_head(runs_of(view));
	else
		seek_oldest(view, view->number);
}

void run_screen_seek(struct run_view *view, uint64_t since)
{
	run_replay_destroy(view->replay);
	view->replay = NULL;
	view->number = since;
	view->has_number = true;
	view->seek_by = journal_last_seq(client_options(view->client)->journal);
	seek(view);
}

void run_screen_begin(struct run_view *view, const struct run_wish *wish)
{
	struct runs *runs = runs_of(view);
	struct run *run;

	runs_watch(runs, true);
	runs_reach(runs);
	list_add(&escapement_of(view)->screens, &view->in_room);
	view->stream = streams_open(&escapement_of(view)->streams, view->session);
	list_add(&view->stream->screens, &view->in_stream);
	run = run_of(view);
	if (run) {
		say_kept(view, run, run->phase);
		say_kept(view, run, run->debug);
	}
	say_prompts(view);
	if (wish->has_since)
		run_screen_seek(view, wish->since);
	else
		view->at = runs_back(runs, view->session ? run : NULL, RUNS_CATCH_UP);
	if (view->session && !run)
		view->at = runs_head(runs);
	client_work(view->client);
}

void run_screen_end(struct run_view *view)
{
	if (list_is_empty(&view->in_room))
		return;
	runs_watch(runs_of(view), false);
	run_replay_destroy(view->replay);
	view->replay = NULL;
	set_seeking(view, false);
	list_remove(&view->in_stream);
	streams_close(&escapement_of(view)->streams, view->stream);
}

/* ---- frames ---- */

static void send_joined(struct run_view *view)
{
	struct buf out;

	buf_init(&out, FRAME_MAX + COALESCE_TEXT_MAX);
	if (coalesce_take(&view->joined, &out))
		client_say_frame(view->client, WS_OP_TEXT, buf_text(&out));
	buf_finish(&out);
}

/* While it keeps up it gets every frame as it is. */
static void pass(struct run_view *view, struct text frame)
{
	if (view->is_behind && coalesce_add(&view->joined, frame))
		return;
	send_joined(view);
	if (view->is_behind && coalesce_add(&view->joined, frame))
		return;
	client_say_frame(view->client, WS_OP_TEXT, frame);
}

/* Who comes was told how these stand now: what they were before is of no use. */
static bool is_stale(struct run_view *view, const struct run_frame *f, struct text json)
{
	struct frame frame;

	return !view->is_live && !f->pieces.is_numbered &&
	       frame_read(&frame, &view->reader, json, NULL) &&
	       (frame.kind == FRAME_PHASE || frame.kind == FRAME_DEBUG);
}

static void give_frame(struct run_view *view, const struct run_frame *f)
{
	bool merged = !view->session;
	struct buf out;

	buf_init(&out, TRANSLATE_FRAME_MAX);
	run_frame_add(f, merged, &out);
	if (f->pieces.is_numbered) {
		view->number = merged ? f->number : f->own;
		view->has_number = true;
	} else if (run_frame_is_end(f)) {
		view->is_finished = true;
	}
	if (!out.full && !is_stale(view, f, buf_text(&out)))
		pass(view, buf_text(&out));
	buf_finish(&out);
}

/* From the journal; idle when there is no more of it. */
static enum pump pump_replay(struct run_view *view, size_t *budget)
{
	struct loop *loop = client_options(view->client)->loop;
	struct runs *runs = runs_of(view);
	struct run_frame f;

	while (client_has_room(view->client)) {
		if (loop_slice_is_over(loop)) /* of all who read */
			*budget = 0;
		switch (run_replay_next(view->replay, runs_seq(runs), budget, &f)) {
		case REPLAY_FRAME:
			give_frame(view, &f);
			break;
		case REPLAY_COLD:
			return PUMP_COLD;
		case REPLAY_MORE:
			return PUMP_MORE;
		case REPLAY_LOST:
			say_gap(view, view->number + 1, view->number + 1, "expired");
			break;
		case REPLAY_END:
			run_replay_destroy(view->replay);
			view->replay = NULL;
			view->at = runs_head(runs);
			return PUMP_IDLE;
		}
	}
	return PUMP_MORE;
}

/* The frames between were forgotten before it took them. */
static void fell_out(struct run_view *view, const struct run_frame *next)
{
	struct run *run = view->session ? run_of(view) : NULL;

	client_count_behind(view->client);
	if (run)
		replay(view, run);
	else if (next->number > view->number + 1)
		say_gap(view, view->number + 1, next->number - next->pieces.is_numbered, "skipped");
}

/* From the strip: while it keeps up it gets what the other screens of its stream do, with no
 * byte copied. */
static bool give_shared(struct run_view *view)
{
	struct stretch news;

	if (!view->is_live || view->is_behind || !strip_from(&view->stream->strip, view->at, &news))
		return false;
	view->at = escapement_of(view)->streams.fed;
	if (news.has_number) {
		view->number = news.number;
		view->has_number = true;
	}
	view->is_finished = view->is_finished || news.has_end;
	client_pass(view->client, news.bytes);
	return true;
}

static void pump_kept(struct run_view *view)
{
	struct streams *streams = &escapement_of(view)->streams;
	struct run_frame f;

	streams_feed(streams);
	if (give_shared(view))
		return;
	if (stream_is_done(view->stream, view->at))
		view->at = streams->fed;
	while (client_has_room(view->client) && runs_frame(runs_of(view), view->at, &f)) {
		if (f.at > view->at) {
			fell_out(view, &f);
			view->at = f.at;
			if (view->replay)
				return;
		}
		view->at = f.at + 1;
		if (is_wanted(view, f.run->id))
			give_frame(view, &f);
	}
}

/* Everything was given: who came late learns that the run is over. */
static void caught_up(struct run_view *view)
{
	const struct run *run = run_of(view);

	send_joined(view);
	view->is_behind = false;
	view->is_live = true;
	if (!run || !run->finished) {
		view->is_finished = false;
	} else if (!view->is_finished) {
		say_kept(view, run, run->finished);
		view->is_finished = true;
	}
}

enum pump run_screen_pump(struct run_view *view, size_t *budget)
{
	struct client *c = view->client;
	enum pump replayed = PUMP_IDLE;

	if (view->owed_prompts)
		say_prompts(view);
	if (view->is_seeking)
		seek(view);
	if (c->state == CLIENT_CLOSING || view->owed_prompts || view->is_seeking)
		return PUMP_IDLE;
	if (view->replay)
		replayed = pump_replay(view, budget);
	if (replayed == PUMP_MORE)
		return client_has_room(c) ? PUMP_MORE : PUMP_IDLE;
	if (replayed == PUMP_COLD)
		return PUMP_COLD;
	pump_kept(view);
	if (c->state == CLIENT_CLOSING)
		return PUMP_IDLE;
	if (view->replay)
		return PUMP_MORE;
	if (view->at >= runs_head(runs_of(view)))
		caught_up(view);
	else
		view->is_behind = true;
	return PUMP_IDLE;
}
