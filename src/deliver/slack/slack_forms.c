/* slack_forms.c - what the calls to Slack ask. */
#include "deliver/slack/slack_call.h"

#include <stdio.h>

#include "base/put.h"

#define BLOCKS_MAX (512 * KIB)
#define SKEW_S 3600 /* between Slack's clock and ours */
#define PAGE "200"  /* messages of a history at a time */
#define STATUS "is typing..."

const char *slack_method_name(enum slack_method method)
{
	static const char *const names[] = {
		[SLACK_POST] = "chat.postMessage",
		[SLACK_UPDATE] = "chat.update",
		[SLACK_DELETE] = "chat.delete",
		[SLACK_HISTORY] = "conversations.history",
		[SLACK_REPLIES] = "conversations.replies",
		[SLACK_STATUS] = "assistant.threads.setStatus",
		[SLACK_HOOK] = "",
		[SLACK_PLACE] = "files.getUploadURLExternal",
		[SLACK_BYTES] = "",
		[SLACK_SHARE] = "files.completeUploadExternal",
	};

	return names[method];
}

/* Names and groups are not looked for in it, and links have no preview. */
static void put_said(const struct slack_call *c, struct buf *form)
{
	struct slack_shape shape = {.delivery = text_of(c->call.delivery),
	                            .text = text_of(c->text),
	                            .actions = text_of(c->actions),
	                            .piece = c->call.piece,
	                            .edit = c->call.act == CHANNEL_EDIT ? c->chat->edit_count : 0,
	                            .is_plain = c->is_plain};
	struct buf blocks, text;

	buf_init(&blocks, BLOCKS_MAX);
	buf_init(&text, BLOCKS_MAX);
	slack_put_blocks(&shape, &blocks, &text);
	slack_put_form(form, "text", buf_text(&text));
	slack_put_form(form, "blocks", buf_text(&blocks));
	slack_put_form(form, "parse", TEXT("none"));
	if (c->method == SLACK_POST) {
		slack_put_form(form, "link_names", TEXT("false"));
		slack_put_form(form, "unfurl_links", TEXT("false"));
		slack_put_form(form, "unfurl_media", TEXT("false"));
	}
	buf_finish(&blocks);
	buf_finish(&text);
}

static void put_history(const struct slack_call *c, struct buf *form)
{
	double since = c->since_ms / 1000 - SKEW_S;
	char oldest[SLACK_ID_MAX];

	snprintf(oldest, sizeof(oldest), "%lld.000000", since > 0 ? (long long)since : 0LL);
	slack_put_form(form, "oldest", text_of(oldest));
	slack_put_form(form, "limit", TEXT(PAGE));
	if (c->cursor)
		slack_put_form(form, "cursor", text_of(c->cursor));
	if (c->method == SLACK_REPLIES)
		slack_put_form(form, "ts", text_of(c->thread));
}

static void put_hook(const struct slack_call *c, struct buf *body)
{
	put_object(body, NULL);
	put_word(body, "response_type", "ephemeral");
	put_bool(body, "replace_original", false);
	put_word(body, "text", c->text);
	put_end(body);
}

void slack_put_call(const struct slack_call *c, struct buf *form)
{
	if (c->method == SLACK_HOOK) {
		put_hook(c, form);
		return;
	}
	slack_put_form(form, c->method == SLACK_STATUS ? "channel_id" : "channel",
	               text_of(c->peer));
	if (c->method == SLACK_UPDATE || c->method == SLACK_DELETE)
		slack_put_form(form, "ts", text_of(c->message));
	if (c->thread && (c->method == SLACK_POST || c->method == SLACK_STATUS))
		slack_put_form(form, "thread_ts", text_of(c->thread));
	if (c->method == SLACK_STATUS)
		slack_put_form(form, "status", c->text ? TEXT(STATUS) : TEXT(""));
	if (c->method == SLACK_POST || c->method == SLACK_UPDATE)
		put_said(c, form);
	if (c->method == SLACK_HISTORY || c->method == SLACK_REPLIES)
		put_history(c, form);
}
