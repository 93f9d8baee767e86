/* prompts.c - what agents ask, to the clients of our own dialect that want to
 * know of it, and what they answer.
 *
 * The open prompts come once, then each that is opened or over.  A client that does not
 * read is told to forget them when it has caught up, and gets all open ones again.  An
 * answer is acknowledged when it is on the disk.
 */
#include <yyjson.h>

#include "base/put.h"
#include "hub/hub.h"
#include "hub/person.h"
#include "native/inside.h"
#include "run/prompts.h"
#include "signal/json.h"

#define SAY_MAX (4 * KIB)
#define PROMPT_FRAME_MAX (512 * KIB) /* its words, options and default, escaped */

/* ---- telling ---- */

static void add_prompt(const struct prompt *prompt, enum answers may, struct buf *out)
{
	struct buf json;

	buf_init(&json, PROMPT_FRAME_MAX);
	prompt_json(prompt, may, &json);
	put_object(out, NULL);
	put_word(out, "op", "prompt");
	buf_add_char(out, ',');
	buf_add(out, (struct text){json.at + 1, json.len - 1}); /* after its brace */
	out->full |= json.full;
	buf_finish(&json);
}

void native_follow_prompts(struct native_view *view)
{
	view->hears_prompts = true;
	view->told_prompt = 0;
	native_say_prompts(view);
}

/* In the order of their seqs; the rest when it has read these. */
void native_say_prompts(struct native_view *view)
{
	struct client *c = view->client;
	bool forgets = view->forgets;

	view->owed_prompts = view->forgets = false;
	if (forgets)
		client_say_frame(c, WS_OP_TEXT, TEXT("{\"op\":\"prompts\",\"forget\":true}"));
	if (c->state == CLIENT_CLOSING)
		return;
	list_each(prompts_open(native_of(view)->options.prompts), l) {
		const struct prompt *prompt = list_of(l, struct prompt, in_open);
		struct buf out;

		if (prompt->seq <= view->told_prompt)
			continue;
		if (client_is_slow(c)) {
			view->owed_prompts = true;
			return;
		}
		view->told_prompt = prompt->seq;
		buf_init(&out, PROMPT_FRAME_MAX);
		add_prompt(prompt, client_answers(c), &out);
		native_say(c, &out);
		if (c->state == CLIENT_CLOSING)
			return;
	}
}

/* Who is owed open ones gets this too if it is one; that another is over is not told
 * twice. */
static void tell_prompt(struct native_view *view, const struct prompt *prompt, struct text frame)
{
	if (!view->owed_prompts && !client_is_slow(view->client)) {
		client_say_frame(view->client, WS_OP_TEXT, frame);
		return;
	}
	if (view->owed_prompts && prompt->state == PROMPT_OPEN)
		return;
	view->owed_prompts = true;
	view->told_prompt = 0;
	view->forgets = true;
}

void native_tell_prompt(struct native *native, const struct prompt *prompt)
{
	struct buf frames[ANSWERS_ALL + 1]; /* for who may answer so much */

	for (size_t i = 0; i <= ANSWERS_ALL; i++)
		buf_init(&frames[i], PROMPT_FRAME_MAX);
	list_each(&native->views, l) {
		struct native_view *view = list_of(l, struct native_view, in_all);
		enum answers may = client_answers(view->client);

		if (!view->hears_prompts)
			continue;
		if (frames[may].len == 0)
			add_prompt(prompt, may, &frames[may]);
		tell_prompt(view, prompt, buf_text(&frames[may]));
	}
	for (size_t i = 0; i <= ANSWERS_ALL; i++)
		buf_finish(&frames[i]);
}

/* ---- answering ---- */

static void answered(void *of, const struct back_verdict *verdict)
{
	struct person_wait *w = of;
	struct buf out;

	buf_init(&out, SAY_MAX);
	put_object(&out, NULL);
	put_word(&out, "op", "ack");
	put_json(&out, "ref", w->ref);
	put_u64(&out, "seq", verdict->seq);
	put_end(&out);
	native_say(w->client, &out);
	client_end_wait(w);
}

/* The value as JSON; false when it is neither that nor cancelled. */
static bool read_value(yyjson_val *op, struct buf *value, struct error *why)
{
	yyjson_val *given = yyjson_obj_get(op, "value");
	bool is_cancelled = yyjson_is_true(yyjson_obj_get(op, "cancelled"));

	if (is_cancelled == !!given)
		return error_set(why, "answer takes a value, or cancelled: true");
	return !given || json_add(value, given) || error_set(why, "the value is too long");
}

static enum back_answer send_reply(struct client *c, const struct back_reply *reply,
                                   struct text ref, struct error *why)
{
	const struct back *back = &client_options(c)->back;
	struct person_wait *w = ref.len ? client_wait(c, ref, TEXT("")) : NULL;
	struct back_reply with = *reply;
	enum back_answer answer;

	if (w)
		with.ear = (struct back_ear){answered, w};
	answer = back->reply(back->self, &with, why);
	if (w && answer != BACK_TAKEN)
		client_end_wait(w);
	return answer;
}

enum back_answer native_hear_answer(struct client *c, yyjson_val *op, struct text ref,
                                    struct error *why)
{
	struct back_reply reply = {.prompt = json_text(yyjson_obj_get(op, "id")),
	                           .who = client_who(c, native_screen(op)),
	                           .may = client_answers(c)};
	enum back_answer answer = BACK_INVALID;
	struct buf value;

	buf_init(&value, PROMPT_VALUE_MAX);
	if (!reply.prompt.len) {
		error_set(why, "answer needs the id of a prompt");
	} else if (read_value(op, &value, why)) {
		reply.value = buf_text(&value);
		answer = send_reply(c, &reply, ref, why);
	}
	buf_finish(&value);
	return answer;
}
