/* back.c - what a screen of the run dialect says: answers and controls.
 *
 * Whatever is refused is said to the sender alone: {"kind":"refused","of","reason",...}.
 */
#include <yyjson.h>

#include "base/put.h"
#include "bus/back.h"
#include "escapement/inside.h"
#include "hub/hub.h"
#include "hub/person.h"
#include "run/prompt_frame.h"
#include "run/prompts.h"
#include "run/runs.h"
#include "signal/json.h"

#define SAY_MAX (8 * KIB)
#define SCREEN TEXT("run")
#define NAME_MAX_BYTES 512 /* of what is refused; a longer one is not said again */

static const char *reason_of(enum back_answer answer)
{
	static const char *const reasons[BACK_ANSWERS] = {
		[BACK_INVALID] = "invalid",          [BACK_UNKNOWN] = "unknown",
		[BACK_CONFLICT] = "unavailable",     [BACK_NOT_SUPPORTED] = "not_supported",
		[BACK_ALREADY] = "already_answered", [BACK_INVALID_VALUE] = "invalid_value",
		[BACK_EXPIRED] = "expired",          [BACK_FORBIDDEN] = "forbidden",
		[BACK_REFUSED] = "refused",          [BACK_SILENT] = "no_answer",
		[BACK_UNSAVED] = "unavailable",
	};

	return reasons[answer];
}

struct refusal {
	const char *of, *reason;
	const char *member; /* "prompt-id" or "op" */
	struct text name;
	const char *words;
};

static void refuse_frame(struct run_view *view, const struct refusal *r)
{
	struct buf out;

	buf_init(&out, SAY_MAX);
	put_object(&out, NULL);
	put_word(&out, "kind", "refused");
	put_word(&out, "of", r->of);
	put_text(&out, r->member, r->name.len <= NAME_MAX_BYTES ? r->name : TEXT(""));
	put_word(&out, "reason", r->reason);
	put_word(&out, "message", r->words);
	buf_add_char(&out, '}');
	client_say_frame(view->client, WS_OP_TEXT, buf_text(&out));
	buf_finish(&out);
}

/* ---- answers ---- */

static enum back_answer reply(struct run_view *view, yyjson_val *frame, struct error *why)
{
	const struct back *back = &client_options(view->client)->back;
	yyjson_val *value = yyjson_obj_get(frame, "value");
	struct back_reply r = {.prompt = json_text(yyjson_obj_get(frame, "prompt-id")),
	                       .who = client_who(view->client, SCREEN),
	                       .may = client_answers(view->client)};
	enum back_answer answer;
	struct buf json;

	if (!value && !yyjson_is_true(yyjson_obj_get(frame, "cancelled"))) {
		error_set(why, "an answer has a value, or is cancelled");
		return BACK_INVALID;
	}
	buf_init(&json, PROMPT_VALUE_MAX);
	if (value && !json_add(&json, value)) {
		error_set(why, "the value is too long");
		answer = BACK_INVALID_VALUE;
	} else {
		r.value = buf_text(&json);
		answer = back->reply(back->self, &r, why);
	}
	buf_finish(&json);
	return answer;
}

/* False: what was answered was not offered, because not all of what is asked was shown
 * here.  It is asked again. */
static bool was_offered(struct run_view *view, yyjson_val *frame, struct refusal *r)
{
	const struct prompt *prompt = prompts_find(escapement_of(view)->options.prompts, r->name);
	enum prompt_offer offer = PROMPT_OFFERED;

	if (prompt && prompt->state == PROMPT_OPEN)
		offer = prompt_frame_offers(prompt, yyjson_obj_get(frame, "value"));
	if (offer == PROMPT_OFFERED)
		return true;
	r->reason = offer == PROMPT_TO_THE_PAGE ? "open_page" : "invalid_value";
	r->words = offer == PROMPT_TO_THE_PAGE
	                   ? "nothing was answered: `signalbox open` opens the page"
	                   : "not all of it was shown here, so it can only be declined here";
	refuse_frame(view, r);
	run_screen_ask_again(view, prompt);
	return false;
}

static void hear_answer(struct run_view *view, yyjson_val *frame)
{
	struct refusal r = {.of = "answer", .member = "prompt-id"};
	enum back_answer answer;
	struct error why;

	r.name = json_text(yyjson_obj_get(frame, "prompt-id"));
	r.words = why.words;
	if (!(view->client->scopes & SCOPE_ANSWER)) {
		r.reason = "forbidden";
		r.words = "an answer needs the scope answer";
		refuse_frame(view, &r);
		return;
	}
	if (!was_offered(view, frame, &r))
		return;
	answer = reply(view, frame, &why);
	if (answer == BACK_TAKEN)
		return;
	r.reason = answer == BACK_UNKNOWN ? "unknown_prompt" : reason_of(answer);
	refuse_frame(view, &r);
}

/* ---- controls ---- */

/* A screen of one session means that; one of all the run that it saw last, unless the
 * frame says which. */
static struct text run_meant(const struct run_view *view, yyjson_val *frame)
{
	struct link *all = runs_all(escapement_of(view)->options.runs);
	struct text named = json_text(yyjson_obj_get(frame, "run"));

	if (view->session)
		return text_of(view->session);
	if (named.len || list_is_empty(all))
		return named;
	return text_of(list_of(all->prev, struct run, in_all)->id);
}

static void refuse_control(struct run_view *view, struct text op, enum back_answer answer,
                           const struct error *why)
{
	refuse_frame(view, &(struct refusal){.of = "control",
	                                     .reason = reason_of(answer),
	                                     .member = "op",
	                                     .name = op,
	                                     .words = why->words});
}

static void told(void *of, const struct back_verdict *verdict)
{
	struct person_wait *w = of;
	struct run_view *view = client_has_view(w->client);

	if (view && verdict->answer != BACK_DONE)
		refuse_control(view, w->name, verdict->answer, verdict->why);
	client_end_wait(w);
}

static void hear_control(struct run_view *view, const struct frame *frame)
{
	const struct back *back = &client_options(view->client)->back;
	struct back_control control = {
		.run = run_meant(view, frame->root),
		.op = json_text(yyjson_obj_get(frame->root, "op")),
		.n = yyjson_get_uint(yyjson_obj_get(frame->root, "n")),
		.frame = frame->raw,
		.who = client_who(view->client, SCREEN),
	};
	enum back_answer answer;
	struct error why = {"a control needs the scope control"};

	if (!(view->client->scopes & SCOPE_CONTROL)) {
		refuse_control(view, control.op, BACK_FORBIDDEN, &why);
		return;
	}
	control.ear = (struct back_ear){told, client_wait(view->client, TEXT(""), control.op)};
	answer = back->control(back->self, &control, &why);
	if (answer == BACK_TAKEN)
		return;
	client_end_wait(control.ear.of);
	if (answer != BACK_DONE)
		refuse_control(view, control.op, answer, &why);
}

static bool hear_since(struct run_view *view, const struct frame *frame)
{
	yyjson_val *op = yyjson_obj_get(frame->root, "op");

	if (!yyjson_equals_str(op, "since"))
		return false;
	if (frame->has_seq) {
		run_screen_seek(view, frame->seq);
		client_work(view->client);
	} else {
		refuse_frame(view, &(struct refusal){.of = "control",
		                                     .reason = "invalid",
		                                     .member = "op",
		                                     .name = TEXT("since"),
		                                     .words = "since needs a seq"});
	}
	return true;
}

/* ---- which run is meant ---- */

/* What can be done to it, by this client. */
static void add_can(struct buf *out, const struct client *client, struct text run)
{
	static const char *const ops[] = {"pause",  "step",         "continue",
	                                  "arm",    "ui-interrupt", "ui-quit",
	                                  "cancel", "turn-next",    "turn-back"};
	const struct back *back = &client_options(client)->back;
	const char *between = "";

	put_list(out, "can");
	for (size_t i = 0; client->scopes & SCOPE_CONTROL && i < sizeof(ops) / sizeof(*ops); i++) {
		if (!back->can(back->self, run, text_of(ops[i])))
			continue;
		buf_print(out, "%s\"%s\"", between, ops[i]);
		between = ",";
	}
	buf_add_char(out, ']');
	if (!(client->scopes & SCOPE_CONTROL))
		put_word(out, "why", "this screen may not control runs");
}

/* For who wants to name the run before something is done to it: op `which`. */
static bool hear_which(struct run_view *view, const struct frame *frame)
{
	struct text id = run_meant(view, frame->root);
	const struct run *run = runs_find(escapement_of(view)->options.runs, id);
	struct buf out;

	if (!yyjson_equals_str(yyjson_obj_get(frame->root, "op"), "which"))
		return false;
	buf_init(&out, SAY_MAX);
	put_object(&out, NULL);
	put_word(&out, "kind", "which");
	put_key(&out, "run");
	if (run) {
		buf_add_json(&out, id);
		put_word(&out, "source", run->source);
		put_bool(&out, "finished", run->fold.finished);
		add_can(&out, view->client, id);
	} else {
		buf_add(&out, TEXT("null"));
	}
	buf_add_char(&out, '}');
	if (!out.full)
		client_say_frame(view->client, WS_OP_TEXT, buf_text(&out));
	buf_finish(&out);
	return true;
}

void run_hear_screen(struct run_view *view, const struct frame *frame)
{
	if (frame->kind == FRAME_ANSWER)
		hear_answer(view, frame->root);
	else if (frame->kind == FRAME_CONTROL && !hear_since(view, frame) &&
	         !hear_which(view, frame))
		hear_control(view, frame);
}
