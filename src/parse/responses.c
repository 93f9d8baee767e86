/* responses.c - OpenAI's Responses: a stream of typed events, or one whole answer.
 *
 * What an event is stands in its `type`.  Those that only say how far a tool is, or
 * what a later one says whole, are passed over; those that are not known are told as
 * events.
 */
#include "parse/responses.h"

#include "parse/inside.h"
#include "parse/kinds.h"
#include "signal/json.h"

struct responses *responses_of(struct parse *p)
{
	struct responses *r = parse_state(p);

	if (!r->began)
		calls_init(&r->calls);
	r->began = true;
	return r;
}

static yyjson_val *responses_member(yyjson_val *object, const char *key)
{
	return yyjson_obj_get(object, key);
}

/* --- words --------------------------------------------------------------------------- */

static void speak_text(struct parse *p, struct text words, bool is_refusal)
{
	struct responses *r = responses_of(p);

	speak_begin(p, NULL, "text_delta");
	make_text(&p->make, "content", words);
	make_u64(&p->make, "index", r->text_count++);
	if (is_refusal) {
		make_metadata(&p->make);
		make_bool(&p->make, "refusal", true);
	}
	parse_give(p);
	r->has_refused |= is_refusal;
}

void responses_grow(struct parse *p, enum responses_words which, struct text words)
{
	if (words.len == 0)
		return;
	responses_of(p)->grown[which] += words.len;
	if (which == WORDS_REASONING || which == WORDS_SUMMARY)
		speak_words(p, NULL, "thinking", words);
	else
		speak_text(p, words, which == WORDS_REFUSAL);
}

void responses_whole(struct parse *p, enum responses_words which, struct text words)
{
	if (responses_of(p)->grown[which] == 0)
		responses_grow(p, which, words);
	responses_of(p)->grown[which] = 0;
}

static void text_delta(struct parse *p, yyjson_val *event)
{
	responses_grow(p, WORDS_TEXT, json_text_at(event, "delta"));
}

static void text_done(struct parse *p, yyjson_val *event)
{
	responses_whole(p, WORDS_TEXT, json_text_at(event, "text"));
}

static void refusal_delta(struct parse *p, yyjson_val *event)
{
	responses_grow(p, WORDS_REFUSAL, json_text_at(event, "delta"));
}

static void refusal_done(struct parse *p, yyjson_val *event)
{
	responses_whole(p, WORDS_REFUSAL, json_text_at(event, "refusal"));
}

static void reasoning_delta(struct parse *p, yyjson_val *event)
{
	responses_grow(p, WORDS_REASONING, json_text_at(event, "delta"));
}

static void reasoning_done(struct parse *p, yyjson_val *event)
{
	responses_whole(p, WORDS_REASONING, json_text_at(event, "text"));
}

/* Parts of a summary are paragraphs. */
static void summary_part(struct parse *p, yyjson_val *event)
{
	if (yyjson_get_uint(responses_member(event, "summary_index")) > 0)
		speak_words(p, NULL, "thinking", TEXT("\n\n"));
}

static void summary_delta(struct parse *p, yyjson_val *event)
{
	responses_grow(p, WORDS_SUMMARY, json_text_at(event, "delta"));
}

static void summary_done(struct parse *p, yyjson_val *event)
{
	responses_whole(p, WORDS_SUMMARY, json_text_at(event, "text"));
}

static void transcript_delta(struct parse *p, yyjson_val *event)
{
	responses_grow(p, WORDS_TRANSCRIPT, json_text_at(event, "delta"));
}

/* --- items --------------------------------------------------------------------------- */

static uint64_t responses_index_of(yyjson_val *event)
{
	yyjson_val *index = responses_member(event, "output_index");

	return yyjson_is_uint(index) ? yyjson_get_uint(index) : CALLS_NO_INDEX;
}

static void item_added(struct parse *p, yyjson_val *event)
{
	responses_item_added(p, responses_index_of(event), responses_member(event, "item"));
}

static void item_done(struct parse *p, yyjson_val *event)
{
	responses_item_done(p, responses_index_of(event), responses_member(event, "item"));
}

static void input_delta(struct parse *p, yyjson_val *event)
{
	struct open_call *call =
		responses_call(p, responses_index_of(event), json_text_at(event, "item_id"));

	if (call)
		calls_grow(&responses_of(p)->calls, p, NULL, call, json_text_at(event, "delta"));
}

/* The whole input: its name is that of the kind of call. */
static void input_done(struct parse *p, yyjson_val *event)
{
	struct open_call *call =
		responses_call(p, responses_index_of(event), json_text_at(event, "item_id"));
	struct text input = json_text_at(event, "arguments");

	if (input.len == 0)
		input = json_text_at(event, "input");
	if (call && input.len)
		calls_replace(&responses_of(p)->calls, p, call, input);
}

/* --- the end ------------------------------------------------------------------------- */

static void give_calls(struct parse *p)
{
	struct calls *calls = &responses_of(p)->calls;

	list_each(&calls->open, l)
		calls_give(calls, p, NULL, list_of(l, struct open_call, link));
}

static void responses_give_usage(struct parse *p, yyjson_val *response)
{
	yyjson_val *usage = responses_member(response, "usage");
	yyjson_val *input = responses_member(usage, "input_tokens_details");
	yyjson_val *output = responses_member(usage, "output_tokens_details");
	const struct speak_usage spent = {
		.input = speak_count(usage, "input_tokens"),
		.output = speak_count(usage, "output_tokens"),
		.cache_read = speak_count(input, "cached_tokens"),
		.cache_write = speak_count(input, "cache_write_tokens"),
		.with_cache = true,
		.reasoning = speak_count(output, "reasoning_tokens"),
		.response = json_text_at(response, "id"),
		.model = parse_agent(p),
		.cost = -1,
	};

	if (yyjson_is_obj(usage))
		speak_usage(p, NULL, &spent);
}

static void responses_complete(struct parse *p, yyjson_val *response, struct text stop)
{
	bool success = !responses_of(p)->has_refused && !text_is(stop, "content_filter") &&
	               !text_is(stop, "cancelled");

	give_calls(p);
	responses_give_usage(p, response);
	parse_set_stop(p, stop);
	parse_complete(p, success, stop);
}

static void responses_fail(struct parse *p, yyjson_val *error)
{
	struct text code = json_text_at(error, "code"), message = json_text_at(error, "message");

	if (code.len == 0)
		code = json_text_at(error, "type").len ? json_text_at(error, "type")
		                                       : TEXT("OPENAI_ERROR");
	parse_fail(p, code, message.len ? message : TEXT("Unknown OpenAI error"));
}

static void see_response(struct parse *p, yyjson_val *event)
{
	parse_set_agent(p, json_text_at(responses_member(event, "response"), "model"));
}

/* A response that is over says by its status how. */
static void end_response(struct parse *p, yyjson_val *response)
{
	struct text status = json_text_at(response, "status");
	struct text stop = json_text_at(responses_member(response, "incomplete_details"), "reason");

	parse_set_agent(p, json_text_at(response, "model"));
	if (text_is(status, "failed")) {
		responses_give_usage(p, response);
		responses_fail(p, responses_member(response, "error"));
		return;
	}
	if (stop.len == 0)
		stop = status.len ? status : TEXT("completed");
	responses_complete(p, response, stop);
}

static void response_end(struct parse *p, yyjson_val *event)
{
	end_response(p, responses_member(event, "response"));
}

static void error_event(struct parse *p, yyjson_val *event)
{
	yyjson_val *error = responses_member(event, "error");

	responses_fail(p, yyjson_is_obj(error) ? error : event);
}

/* --- events -------------------------------------------------------------------------- */

static const struct {
	const char *type;
	void (*take)(struct parse *p, yyjson_val *event);
} events[] = {
	{"response.created", see_response},
	{"response.queued", see_response},
	{"response.in_progress", see_response},
	{"response.completed", response_end},
	{"response.incomplete", response_end},
	{"response.cancelled", response_end},
	{"response.failed", response_end},
	{"error", error_event},
	{"response.output_item.added", item_added},
	{"response.output_item.done", item_done},
	{"response.output_text.delta", text_delta},
	{"response.output_text.done", text_done},
	{"response.refusal.delta", refusal_delta},
	{"response.refusal.done", refusal_done},
	{"response.reasoning_text.delta", reasoning_delta},
	{"response.reasoning_text.done", reasoning_done},
	{"response.reasoning_summary_part.added", summary_part},
	{"response.reasoning_summary_text.delta", summary_delta},
	{"response.reasoning_summary_text.done", summary_done},
	{"response.audio.transcript.delta", transcript_delta},
	{"response.function_call_arguments.delta", input_delta},
	{"response.function_call_arguments.done", input_done},
	{"response.custom_tool_call_input.delta", input_delta},
	{"response.custom_tool_call_input.done", input_done},
	{"response.mcp_call_arguments.delta", input_delta},
	{"response.mcp_call_arguments.done", input_done},
	{"response.code_interpreter_call_code.delta", input_delta},
	{"response.shell_call_command.delta", input_delta},
};

/* Progress of a tool, parts of which the whole comes, sounds and pictures. */
static bool says_nothing(struct text type)
{
	static const char *const endings[] = {
		".in_progress", ".searching",      ".generating",      ".interpreting",
		"_call.failed", "_call.completed", "_tools.failed",    "_tools.completed",
		".part.added",  "_part.added",     "_part.done",       ".partial_image",
		".audio.delta", ".audio.done",     ".transcript.done", "_call_code.done",
		"_command.done"};

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		if (text_ends(type, text_of(endings[i])))
			return true;
	return false;
}

static void responses_take_answer(struct parse *p, yyjson_val *response)
{
	yyjson_arr_iter iter = yyjson_arr_iter_with(responses_member(response, "output"));
	yyjson_val *item;
	uint64_t index = 0;

	parse_set_agent(p, json_text_at(response, "model"));
	while ((item = yyjson_arr_iter_next(&iter)))
		responses_item(p, index++, item);
	end_response(p, response);
}

static void responses_take_event(struct parse *p, struct text type, yyjson_val *root)
{
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		if (text_is(type, events[i].type)) {
			events[i].take(p, root);
			return;
		}
	}
	if (!says_nothing(type))
		speak_other(p, NULL, root);
}

static void responses_event(struct parse *p, const struct parse_event *event)
{
	struct text data = text_trim(event->data), type;
	yyjson_val *root, *error;

	if (text_is(data, "[DONE]"))
		return; /* of some proxies; what ends an answer has come before */
	root = parse_json(p, data);
	if (!root)
		return;
	if (!yyjson_is_obj(root)) {
		parse_bad(p, "an event that is not an object");
		return;
	}
	type = json_text_at(root, "type").len ? json_text_at(root, "type") : event->name;
	error = responses_member(root, "error");
	if (text_is(json_text_at(root, "object"), "response"))
		responses_take_answer(p, root);
	else if (type.len == 0 && yyjson_is_obj(error))
		responses_fail(p, error);
	else
		responses_take_event(p, type, root);
}

static void responses_finish(struct parse *p)
{
	calls_finish(&responses_of(p)->calls);
}

const struct parse_kind parse_responses = {
	.name = "responses",
	.summary = "OpenAI Responses",
	.framing = FRAMING_SSE,
	.is_answer = true,
	.size = sizeof(struct responses),
	.event = responses_event,
	.finish = responses_finish,
};
