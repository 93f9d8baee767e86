/* outbox_leave.c - a piece of a letter as it leaves: a part of its text, or behind that a file.
 *
 * Bytes of a file are here before `delivery.started` is told of it, so that a piece that was
 * begun is one that could leave.  A file that does not come is told, and the others follow.
 */
#include <stdlib.h>

#include "base/log.h"
#include "base/must.h"
#include "base/put.h"
#include "deliver/attached.h"
#include "deliver/files.h"
#include "deliver/known.h"
#include "deliver/outbox_inside.h"
#include "deliver/pieces.h"

/* What an agent said is Markdown; what the box says is not. */
static bool is_reply(const struct letter *l)
{
	struct text kind = letter_word(l, LETTER_KIND);

	return text_is(kind, "block") || text_is(kind, "final") || text_is(kind, "draft") ||
	       text_is(kind, "stream");
}

struct channel_message outbox_message(const struct letter *l, struct text text)
{
	return (struct channel_message){
		.delivery = letter_word(l, LETTER_ID),
		.piece = l->accepted + 1,
		.peer = letter_word(l, LETTER_PEER),
		.thread = letter_word(l, LETTER_THREAD),
		.reply_to = l->accepted ? TEXT("") : letter_word(l, LETTER_REPLY_TO),
		.text = text,
		.message = letter_word(l, LETTER_EDITS),
		.stale = letter_word(l, LETTER_STALE),
		.is_plain = !is_reply(l),
	};
}

/* It is the new text of a message that is there; to say it twice changes nothing. */
bool outbox_is_edit(const struct letter *l, const struct outbox_line *line)
{
	return l->words[LETTER_EDITS] && line->kind->edit && l->accepted == 0;
}

/* ---- files ---- */

/* Pieces of text, with those of a draft that are too many: files have the numbers behind them. */
static unsigned text_pieces(struct letter *l)
{
	unsigned count = outbox_count(l);

	return count > l->drafts ? count : l->drafts;
}

unsigned outbox_total(struct letter *l)
{
	unsigned files = attached_count(letter_word(l, LETTER_MEDIA));

	return files ? text_pieces(l) + files : outbox_count(l);
}

unsigned outbox_text_messages(struct letter *l)
{
	return l->words[LETTER_MEDIA] ? text_pieces(l) : UINT_MAX;
}

bool outbox_is_file(struct letter *l)
{
	return l->words[LETTER_MEDIA] && l->accepted >= text_pieces(l);
}

static enum outbox_file find_file(const struct outbox *o, struct letter *l,
                                  struct channel_upload *file, struct error *why)
{
	unsigned number = l->accepted - text_pieces(l) + 1;

	error_set(why, "nothing is sent from here");
	return o->options.file ? o->options.file(o->options.self, l, number, file, why)
	                       : OUTBOX_FILE_MISSING;
}

void outbox_miss(const struct outbox *o, struct letter *l, const char *why)
{
	struct text list = letter_word(l, LETTER_MEDIA);
	struct channel_file file =
		attached_file(attached_get(list, l->accepted - text_pieces(l) + 1), false);
	struct buf out, words;

	buf_init(&words, KIB);
	files_put_shown(&file, &words);
	buf_print(&words, ": %.200s", why);
	log_warn("deliver", "a file of %s was not sent: %.*s", l->words[LETTER_ID],
	         TEXT_ARG(buf_text(&words)));
	outbox_begin_signal(l, "delivery.missed", &out);
	put_u64(&out, "piece", l->accepted + 1);
	put_text(&out, "why", buf_text(&words));
	buf_finish(&words);
	outbox_tell(o, l, &out);
}

/* Each of them is in memory while it leaves. */
static bool are_enough_out(const struct outbox *o)
{
	unsigned count = 0;

	list_each(custody_letters(o->options.custody), l) {
		struct letter *one = list_of(l, struct letter, in_all);

		count += one->state == LETTER_STARTED && outbox_is_file(one);
	}
	return count >= OUTBOX_FILES_MAX;
}

bool outbox_is_here(const struct outbox *o, struct letter *l, int64_t now_ms)
{
	struct channel_upload file = {0};
	struct error why;

	if (!outbox_is_file(l))
		return true;
	if (l->state != LETTER_STARTED && are_enough_out(o)) {
		l->due_ms = now_ms + OUTBOX_AWAY_MS;
		return false;
	}
	switch (find_file(o, l, &file, &why)) {
	case OUTBOX_FILE_HERE:
		free(file.path);
		return true;
	case OUTBOX_FILE_COMES:
		l->due_ms = now_ms + OUTBOX_AWAY_MS;
		return false;
	case OUTBOX_FILE_MISSING:
		break;
	}
	outbox_miss(o, l, why.words);
	return false;
}

bool outbox_is_in_vain(struct letter *l)
{
	return l->words[LETTER_MISSED] && !text_pieces(l) &&
	       attached_count(letter_word(l, LETTER_MISSED)) >= outbox_total(l);
}

/* ---- leaving ---- */

/* Its text as it leaves. */
static void write_out(const struct outbox *o, const struct letter *l, struct buf *out)
{
	struct text text = letter_word(l, LETTER_TEXT), mark = TEXT(OUTBOX_CODE_MARK);
	const char *at = letter_is(l, "pairing") && o->options.codes.key
	                         ? memmem(text.at, text.len, mark.at, mark.len)
	                         : NULL;
	char code[KNOWN_CODE_LEN + 1];

	buf_add(out, text);
	if (!at)
		return;
	known_code(o->options.codes.key, letter_word(l, LETTER_REQUEST), code);
	memcpy(out->at + (at - text.at), code, KNOWN_CODE_LEN);
}

/* The words that it may come twice stand before a text, and are the caption of a file. */
static void put_again(const struct outbox *o, const struct letter *l,
                      const struct outbox_line *line, struct buf *words)
{
	if (l->tries <= 1 || outbox_is_edit(l, line))
		return;
	buf_add(words, text_of(o->again));
	buf_add_char(words, '\n');
}

static void leave_by(const struct outbox_line *line, struct letter *l,
                     const struct channel_message *message)
{
	l->is_out = true;
	l->is_open = message->grows;
	if (outbox_is_edit(l, line))
		line->kind->edit(line->channel, message);
	else
		line->kind->send(line->channel, message);
}

static void send_text(struct outbox *o, struct letter *l, const struct outbox_line *line)
{
	struct channel_message message;
	struct buttons buttons;
	struct buf whole, piece, words;

	buf_init(&piece, 2 * OUTBOX_TEXT_MAX);
	buf_init(&words, 2 * OUTBOX_TEXT_MAX);
	buf_init(&whole, 2 * OUTBOX_TEXT_MAX);
	write_out(o, l, &whole);
	pieces_cut(&l->limit, buf_text(&whole), l->accepted + 1, &piece);
	outbox_show(l, l->accepted + 1, buf_text(&piece));
	put_again(o, l, line, &words);
	buf_add(&words, buf_text(&piece));
	message = outbox_message(l, buf_text(&words));
	buttons_init(&buttons, l, &o->options.codes);
	message.buttons = buttons.at;
	message.button_count = buttons.count;
	message.grows = letter_is(l, "stream") && line->kind->traits.can_stream;
	leave_by(line, l, &message);
	buttons_finish(&buttons);
	buf_finish(&words);
	buf_finish(&piece);
	buf_finish(&whole);
}

/* False: it is not here any more. */
static bool send_file(struct outbox *o, struct letter *l, const struct outbox_line *line)
{
	struct channel_upload file = {0};
	struct channel_message message;
	struct error why;
	struct buf words;

	if (find_file(o, l, &file, &why) != OUTBOX_FILE_HERE)
		return false;
	buf_init(&words, 4 * KIB);
	put_again(o, l, line, &words);
	message = outbox_message(l, text_trim(buf_text(&words)));
	message.file = &file;
	message.is_plain = true;
	leave_by(line, l, &message);
	buf_finish(&words);
	free(file.path);
	return true;
}

void outbox_send_piece(struct outbox *o, struct letter *l, const struct outbox_line *line,
                       int64_t now_ms)
{
	l->due_ms = now_ms + OUTBOX_SEND_MS;
	if (!outbox_is_file(l))
		send_text(o, l, line);
	else if (!send_file(o, l, line))
		l->due_ms = now_ms + OUTBOX_AWAY_MS;
}
