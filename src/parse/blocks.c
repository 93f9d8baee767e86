/* blocks.c - content blocks into signals.
 *
 * Words and thoughts are passed on as they come.  The input of a call arrives in
 * pieces: each is shown as it comes, and the call itself is told once, when its
 * block stops.  Blocks and deltas of unknown kinds are left out: that is what the
 * API's versioning asks of its readers.
 */
#include "parse/blocks.h"

#include <stdlib.h>

#include "base/text.h"
#include "signal/json.h"

/* With its envelope it must fit into what the bus takes. */
#define INPUT_MAX (960 * KIB)

#define RESULT_ENDING "_tool_result"

static struct text text_at(yyjson_val *object, const char *key)
{
	return json_text(yyjson_obj_get(object, key));
}

static bool ends_with(struct text t, struct text ending)
{
	return t.len >= ending.len && memcmp(t.at + t.len - ending.len, ending.at, ending.len) == 0;
}

/* --- calls ----------------------------------------------------------------------- */

static void call_finish(struct blocks_call *call)
{
	free(call->id);
	free(call->name);
	free(call->server);
	*call = (struct blocks_call){0};
}

static struct blocks_call call_copy(const struct call *call)
{
	return (struct blocks_call){text_dup(call->id), text_dup(call->name),
	                            text_dup(call->server)};
}

static struct call call_of(const struct blocks_call *call)
{
	return (struct call){text_of(call->id), text_of(call->name), text_of(call->server)};
}

static struct call read_call(yyjson_val *block)
{
	return (struct call){
		.id = text_at(block, "id"),
		.name = text_at(block, "name"),
		.server = text_at(block, "server_name"),
	};
}

static void remember(struct blocks *b, const struct call *call)
{
	struct blocks_call *slot = &b->calls[b->next_call++ % BLOCKS_CALLS_MAX];

	call_finish(slot);
	*slot = call_copy(call);
}

static struct call recall(const struct blocks *b, struct text id)
{
	for (unsigned i = 0; i < BLOCKS_CALLS_MAX && id.len; i++)
		if (b->calls[i].id && text_is(id, b->calls[i].id))
			return call_of(&b->calls[i]);
	return (struct call){.id = id};
}

static bool is_call(struct text type)
{
	return text_is(type, "tool_use") || text_is(type, "server_tool_use") ||
	       text_is(type, "mcp_tool_use");
}

static bool is_result(struct text type)
{
	return text_is(type, "tool_result") || ends_with(type, TEXT(RESULT_ENDING));
}

/* --- open blocks ----------------------------------------------------------------- */

static struct block *find_open(struct blocks *b, yyjson_val *event)
{
	uint64_t index = speak_count(event, "index");

	for (unsigned i = 0; i < b->open_count; i++)
		if (b->open[i].index == index)
			return &b->open[i];
	return NULL;
}

static void close_block(struct blocks *b, struct block *block)
{
	call_finish(&block->call);
	buf_finish(&block->input);
	*block = b->open[--b->open_count];
}

static void add_whole_input(struct block *block, yyjson_val *input)
{
	size_t len;
	char *json;

	if (!input || (yyjson_is_obj(input) && yyjson_obj_size(input) == 0))
		return;
	json = yyjson_val_write(input, YYJSON_WRITE_NOFLAG, &len);
	if (json)
		buf_add(&block->input, (struct text){json, len});
	block->came_whole = json != NULL;
	free(json);
}

static void open_block(struct blocks *b, struct parse *p, yyjson_val *event, yyjson_val *content)
{
	struct block *block = find_open(b, event);
	struct call call = read_call(content);

	if (block)
		close_block(b, block);
	if (b->open_count == BLOCKS_OPEN_MAX) {
		parse_bad(p, "more than %d calls at once", BLOCKS_OPEN_MAX);
		return;
	}
	block = &b->open[b->open_count++];
	*block = (struct block){.index = speak_count(event, "index"), .call = call_copy(&call)};
	buf_init(&block->input, INPUT_MAX);
	add_whole_input(block, yyjson_obj_get(content, "input"));
}

void blocks_forget_open(struct blocks *b)
{
	while (b->open_count)
		close_block(b, &b->open[b->open_count - 1]);
}

void blocks_finish(struct blocks *b)
{
	blocks_forget_open(b);
	for (unsigned i = 0; i < BLOCKS_CALLS_MAX; i++)
		call_finish(&b->calls[i]);
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
	make_text(p, "content", TEXT(""));
	make_metadata(p);
	make_bool(p, "redacted", true);
	make_end(p);
}

/* The words that a block begins with, or has when it comes whole. */
static void say_block(struct parse *p, const struct speaker *who, yyjson_val *block)
{
	struct text type = text_at(block, "type");

	if (text_is(type, "text"))
		say_given(p, who, "text_delta", text_at(block, "text"));
	else if (text_is(type, "thinking"))
		say_given(p, who, "thinking", text_at(block, "thinking"));
	else if (text_is(type, "redacted_thinking"))
		say_redacted(p, who);
}

/* --- results --------------------------------------------------------------------- */

static bool has_failed(yyjson_val *block)
{
	yyjson_val *content = yyjson_obj_get(block, "content");

	return yyjson_get_bool(yyjson_obj_get(block, "is_error")) ||
	       ends_with(text_at(content, "type"), TEXT("_error"));
}

void blocks_result(struct blocks *b, struct parse *p, const struct speaker *who, yyjson_val *block)
{
	struct text type = text_at(block, "type");
	struct call call = recall(b, text_at(block, "tool_use_id"));

	/* web_search_tool_result is the result of web_search, whoever called it. */
	if (call.name.len == 0 && ends_with(type, TEXT(RESULT_ENDING)))
		call.name = (struct text){type.at, type.len - strlen(RESULT_ENDING)};
	speak_result(p, who, &call, !has_failed(block), yyjson_obj_get(block, "content"));
}

/* --- events ---------------------------------------------------------------------- */

void blocks_start(struct blocks *b, struct parse *p, const struct speaker *who, yyjson_val *event)
{
	yyjson_val *content = yyjson_obj_get(event, "content_block");
	struct text type = text_at(content, "type");

	if (is_call(type))
		open_block(b, p, event, content);
	else if (is_result(type))
		blocks_result(b, p, who, content);
	else
		say_block(p, who, content);
}

static void grow_input(struct blocks *b, struct parse *p, const struct speaker *who,
                       yyjson_val *event)
{
	struct block *block = find_open(b, event);
	struct text piece = text_at(yyjson_obj_get(event, "delta"), "partial_json");
	struct call call;

	if (!block || piece.len == 0)
		return;
	if (block->came_whole)
		buf_clear(&block->input);
	block->came_whole = false;
	if (!block->input.full && !buf_add(&block->input, piece))
		parse_bad(p, "the input of a call is longer than %zu bytes", INPUT_MAX);
	call = call_of(&block->call);
	speak_call_piece(p, who, &call, piece);
}

void blocks_grow(struct blocks *b, struct parse *p, const struct speaker *who, yyjson_val *event)
{
	yyjson_val *delta = yyjson_obj_get(event, "delta");
	struct text type = text_at(delta, "type");

	if (text_is(type, "text_delta"))
		speak_words(p, who, "text_delta", text_at(delta, "text"));
	else if (text_is(type, "thinking_delta"))
		speak_words(p, who, "thinking", text_at(delta, "thinking"));
	else if (text_is(type, "input_json_delta"))
		grow_input(b, p, who, event);
}

void blocks_stop(struct blocks *b, struct parse *p, const struct speaker *who, yyjson_val *event)
{
	struct block *block = find_open(b, event);
	struct call call;

	if (!block)
		return;
	call = call_of(&block->call);
	remember(b, &call);
	if (block->input.full)
		speak_call(p, who, &call, NULL);
	else
		speak_joined_call(p, who, &call, buf_text(&block->input));
	close_block(b, block);
}

void blocks_whole(struct blocks *b, struct parse *p, const struct speaker *who, yyjson_val *block)
{
	struct text type = text_at(block, "type");
	struct call call = read_call(block);

	if (is_call(type)) {
		remember(b, &call);
		speak_call(p, who, &call, yyjson_obj_get(block, "input"));
	} else if (is_result(type)) {
		blocks_result(b, p, who, block);
	} else {
		say_block(p, who, block);
	}
}
