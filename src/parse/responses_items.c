/* responses_items.c - messages, reasoning, calls, and what came of them. */
#include <stdlib.h>

#include "parse/responses.h"
#include "signal/json.h"

/* Calls that the back end answers itself; those of any other type are the client's
 * to answer. */
struct served_kind {
	const char *type;
	const char *result; /* the member with what came of it; NULL: none that we show */
};

static const struct served_kind served_kinds[] = {
	{"code_interpreter_call", "outputs"},
	{"file_search_call", "results"},
	{"image_generation_call", NULL}, /* a picture is not for the log */
	{"mcp_call", "output"},
	{"web_search_call", NULL},
	{NULL, NULL},
};

static const struct served_kind *served(struct text type)
{
	for (const struct served_kind *kind = served_kinds; kind->type; kind++)
		if (text_is(type, kind->type))
			return kind;
	return NULL;
}

static bool is_call(struct text type)
{
	return text_ends(type, TEXT("_call"));
}

/* --- calls --------------------------------------------------------------------------- */

/* Some servers change the item's id on the way, so its place comes first. */
struct open_call *responses_call(struct parse *p, uint64_t index, struct text item_id)
{
	struct calls *calls = &responses_of(p)->calls;
	struct open_call *call = NULL;

	if (index != CALLS_NO_INDEX)
		call = calls_at(calls, 0, index);
	if (!call && item_id.len)
		call = calls_with_key(calls, item_id);
	if (!call)
		call = calls_add(calls, p, 0, index);
	if (call)
		call_set(&call->key, item_id);
	return call;
}

/* A tool without a name is called what its type says: web_search_call. */
static struct text responses_items_name_of(yyjson_val *item)
{
	struct text name = json_text_at(item, "name"), type = json_text_at(item, "type");

	if (name.len)
		return name;
	return (struct text){type.at, type.len - TEXT("_call").len};
}

static struct open_call *name_call(struct parse *p, uint64_t index, yyjson_val *item)
{
	struct open_call *call = responses_call(p, index, json_text_at(item, "id"));
	struct text id = json_text_at(item, "call_id");

	if (!call)
		return NULL;
	call_set_id(call, id.len ? id : json_text_at(item, "id"));
	call_set(&call->name, responses_items_name_of(item));
	call_set(&call->server, json_text_at(item, "server_label"));
	return call;
}

/* What is not the call's input. */
static bool responses_items_is_about(struct text key, const struct served_kind *kind)
{
	static const char *const names[] = {"id",     "type",       "status", "call_id",
	                                    "result", "created_by", NULL};

	for (const char *const *name = names; *name; name++)
		if (text_is(key, *name))
			return true;
	return kind && kind->result && text_is(key, kind->result);
}

/* The members that say what is to be done, as an object of their own. */
static void gather_input(struct buf *out, yyjson_val *item)
{
	const struct served_kind *kind = served(json_text_at(item, "type"));
	yyjson_obj_iter iter = yyjson_obj_iter_with(item);
	yyjson_val *key;

	buf_add_char(out, '{');
	while ((key = yyjson_obj_iter_next(&iter))) {
		size_t len;
		char *json;

		if (responses_items_is_about(json_text(key), kind))
			continue;
		json = yyjson_val_write(yyjson_obj_iter_get_val(key), YYJSON_WRITE_NOFLAG, &len);
		if (out->len > 1)
			buf_add_char(out, ',');
		buf_add_json(out, json_text(key));
		buf_add_char(out, ':');
		buf_add(out, (struct text){json, json ? len : 0});
		free(json);
	}
	buf_add_char(out, '}');
}

/* The item has the whole input: as one text if the tool has a name, else spread over
 * members of its type's own. */
static void take_whole_input(struct parse *p, struct open_call *call, yyjson_val *item)
{
	struct calls *calls = &responses_of(p)->calls;
	yyjson_val *arguments = yyjson_obj_get(item, "arguments");
	struct buf gathered;

	if (!arguments)
		arguments = yyjson_obj_get(item, "input");
	if (json_text(arguments).len)
		calls_replace(calls, p, call, json_text(arguments));
	if (json_text_at(item, "name").len)
		return;
	buf_init(&gathered, CALLS_INPUT_MAX);
	gather_input(&gathered, item);
	if (!gathered.full)
		calls_replace(calls, p, call, buf_text(&gathered));
	buf_finish(&gathered);
}

static bool is_good(yyjson_val *item)
{
	struct text status = json_text_at(item, "status");
	yyjson_val *error = yyjson_obj_get(item, "error");

	return !text_is(status, "failed") && !text_is(status, "incomplete") &&
	       (!error || yyjson_is_null(error));
}

static void give_result(struct parse *p, yyjson_val *item, const struct tool_call *call,
                        yyjson_val *output)
{
	bool good = is_good(item);

	if (!good && yyjson_obj_get(item, "error"))
		output = yyjson_obj_get(item, "error");
	if (yyjson_is_null(output))
		output = NULL;
	speak_result(p, NULL, call, good, output);
}

static void end_call(struct parse *p, uint64_t index, yyjson_val *item)
{
	const struct served_kind *kind = served(json_text_at(item, "type"));
	struct open_call *call = name_call(p, index, item);
	const struct tool_call about = {json_text_at(item, "id"), responses_items_name_of(item),
	                                json_text_at(item, "server_label")};

	if (!call)
		return;
	take_whole_input(p, call, item);
	calls_give(&responses_of(p)->calls, p, NULL, call);
	if (kind)
		give_result(p, item, &about,
		            kind->result ? yyjson_obj_get(item, kind->result) : NULL);
}

/* What a tool gave, as an item of its own: shell_call_output. */
static void responses_items_take_output(struct parse *p, yyjson_val *item)
{
	struct text type = json_text_at(item, "type");
	const struct tool_call about = {json_text_at(item, "call_id"),
	                                {type.at, type.len - TEXT("_call_output").len},
	                                {NULL, 0}};

	give_result(p, item, &about, yyjson_obj_get(item, "output"));
}

/* --- items --------------------------------------------------------------------------- */

void responses_item_added(struct parse *p, uint64_t index, yyjson_val *item)
{
	if (is_call(json_text_at(item, "type")))
		name_call(p, index, item);
}

void responses_item_done(struct parse *p, uint64_t index, yyjson_val *item)
{
	struct text type = json_text_at(item, "type");

	if (is_call(type))
		end_call(p, index, item);
	else if (text_ends(type, TEXT("_call_output")))
		responses_items_take_output(p, item);
	else if (text_is(type, "mcp_approval_request"))
		speak_state(p, NULL, "acting", "waiting", TEXT("approval"));
	else if (!text_is(type, "message") && !text_is(type, "reasoning") && yyjson_is_obj(item))
		speak_other(p, NULL, item);
}

static void take_parts(struct parse *p, yyjson_val *parts, enum responses_words which)
{
	yyjson_arr_iter iter = yyjson_arr_iter_with(parts);
	yyjson_val *part;

	while ((part = yyjson_arr_iter_next(&iter))) {
		if (which == WORDS_SUMMARY && iter.idx > 1)
			speak_words(p, NULL, "thinking", TEXT("\n\n"));
		responses_whole(p, which, json_text_at(part, "text"));
		responses_whole(p, WORDS_REFUSAL, json_text_at(part, "refusal"));
	}
}

void responses_item(struct parse *p, uint64_t index, yyjson_val *item)
{
	if (text_is(json_text_at(item, "type"), "reasoning")) {
		take_parts(p, yyjson_obj_get(item, "summary"), WORDS_SUMMARY);
		take_parts(p, yyjson_obj_get(item, "content"), WORDS_REASONING);
	} else if (text_is(json_text_at(item, "type"), "message")) {
		take_parts(p, yyjson_obj_get(item, "content"), WORDS_TEXT);
	}
	responses_item_done(p, index, item);
}
