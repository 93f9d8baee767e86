/* outbox_stream.c - a letter that grows while it is sent.
 *
 * `delivery.started` is told before its first words leave, and its whole text is on the disk before
 * its end does.  One that is lost in between has failed: whoever has the text sends it anew.
 */
#include "deliver/outbox_stream.h"

#include "deliver/outbox_inside.h"

/* The chat is another channel's since it began: nobody knows how much of it is there. */
static void lose(struct outbox *o, struct letter *l, int64_t now_ms)
{
	l->is_open = false;
	l->due_ms = now_ms;
	outbox_stir_chat(o, l->chat);
}

bool outbox_say(struct outbox *o, struct text id, struct text text, int64_t now_ms)
{
	struct letter *l = custody_letter(o->options.custody, id);
	struct outbox_line *line =
		l ? o->options.find(o->options.self, letter_word(l, LETTER_ACCOUNT)) : NULL;
	struct channel_message message;

	if (!line || !line->channel || !letter_is(l, "stream") || !l->is_out || !l->is_open)
		return true;
	if (!line->kind->stream) {
		lose(o, l, now_ms);
		return true;
	}
	l->due_ms = now_ms + OUTBOX_SEND_MS;
	message = outbox_message(l, text);
	return line->kind->stream(line->channel, &message, CHANNEL_SAYS);
}

void outbox_break(struct outbox *o, struct text id)
{
	struct letter *l = custody_letter(o->options.custody, id);

	if (l)
		l->is_broken = true;
}

void outbox_end_stream(struct outbox *o, struct letter *l, const struct outbox_line *line,
                       int64_t now_ms)
{
	struct channel_message message;

	if (l->seq > custody_durable(o->options.custody))
		return;
	if (!line->kind->stream) {
		lose(o, l, now_ms);
		return;
	}
	l->is_open = false;
	l->count = 1; /* all of it is this message */
	l->due_ms = now_ms + OUTBOX_SEND_MS;
	message = outbox_message(l, letter_word(l, LETTER_TEXT));
	line->kind->stream(line->channel, &message, l->is_broken ? CHANNEL_BREAKS : CHANNEL_ENDS);
}
