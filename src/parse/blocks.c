/* blocks.c - content blocks into signals.
 *
 * Words and thoughts are passed on as they come.  The input of a call arrives in
 * pieces: each is shown as it comes, and the call itself is told once, when its
 * block stops.  Blocks and deltas of unknown kinds are told as events.
 */
#include "parse/blocks.h"

#include <stdlib.h>

#include "parse/inside.h"
#include "signal/json.h"

#define RESULT_ENDING "_tool_result"

/* --- names ----------------------------------------------------------------------- */

static void blocks_forget(struct blocks_name *name)
{
	free(name->id);
	free(name->name);
	free(name->server);
	*name = (struct blocks_name){0};
}

static void blocks_remember(struct blocks *b, struct tool_call call)
{
	struct blocks_name *name = &b->names[b->next_name++ % BLOCKS_NAMES_MAX];

	blocks_forget(name);
	name->id = text_dup(call.id);
	name->name = text_dup(call.name);
	name->server = text_dup(call.server);
}

static struct tool_call blocks_recall(const struct blocks *b, struct text id)
{
	for (unsigned i = 0; i < BLOCKS_NAMES_MAX && id.len; i++) {
		const struct blocks_name *name = &b->names[i];

		if (name->id && text_is(id, name->id))
			return (struct tool_call){id, text_of(name->name), text_of(name->server)};
	}
	return (struct tool_call){.id = id};
}

static struct tool_call read_call(yyjson_val *block)
{
	return (struct tool_call){
		.id = json_text_at(block, "id"),
		.name = json_text_at(block, "name"),
		.server = json_text_at(block, "server_name"),
	};
}

static bool blocks_is_call(struct text type)
{
	return text_is(type, "tool_use") || text_is(type, "server_tool_use") ||
	       text_is(type, "mcp_tool_use");
}

static bool is_result(struct text type)
{
	return text_is(type, "tool_result") || text_ends(type, TEXT(RESULT_ENDING));
}

/* --- calls that grow -------------------------------------------------------------- */

static struct calls *calls_of(struct blocks *b)
{
	if (!b->calls.open.next)
		calls_init(&b->calls);
	return &b->calls;
}

static struct open_call *call_at(struct blocks *b, yyjson_val *event)
{
	return calls_at(calls_of(b), 0, speak_count(event, "index"));
}

/* Some proxies put all of the input into the start. */
static void begin_with(struct blocks *b, struct parse *p, struct open_call *call, yyjson_val *input)
{
	size_t len;
	char *json;

	if (!input || (yyjson_is_obj(input) && yyjson_obj_size(input) == 0))
		return;
	json = yyjson_val_write(input, YYJSON_WRITE_NOFLAG, &len);
	if (json)
		calls_replace(&b->calls, p, call, (struct text){json, len});
	call->came_whole = json != NULL;
	free(json);
}

static void open_call(struct blocks *b, struct parse *p, yyjson_val *event, yyjson_val *block)
{
	struct open_call *call = call_at(b, event);
	struct tool_call name = read_call(block);

	if (call)
		calls_drop(&b->calls, call);
	call = calls_add(&b->calls, p, 0, speak_count(event, "index"));
	if (!call)
		return;
	call_set_id(call, name.id);
	call_set(&call->name, name.name);
	call_set(&call->server, name.server);
	begin_with(b, p, call, yyjson_obj_get(block, "input"));
}

static void grow_call(struct blocks *b, struct parse *p, const struct speaker *who,
                      yyjson_val *event)
{
	struct open_call *call = call_at(b, event);
	struct text piece = json_text_at(yyjson_obj_get(event, "delta"), "partial_json");

	if (!call || piece.len == 0)
		return;
	if (call->came_whole)
		calls_replace(&b->calls, p, call, TEXT(""));
	call->came_whole = false;
	calls_grow(&b->calls, p, who, call, piece);
}

void blocks_forget_open(struct blocks *b)
{
	calls_finish(calls_of(b));
}

void blocks_finish(struct blocks *b)
{
	blocks_forget_open(b);
	for (unsigned i = 0; i < BLOCKS_NAMES_MAX; i++)
		blocks_forget(&b->names[i]);
}

/* --- words ----------------------------------------------------------------------- */

static void say_given(struct parse *p, const struct speaker *who, const char *type,
                      struct text words)
{
	if (words.len)
		speak_words(p, who, type, words);
}

/* What was thought is not ours to read; that something was, is. */
static void say_redacted(struct parse *p, const struct speaker *who)
{
	speak_begin(p, who, "thinking");
	make_text(&p->make, "content", TEXT(""));
	make_metadata(&p->make);
	make_bool(&p->make, "redacted", true);
	parse_give(p);
}

/* The words that a block begins with, or has when it comes whole. */
static void say_block(struct parse *p, const struct speaker *who, yyjson_val *block)
{
	struct text type = json_text_at(block, "type");

	if (text_is(type, "text"))
		say_given(p, who, "text_delta", json_text_at(block, "text"));
	else if (text_is(type, "thinking"))
		say_given(p, who, "thinking", json_text_at(block, "thinking"));
	else if (text_is(type, "redacted_thinking"))
		say_redacted(p, who);
	else if (yyjson_is_obj(block))
		speak_other(p, who, block);
}

/* --- results --------------------------------------------------------------------- */

static bool has_failed(yyjson_val *block)
{
	yyjson_val *content = yyjson_obj_get(block, "content");

	return yyjson_get_bool(yyjson_obj_get(block, "is_error")) ||
	       text_ends(json_text_at(content, "type"), TEXT("_error"));
}

void blocks_result(struct blocks *b, struct parse *p, const struct speaker *who, yyjson_val *block)
{
	struct text type = json_text_at(block, "type");
	struct tool_call call = blocks_recall(b, json_text_at(block, "tool_use_id"));

	/* web_search_tool_result is the result of web_search, whoever called it. */
	if (call.name.len == 0 && text_ends(type, TEXT(RESULT_ENDING)))
		call.name = (struct text){type.at, type.len - strlen(RESULT_ENDING)};
	speak_result(p, who, &call, !has_failed(block), yyjson_obj_get(block, "content"));
}

/* --- events ---------------------------------------------------------------------- */

void blocks_start(struct blocks *b, struct parse *p, const struct speaker *who, yyjson_val *event)
{
	yyjson_val *content = yyjson_obj_get(event, "content_block");
	struct text type = json_text_at(content, "type");

	if (blocks_is_call(type))
		open_call(b, p, event, content);
	else if (is_result(type))
		blocks_result(b, p, who, content);
	else
		say_block(p, who, content);
}

void blocks_grow(struct blocks *b, struct parse *p, const struct speaker *who, yyjson_val *event)
{
	yyjson_val *delta = yyjson_obj_get(event, "delta");
	struct text type = json_text_at(delta, "type");

	if (text_is(type, "text_delta"))
		speak_words(p, who, "text_delta", json_text_at(delta, "text"));
	else if (text_is(type, "thinking_delta"))
		speak_words(p, who, "thinking", json_text_at(delta, "thinking"));
	else if (text_is(type, "input_json_delta"))
		grow_call(b, p, who, event);
	else if (yyjson_is_obj(delta) && !text_is(type, "signature_delta"))
		speak_other(p, who, delta); /* a signature is for the API alone */
}

void blocks_stop(struct blocks *b, struct parse *p, const struct speaker *who, yyjson_val *event)
{
	struct open_call *call = call_at(b, event);

	if (!call)
		return;
	blocks_remember(b, (struct tool_call){text_of(call->id), text_of(call->name),
	                                      text_of(call->server)});
	calls_give(&b->calls, p, who, call);
}

void blocks_whole(struct blocks *b, struct parse *p, const struct speaker *who, yyjson_val *block)
{
	struct text type = json_text_at(block, "type");
	struct tool_call call = read_call(block);

	if (blocks_is_call(type)) {
		blocks_remember(b, call);
		speak_call(p, who, &call, yyjson_obj_get(block, "input"));
	} else if (is_result(type)) {
		blocks_result(b, p, who, block);
	} else {
		say_block(p, who, block);
	}
}
