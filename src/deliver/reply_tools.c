/* reply_tools.c - the tools that a turn calls: named in its record, and told in a chat that wants
 * that, each behind what was said before it. */
#include "base/must.h"
#include "base/put.h"
#include "deliver/reply_inside.h"

#define WORDS_MAX (16 * KIB)

void reply_tool_begins(struct reply *r, struct text tool, yyjson_val *params)
{
	if (r->options.tells_tools && !r->news)
		r->news = must_zero(1, sizeof(*r->news));
	if (r->news)
		tool_news_begin(r->news, r->broker.call, tool, params);
	if (r->tools++ >= REPLY_TOOLS_MAX)
		return;
	tool.len = chunk_reach(CHUNK_BYTES, tool, REPLY_TOOL_NAME_MAX);
	put_object(&r->calls, NULL);
	put_text(&r->calls, "name", tool);
	put_end(&r->calls);
}

void reply_tool_ends(struct reply *r, struct text tool, yyjson_val *result, int64_t now_ms)
{
	bool is_full = r->options.tells_tools == REPLY_TELLS_RESULTS;
	struct tool_end end = {r->broker.call, tool, is_full ? result : NULL,
	                       r->broker.tool_failed};
	struct dispatch_item item = {.kind = DISPATCH_TOOL,
	                             .number = REPLY_TOOL_NUMBER + r->tools_told};
	struct payload payload = {0};
	struct buf words;

	if (!r->news || r->options.dispatch.normal.is_heartbeat)
		return;
	if (r->pipeline)
		pipeline_pause(r->pipeline);
	reply_take_blocks(r, now_ms);
	buf_init(&words, WORDS_MAX);
	tool_news_end(r->news, &end, &words);
	payload.text = buf_text(&words);
	item.payload = &payload;
	if (dispatch_enqueue(r->dispatch, &item, now_ms, NULL))
		r->tools_told++;
	buf_finish(&words);
}
