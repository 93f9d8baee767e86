/* back.c - the operations of our own dialect that go back to an agent. */
#include <yyjson.h>

#include "base/put.h"
#include "bus/back.h"
#include "hub/hub.h"
#include "hub/person.h"
#include "native/inside.h"
#include "signal/json.h"

#define SAY_MAX (4 * KIB)

/* An empty text says nothing; false when it is no string. */
static bool read_text(yyjson_val *op, const char *name, struct text *out, struct error *why)
{
	yyjson_val *value = yyjson_obj_get(op, name);

	*out = (struct text){yyjson_get_str(value), yyjson_get_len(value)};
	return !value || yyjson_is_str(value) || error_set(why, "%s must be a string", name);
}

struct text native_screen(yyjson_val *op)
{
	struct text screen = json_text(yyjson_obj_get(op, "screen"));

	return screen.len ? screen : TEXT("native");
}

static void acknowledge(struct client *c, struct text run, struct text ref)
{
	struct buf out;

	buf_init(&out, SAY_MAX);
	put_object(&out, NULL);
	put_word(&out, "op", "ack");
	if (ref.len) {
		put_json(&out, "ref", ref);
	}
	put_text(&out, "run", run);
	buf_add_char(&out, '}');
	native_say(c, &out);
}

static const char *code_of(enum back_answer answer)
{
	static const char *const codes[BACK_ANSWERS] = {
		[BACK_INVALID] = "invalid",          [BACK_UNKNOWN] = "invalid",
		[BACK_CONFLICT] = "unavailable",     [BACK_NOT_SUPPORTED] = "not_supported",
		[BACK_ALREADY] = "already_answered", [BACK_INVALID_VALUE] = "invalid_value",
		[BACK_EXPIRED] = "expired",          [BACK_FORBIDDEN] = "forbidden",
		[BACK_REFUSED] = "refused",          [BACK_SILENT] = "no_answer",
		[BACK_UNSAVED] = "unavailable",
	};

	return codes[answer];
}

/* ---- what has its verdict later ---- */

static void told(void *of, const struct back_verdict *verdict)
{
	struct person_wait *w = of;

	if (verdict->answer == BACK_DONE)
		acknowledge(w->client, w->name, w->ref);
	else
		native_say_error(w->client, code_of(verdict->answer), verdict->why->words, w->ref);
	client_end_wait(w);
}

/* Acknowledged at once, when it is done, or not at all. */
static void end_now(struct person_wait *w, enum back_answer answer)
{
	if (answer == BACK_DONE)
		acknowledge(w->client, w->name, w->ref);
	if (answer != BACK_TAKEN)
		client_end_wait(w);
}

static enum back_answer hear_ask(struct client *c, yyjson_val *op, struct text ref,
                                 struct error *why)
{
	const struct back *back = &client_options(c)->back;
	char run[BACK_RUN_MAX + 1];
	struct back_ask ask = {0};
	enum back_answer answer;

	if (!read_text(op, "source", &ask.source, why) ||
	    !read_text(op, "prompt", &ask.prompt, why) ||
	    !read_text(op, "model", &ask.model, why) ||
	    !read_text(op, "session", &ask.session, why) || !read_text(op, "run", &ask.run, why))
		return BACK_INVALID;
	answer = back->ask(back->self, &ask, run, why);
	if (answer == BACK_DONE)
		acknowledge(c, text_of(run), ref);
	return answer;
}

static enum back_answer hear_cancel(struct client *c, yyjson_val *op, struct text ref,
                                    struct error *why)
{
	const struct back *back = &client_options(c)->back;
	struct back_ear ear = {.told = told};
	enum back_answer answer;
	struct text run;

	if (!read_text(op, "run", &run, why))
		return BACK_INVALID;
	ear.of = client_wait(c, ref, run);
	answer = back->cancel(back->self, run, &ear, why);
	end_now(ear.of, answer);
	return answer;
}

static enum back_answer hear_control(struct client *c, yyjson_val *op, struct text ref,
                                     struct error *why)
{
	const struct back *back = &client_options(c)->back;
	struct back_control control = {.who = client_who(c, native_screen(op))};
	yyjson_val *n = yyjson_obj_get(op, "n");
	enum back_answer answer;

	if (!read_text(op, "run", &control.run, why) || !read_text(op, "do", &control.op, why))
		return BACK_INVALID;
	if (n && !yyjson_is_uint(n)) {
		error_set(why, "n must be a number of steps");
		return BACK_INVALID;
	}
	control.n = yyjson_get_uint(n);
	control.ear = (struct back_ear){told, client_wait(c, ref, control.run)};
	answer = back->control(back->self, &control, why);
	end_now(control.ear.of, answer);
	return answer;
}

static const struct {
	const char *name;
	enum scope scope;
	enum back_answer (*hear)(struct client *c, yyjson_val *op, struct text ref,
	                         struct error *why);
} ops[] = {
	{"ask", SCOPE_CONTROL, hear_ask},
	{"cancel", SCOPE_CONTROL, hear_cancel},
	{"answer", SCOPE_ANSWER, native_hear_answer},
	{"control", SCOPE_CONTROL, hear_control},
};

static bool is_unknown_prompt(enum back_answer answer, const char *op)
{
	return answer == BACK_UNKNOWN && strcmp(op, "answer") == 0;
}

bool native_hear_back(struct client *c, yyjson_val *op, struct text ref)
{
	const char *name = yyjson_get_str(yyjson_obj_get(op, "op"));
	enum back_answer answer;
	struct error why;
	size_t i = 0;

	while (i < sizeof(ops) / sizeof(ops[0]) && strcmp(name, ops[i].name) != 0)
		i++;
	if (i == sizeof(ops) / sizeof(ops[0]))
		return false;
	if (!(c->scopes & ops[i].scope)) {
		error_set(&why, "%s needs the scope %s", name, scope_name(ops[i].scope));
		native_say_error(c, "forbidden", why.words, ref);
		return true;
	}
	answer = ops[i].hear(c, op, ref, &why);
	if (answer != BACK_DONE && answer != BACK_TAKEN)
		native_say_error(
			c, is_unknown_prompt(answer, name) ? "unknown_prompt" : code_of(answer),
			why.words, ref);
	return true;
}
