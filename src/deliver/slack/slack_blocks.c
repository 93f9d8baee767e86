/* slack_blocks.c - a message as Slack takes it: blocks, buttons, forms. */
#include "deliver/slack/slack.h"

#include <stdio.h>

#include "base/put.h"

#define MARK_MAX 255 /* of block_id */
#define ROW_MAX 25   /* buttons of one block */

struct slack_layout {
	const struct slack_shape *shape;
	struct buf *blocks, *text;
	unsigned count;
};

static void put_mark(const struct slack_layout *s, struct buf *out)
{
	char mark[MARK_MAX + 1];

	snprintf(mark, sizeof(mark), "%.*s/%u/%u/%llu", TEXT_ARG(s->shape->delivery),
	         s->shape->piece, s->count, (unsigned long long)s->shape->edit);
	put_word(out, "block_id", mark);
}

static void put_section(void *self, struct text block)
{
	struct slack_layout *s = self;
	bool is_plain = s->shape->is_plain;

	put_object(s->blocks, NULL);
	put_word(s->blocks, "type", "section");
	put_mark(s, s->blocks);
	put_bool(s->blocks, "expand", true);
	put_object(s->blocks, "text");
	put_word(s->blocks, "type", is_plain ? "plain_text" : "mrkdwn");
	put_text(s->blocks, "text", block);
	put_bool(s->blocks, is_plain ? "emoji" : "verbatim", !is_plain);
	put_end(s->blocks);
	put_end(s->blocks);
	if (s->count++)
		buf_add_char(s->text, '\n');
	if (is_plain)
		slack_put_escaped(block, s->text);
	else
		buf_add(s->text, block);
}

void slack_put_blocks(const struct slack_shape *shape, struct buf *blocks, struct buf *text)
{
	struct slack_layout s = {.shape = shape, .blocks = blocks, .text = text};

	put_list(blocks, NULL);
	slack_cut_blocks(shape->text, shape->is_plain, put_section, &s);
	if (shape->actions.len)
		put_json(blocks, NULL, shape->actions);
	put_list_end(blocks);
}

static void put_button(const struct channel_button *b, struct buf *out)
{
	struct text label = b->label;

	label.len = chunk_reach(CHUNK_UTF16, label, SLACK_LABEL_MAX);
	put_object(out, NULL);
	put_word(out, "type", "button");
	put_text(out, "action_id", b->value);
	put_text(out, "value", b->value);
	put_object(out, "text");
	put_word(out, "type", "plain_text");
	put_text(out, "text", label.len ? label : TEXT("-"));
	put_bool(out, "emoji", false);
	put_end(out);
	put_end(out);
}

void slack_put_actions(const struct channel_button *buttons, unsigned count, struct buf *out)
{
	if (!count)
		return;
	put_object(out, NULL);
	put_word(out, "type", "actions");
	put_list(out, "elements");
	for (unsigned i = 0; i < count && i < ROW_MAX; i++)
		put_button(&buttons[i], out);
	put_list_end(out);
	put_end(out);
}

void slack_put_form(struct buf *out, const char *name, struct text value)
{
	static const char hex[] = "0123456789ABCDEF";

	if (out->len)
		buf_add_char(out, '&');
	buf_print(out, "%s=", name);
	for (size_t i = 0; i < value.len; i++) {
		unsigned char c = (unsigned char)value.at[i];
		bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
		                (c >= 'A' && c <= 'Z') || c == '-' || c == '.' || c == '_';

		if (is_plain) {
			buf_add_char(out, (char)c);
			continue;
		}
		buf_add_char(out, '%');
		buf_add_char(out, hex[c >> 4]);
		buf_add_char(out, hex[c & 15]);
	}
}
