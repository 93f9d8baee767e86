/* openai.c - OpenAI's Chat Completions, and what others make of them.
 *
 * A stream of chunks, or one whole answer, which is read like a single chunk.  What
 * servers do differently is taken as they do it: reasoning in four spellings, usage
 * in any chunk, errors within a good answer, calls that share an index, no [DONE].
 *
 * An answer may have several choices.  The first one speaks as the model, another
 * as "model#1", so that their words are not mixed.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "parse/calls.h"
#include "parse/inside.h"
#include "parse/kinds.h"
#include "parse/think.h"
#include "signal/json.h"

#define CHOICES_MAX 128 /* as many as the API allows */
#define NAME_MAX_LEN 256

struct choice {
	struct think think;
};

struct openai {
	struct choice *choices; /* by index */
	uint32_t choice_count;
	struct calls calls;
	uint64_t text_count; /* of text_delta: their index */
	struct speak_usage usage;
	bool began, has_usage, has_refused;
};

/* A part of an event, and who it belongs to. */
struct scene {
	struct parse *p;
	struct openai *o;
	uint32_t index; /* of the choice */
	struct speaker who;
	char name[NAME_MAX_LEN + sizeof("#4294967295")];
};

static struct openai *openai_of(struct parse *p)
{
	struct openai *o = parse_state(p);

	if (!o->began)
		calls_init(&o->calls);
	o->began = true;
	return o;
}

static void set_scene(struct scene *s, struct parse *p, uint32_t index)
{
	struct text agent = parse_agent(p);

	s->p = p;
	s->o = openai_of(p);
	s->index = index;
	s->who = (struct speaker){.agent = agent};
	if (index == 0)
		return;
	agent.len = agent.len < NAME_MAX_LEN ? agent.len : NAME_MAX_LEN;
	snprintf(s->name, sizeof(s->name), "%.*s#%u", TEXT_ARG(agent), index);
	s->who.agent = text_of(s->name);
}

/* --- words ------------------------------------------------------------------------- */

static void openai_speak_text(struct scene *s, struct text words, bool is_refusal)
{
	speak_begin(s->p, &s->who, "text_delta");
	make_text(&s->p->make, "content", words);
	make_u64(&s->p->make, "index", s->o->text_count++);
	if (is_refusal) {
		make_metadata(&s->p->make);
		make_bool(&s->p->make, "refusal", true);
	}
	parse_give(s->p);
}

/* It was said as words, and only now is it known that it was none. */
static void tell_thought(struct scene *s)
{
	struct think *think = &s->o->choices[s->index].think;

	if (!think->was_thought)
		return;
	think->was_thought = false;
	speak_state(s->p, &s->who, "thinking", "acting", TEXT("what it said so far was thought"));
}

static void openai_give_words(void *self, bool is_thought, struct text words)
{
	struct scene *s = self;

	tell_thought(s);
	if (is_thought)
		speak_words(s->p, &s->who, "thinking", words);
	else
		openai_speak_text(s, words, false);
}

static void openai_take_text(struct scene *s, struct text words)
{
	think_feed(&s->o->choices[s->index].think, words, openai_give_words, s);
	tell_thought(s);
}

static void openai_take_thought(struct scene *s, struct text words)
{
	if (words.len)
		speak_words(s->p, &s->who, "thinking", words);
}

static void openai_take_refusal(struct scene *s, struct text words)
{
	if (words.len == 0)
		return;
	openai_speak_text(s, words, true);
	s->o->has_refused = true;
}

static yyjson_val *openai_member(yyjson_val *object, const char *key)
{
	return yyjson_obj_get(object, key);
}

/* Of what is no array: nothing. */
static void each(struct scene *s, yyjson_val *array, void (*take)(struct scene *, yyjson_val *))
{
	yyjson_arr_iter iter = yyjson_arr_iter_with(array);
	yyjson_val *item;

	while ((item = yyjson_arr_iter_next(&iter)))
		take(s, item);
}

static void take_thought_part(struct scene *s, yyjson_val *part)
{
	openai_take_thought(s, json_text_at(part, "text"));
	openai_take_thought(s, json_text_at(part, "summary"));
}

/* `thinking` of a part is a text, or parts once more. */
static void openai_take_part(struct scene *s, yyjson_val *part)
{
	openai_take_text(s, json_text(part));
	openai_take_thought(s, json_text_at(part, "thinking"));
	each(s, openai_member(part, "thinking"), take_thought_part);
	openai_take_text(s, json_text_at(part, "text"));
	openai_take_refusal(s, json_text_at(part, "refusal"));
}

static void take_content(struct scene *s, yyjson_val *content)
{
	openai_take_text(s, json_text(content));
	each(s, content, openai_take_part);
}

/* The same thought comes under several names from some servers. */
static void take_reasoning(struct scene *s, yyjson_val *delta)
{
	struct text plain = json_text_at(delta, "reasoning_content");

	if (plain.len == 0)
		plain = json_text_at(delta, "reasoning");
	if (plain.len)
		openai_take_thought(s, plain);
	else
		each(s, openai_member(delta, "reasoning_details"), take_thought_part);
}

/* --- tool calls ---------------------------------------------------------------------- */

/* A new id on an index that is taken is another call: some servers call everything
 * 0.  Without an index a name begins one, and what has neither belongs to the last. */
static struct open_call *find_call(struct scene *s, yyjson_val *fragment, struct text name)
{
	struct calls *calls = &s->o->calls;
	struct text id = json_text_at(fragment, "id");
	yyjson_val *index = openai_member(fragment, "index");
	uint64_t at = yyjson_is_uint(index) ? yyjson_get_uint(index) : CALLS_NO_INDEX;
	struct open_call *call;

	if (at != CALLS_NO_INDEX)
		call = calls_at(calls, s->index, at);
	else if (id.len)
		call = calls_with_id(calls, id);
	else
		call = name.len ? NULL : calls_last(calls, s->index);
	if (call && id.len && call->id && !call->has_made_id && !text_is(id, call->id)) {
		calls_give(calls, s->p, &s->who, call);
		call = NULL;
	}
	if (!call)
		call = calls_add(calls, s->p, s->index, at);
	if (call)
		call_set_id(call, id);
	return call;
}

static void openai_take_input(struct scene *s, struct open_call *call, yyjson_val *input)
{
	char *json;
	size_t len;

	if (!yyjson_is_ctn(input)) {
		calls_grow(&s->o->calls, s->p, &s->who, call, json_text(input));
		return;
	}
	json = yyjson_val_write(input, YYJSON_WRITE_NOFLAG, &len);
	if (json)
		calls_replace(&s->o->calls, s->p, call, (struct text){json, len});
	free(json);
}

static void openai_take_call(struct scene *s, yyjson_val *fragment)
{
	yyjson_val *function = openai_member(fragment, "function");
	yyjson_val *custom = openai_member(fragment, "custom");
	yyjson_val *of = function ? function : custom;
	struct open_call *call = find_call(s, fragment, json_text_at(of, "name"));

	if (!call)
		return;
	call_set(&call->name, json_text_at(of, "name"));
	openai_take_input(s, call, openai_member(of, function ? "arguments" : "input"));
}

/* The way before tool_calls: one call, without an id. */
static void take_function_call(struct scene *s, yyjson_val *function)
{
	struct open_call *call = calls_at(&s->o->calls, s->index, CALLS_NO_INDEX - 1);

	if (!yyjson_is_obj(function))
		return;
	if (!call)
		call = calls_add(&s->o->calls, s->p, s->index, CALLS_NO_INDEX - 1);
	if (!call)
		return;
	call_set(&call->name, json_text_at(function, "name"));
	openai_take_input(s, call, openai_member(function, "arguments"));
}

/* Those of one choice, in the order in which they began. */
static void openai_give_calls(struct scene *s)
{
	list_each(&s->o->calls.open, l) {
		struct open_call *call = list_of(l, struct open_call, link);

		if (call->choice == s->index)
			calls_give(&s->o->calls, s->p, &s->who, call);
	}
}

/* --- the end ------------------------------------------------------------------------- */

/* Without the id of the response: servers number from 0 on, or say nothing. */
static void openai_give_usage(struct parse *p, struct openai *o)
{
	if (!o->has_usage)
		return;
	o->usage.model = parse_agent(p);
	speak_usage(p, NULL, &o->usage);
	o->has_usage = false;
}

static void end_words(struct scene *s)
{
	think_end(&s->o->choices[s->index].think, openai_give_words, s);
}

static void end_choice(struct scene *s)
{
	end_words(s);
	openai_give_calls(s);
}

static void end_all(struct parse *p, void (*end_one)(struct scene *))
{
	struct openai *o = openai_of(p);
	struct scene s;

	for (uint32_t i = 0; i < o->choice_count; i++) {
		set_scene(&s, p, i);
		end_one(&s);
	}
	openai_give_usage(p, o);
}

static bool openai_is_success(struct parse *p)
{
	struct text stop = parse_stop(p);

	return !openai_of(p)->has_refused && !text_is(stop, "content_filter") &&
	       !text_is(stop, "error");
}

static void openai_complete(struct parse *p)
{
	char result[64];

	end_all(p, end_choice);
	snprintf(result, sizeof(result), "Stream completed (%llu chunks)",
	         (unsigned long long)openai_of(p)->text_count);
	parse_complete(p, openai_is_success(p), text_of(result));
}

/* Without a reason to stop it broke off, and calls may be halves. */
static void openai_end(struct parse *p)
{
	if (parse_stop(p).len)
		openai_complete(p);
	else
		end_all(p, end_words);
}

/* --- chunks -------------------------------------------------------------------------- */

/* Numbers are codes too. */
static struct text openai_code_of(yyjson_val *error, char room[TEXT_U64_MAX])
{
	yyjson_val *code = openai_member(error, "code");

	if (yyjson_is_uint(code))
		return text_of_u64(yyjson_get_uint(code), room);
	if (json_text(code).len)
		return json_text(code);
	return json_text_at(error, "type").len ? json_text_at(error, "type") : TEXT("OPENAI_ERROR");
}

static bool openai_take_error(struct parse *p, yyjson_val *root, bool is_named_so)
{
	yyjson_val *error = openai_member(root, "error");
	char digits[TEXT_U64_MAX];
	struct text message;

	if (yyjson_is_null(error) || yyjson_is_false(error))
		error = NULL;
	if (!error && (is_named_so || text_is(json_text_at(root, "object"), "error")))
		error = root;
	if (!error)
		return false;
	message = yyjson_is_str(error) ? json_text(error) : json_text_at(error, "message");
	end_all(p, end_words);
	parse_fail(p, openai_code_of(error, digits),
	           message.len ? message : TEXT("Unknown OpenAI error"));
	return true;
}

static void take_usage(struct openai *o, yyjson_val *usage)
{
	yyjson_val *prompt = openai_member(usage, "prompt_tokens_details");
	yyjson_val *completion = openai_member(usage, "completion_tokens_details");

	if (!yyjson_is_obj(usage))
		return;
	o->usage = (struct speak_usage){
		.input = speak_count(usage, "prompt_tokens"),
		.output = speak_count(usage, "completion_tokens"),
		.cache_read = speak_count(prompt, "cached_tokens"),
		.cache_write = speak_count(prompt, "cache_write_tokens"),
		.with_cache = true,
		.reasoning = speak_count(completion, "reasoning_tokens"),
		.cost = -1,
	};
	json_number(openai_member(usage, "cost"), &o->usage.cost);
	o->has_usage = true;
}

/* llama.cpp counts by itself where nobody asked for usage. */
static void take_timings(struct openai *o, yyjson_val *timings)
{
	if (!yyjson_is_obj(timings) || o->has_usage)
		return;
	o->usage = (struct speak_usage){
		.input = speak_count(timings, "prompt_n"),
		.output = speak_count(timings, "predicted_n"),
		.cost = -1,
	};
	o->has_usage = true;
}

static bool make_choice(struct openai *o, uint64_t index)
{
	size_t was = o->choice_count * sizeof(struct choice);
	size_t is = (index + 1) * sizeof(struct choice);

	if (index >= CHOICES_MAX)
		return false;
	if (index < o->choice_count)
		return true;
	o->choices = must_grow(o->choices, is);
	memset((char *)o->choices + was, 0, is - was);
	o->choice_count = (uint32_t)index + 1;
	return true;
}

static void take_choice(struct parse *p, yyjson_val *choice)
{
	uint64_t index = yyjson_get_uint(openai_member(choice, "index"));
	yyjson_val *delta = openai_member(choice, "delta");
	struct text stop = json_text_at(choice, "finish_reason");
	struct scene s;

	if (!make_choice(openai_of(p), index)) {
		parse_bad(p, "a choice with index %llu", (unsigned long long)index);
		return;
	}
	set_scene(&s, p, (uint32_t)index);
	if (!yyjson_is_obj(delta))
		delta = openai_member(choice, "message");
	take_reasoning(&s, delta);
	take_content(&s, openai_member(delta, "content"));
	openai_take_text(&s, json_text_at(choice, "text")); /* of the API before chats */
	openai_take_text(&s, json_text_at(openai_member(delta, "audio"), "transcript"));
	openai_take_refusal(&s, json_text_at(delta, "refusal"));
	each(&s, openai_member(delta, "tool_calls"), openai_take_call);
	take_function_call(&s, openai_member(delta, "function_call"));
	take_usage(openai_of(p), openai_member(choice, "usage"));
	if (stop.len == 0)
		return;
	end_choice(&s);
	parse_set_choice_stop(p, (uint32_t)index, stop);
	if (index == 0 || parse_stop(p).len == 0)
		parse_set_stop(p, stop);
}

static void take_chunk(struct parse *p, yyjson_val *root)
{
	struct openai *o = openai_of(p);
	yyjson_arr_iter choices = yyjson_arr_iter_with(openai_member(root, "choices"));
	yyjson_val *choice;

	parse_set_agent(p, json_text_at(root, "model"));
	while ((choice = yyjson_arr_iter_next(&choices)))
		take_choice(p, choice);
	take_usage(o, openai_member(root, "usage"));
	take_usage(o, openai_member(openai_member(root, "x_groq"), "usage"));
	take_timings(o, openai_member(root, "timings"));
}

static void openai_event(struct parse *p, const struct parse_event *event)
{
	struct text data = text_trim(event->data);
	yyjson_val *root;

	if (text_is(data, "[DONE]")) {
		openai_complete(p);
		return;
	}
	root = parse_json(p, data);
	if (!root)
		return;
	if (!yyjson_is_obj(root))
		parse_bad(p, "a chunk that is not an object");
	else if (!openai_take_error(p, root, text_is(event->name, "error")))
		take_chunk(p, root);
}

static void openai_finish(struct parse *p)
{
	struct openai *o = openai_of(p);

	calls_finish(&o->calls);
	free(o->choices);
}

const struct parse_kind parse_openai = {
	.name = "openai",
	.summary = "OpenAI Chat Completions and its likes",
	.framing = FRAMING_SSE,
	.is_answer = true,
	.size = sizeof(struct openai),
	.event = openai_event,
	.end = openai_end,
	.finish = openai_finish,
};
