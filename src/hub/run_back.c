/* run_back.c - what a screen of the run dialect says: answers and controls.
 *
 * Whatever is refused is said to the sender alone: {"kind":"refused","of","reason",...}.
 */
#include <yyjson.h>

#include "bus/back.h"
#include "hub/inside.h"
#include "hub/person.h"
#include "hub/run_view.h"
#include "run/prompts.h"
#include "run/runs.h"
#include "signal/json.h"

#define SAY_MAX (8 * KIB)
#define SCREEN TEXT("run")
#define NAME_MAX_BYTES 512 /* of what is refused; a longer one is not said again */

static const char *reason_of(enum back_answer answer)
{
	static const char *const reasons[] = {
		[BACK_INVALID] = "invalid",          [BACK_UNKNOWN] = "unknown",
		[BACK_CONFLICT] = "unavailable",     [BACK_NOT_SUPPORTED] = "not_supported",
		[BACK_ALREADY] = "already_answered", [BACK_INVALID_VALUE] = "invalid_value",
		[BACK_EXPIRED] = "expired",          [BACK_FORBIDDEN] = "forbidden",
	};

	return reasons[answer];
}

struct refusal {
	const char *of, *reason;
	const char *member; /* "prompt-id" or "op" */
	struct text name;
	const char *words;
};

static void refuse(struct run_view *view, const struct refusal *r)
{
	struct buf out;

	buf_init(&out, SAY_MAX);
	buf_print(&out, "{\"kind\":\"refused\",\"of\":\"%s\",\"%s\":", r->of, r->member);
	buf_add_json(&out, r->name.len <= NAME_MAX_BYTES ? r->name : TEXT(""));
	buf_print(&out, ",\"reason\":\"%s\",\"message\":", r->reason);
	buf_add_json(&out, text_of(r->words));
	buf_add_char(&out, '}');
	client_say_frame(view->client, WS_OP_TEXT, buf_text(&out));
	buf_finish(&out);
}

/* ---- answers ---- */

static enum back_answer reply(struct run_view *view, yyjson_val *frame, struct error *why)
{
	const struct back *back = &view->client->hub->options.back;
	yyjson_val *value = yyjson_obj_get(frame, "value");
	struct back_reply r = {.prompt = json_text(yyjson_obj_get(frame, "prompt-id")),
	                       .who = client_who(view->client, SCREEN),
	                       .may_control = view->client->scopes & SCOPE_CONTROL};
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
		refuse(view, &r);
		return;
	}
	answer = reply(view, frame, &why);
	if (answer == BACK_DONE)
		return;
	r.reason = answer == BACK_UNKNOWN ? "unknown_prompt" : reason_of(answer);
	refuse(view, &r);
}

/* ---- controls ---- */

/* A screen of one session means that; one of all the run that it saw last, unless the
 * frame says which. */
static struct text run_meant(const struct run_view *view, yyjson_val *frame)
{
	struct link *all = runs_all(view->client->hub->options.runs);
	struct text named = json_text(yyjson_obj_get(frame, "run"));

	if (view->session)
		return text_of(view->session);
	if (named.len || list_is_empty(all))
		return named;
	return text_of(list_of(all->prev, struct run, in_all)->id);
}

static void hear_control(struct run_view *view, const struct frame *frame)
{
	const struct back *back = &view->client->hub->options.back;
	struct back_control control = {
		.run = run_meant(view, frame->root),
		.op = json_text(yyjson_obj_get(frame->root, "op")),
		.n = yyjson_get_uint(yyjson_obj_get(frame->root, "n")),
		.frame = frame->raw,
		.who = client_who(view->client, SCREEN),
	};
	struct refusal r = {.of = "control", .member = "op", .name = control.op};
	enum back_answer answer;
	struct error why;

	r.words = why.words;
	if (!(view->client->scopes & SCOPE_CONTROL)) {
		r.reason = "forbidden";
		r.words = "a control needs the scope control";
		refuse(view, &r);
		return;
	}
	answer = back->control(back->self, &control, &why);
	if (answer == BACK_DONE)
		return;
	r.reason = reason_of(answer);
	refuse(view, &r);
}

static bool hear_since(struct run_view *view, const struct frame *frame)
{
	yyjson_val *op = yyjson_obj_get(frame->root, "op");

	if (!yyjson_equals_str(op, "since"))
		return false;
	if (frame->has_seq) {
		run_screen_seek(view, frame->seq);
		hub_work(view->client);
	} else {
		refuse(view, &(struct refusal){.of = "control",
		                               .reason = "invalid",
		                               .member = "op",
		                               .name = TEXT("since"),
		                               .words = "since needs a seq"});
	}
	return true;
}

void run_hear_screen(struct run_view *view, const struct frame *frame)
{
	if (frame->kind == FRAME_ANSWER)
		hear_answer(view, frame->root);
	else if (frame->kind == FRAME_CONTROL && !hear_since(view, frame))
		hear_control(view, frame);
}
