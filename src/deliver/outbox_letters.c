/* outbox_letters.c - letters that begin, and what drafts become. */
#include <stdlib.h>

#include "base/put.h"
#include "deliver/attached.h"
#include "deliver/outbox_inside.h"
#include "deliver/payload.h"
#include "deliver/tell.h"

#define NAMES_MAX (8 * KIB)

/* ---- letters that begin ---- */

struct chunk_limit outbox_limit(const struct outbox *o, const struct outbox_line *line)
{
	struct chunk_limit limit = line ? line->kind->traits.limit
	                                : (struct chunk_limit){CHUNK_POINTS, CHUNK_MAX_CHARS, 0};
	size_t words = chunk_length(limit.unit, text_of(o->again)) + 1;

	limit.max -= limit.max > words + CHUNK_LEAST_CHARS ? words : 0;
	return limit;
}

struct chunk_limit outbox_room(const struct outbox *o, struct text account)
{
	return outbox_limit(o, o->options.find(o->options.self, account));
}

static void cut_text(struct text text, size_t max, struct buf *out)
{
	if (text.len <= max) {
		buf_add(out, text);
		return;
	}
	text.len = chunk_reach(CHUNK_BYTES, text, max - sizeof(PAYLOAD_CUT_NOTE));
	buf_add(out, text);
	buf_add(out, TEXT(PAYLOAD_CUT_NOTE));
}

/* The text of a wish, and the files that go with it; where a chat shows none, the text has their
 * names. */
static struct text write_text(const struct outbox_wish *wish, const struct outbox_line *line,
                              struct buf *out)
{
	struct text media = wish->more[LETTER_MEDIA];
	bool shows = line && line->kind->traits.can_media;
	struct buf names;

	buf_init(&names, NAMES_MAX);
	if (!shows && media.len)
		attached_put_names(media, wish->more[LETTER_VOICE].len > 0, &names);
	buf_init(out, OUTBOX_TEXT_MAX);
	cut_text(wish->text, OUTBOX_TEXT_MAX - names.len - 2, out);
	if (out->len && names.len)
		buf_add(out, TEXT("\n\n"));
	buf_add(out, buf_text(&names));
	buf_finish(&names);
	return shows ? media : TEXT("");
}

bool outbox_prepare(struct outbox *o, const struct outbox_wish *wish)
{
	struct outbox_line *line = o->options.find(o->options.self, wish->account);
	struct letter l = {.limit = outbox_limit(o, line)};
	const struct text words[LETTER_WORDS] = {
		[LETTER_ID] = wish->id,
		[LETTER_REQUEST] = wish->request,
		[LETTER_RUN] = wish->run,
		[LETTER_ACCOUNT] = wish->account,
		[LETTER_PEER] = wish->peer,
		[LETTER_THREAD] = wish->thread,
		[LETTER_REPLY_TO] = wish->reply_to,
		[LETTER_KIND] = text_of(wish->kind),
		[LETTER_CHANNEL] = line ? text_of(line->kind->name) : TEXT(""),
	};
	struct buf out, text;
	bool good;

	if (!outbox_has_room(o, wish))
		return false;
	for (unsigned i = 0; i < LETTER_WORDS; i++)
		letter_set(&l, (enum letter_word)i, words[i].len ? words[i] : wish->more[i]);
	letter_set(&l, LETTER_MEDIA, write_text(wish, line, &text));
	letter_set(&l, LETTER_TEXT, buf_text(&text));
	buf_finish(&text);
	deliver_begin(&out, "delivery.prepared");
	letter_put(&l, &out);
	good = deliver_tell(o->options.bus, &out);
	for (unsigned i = 0; i < LETTER_WORDS; i++)
		free(l.words[i]);
	return good;
}

bool outbox_retry(struct outbox *o, struct text id, struct error *why)
{
	const struct letter *l = custody_letter(o->options.custody, id);
	struct outbox_wish wish;
	struct buf again;
	bool good;

	if (!l || l->state != LETTER_FAILED)
		return error_set(why, "%s", l ? "it has not failed" : "there is no such delivery");
	if (!l->words[LETTER_TEXT] && !l->words[LETTER_MEDIA])
		return error_set(why, "its text is no longer kept");
	buf_init(&again, KIB);
	buf_print(&again, "%.*s~%llu", TEXT_ARG(id), (unsigned long long)l->seq);
	wish = (struct outbox_wish){
		.id = buf_text(&again),
		.request = letter_word(l, LETTER_REQUEST),
		.run = letter_word(l, LETTER_RUN),
		.account = letter_word(l, LETTER_ACCOUNT),
		.peer = letter_word(l, LETTER_PEER),
		.thread = letter_word(l, LETTER_THREAD),
		.reply_to = letter_word(l, LETTER_REPLY_TO),
		.text = letter_word(l, LETTER_TEXT),
		.kind = l->words[LETTER_KIND],
	};
	for (unsigned i = LETTER_PROMPT; i < LETTER_WORDS; i++)
		wish.more[i] = letter_word(l, (enum letter_word)i);
	good = outbox_prepare(o, &wish) || error_set(why, "it is not taken now");
	buf_finish(&again);
	return good;
}

/* ---- drafts ---- */

static struct letter *live_letter(const struct outbox *o, struct text id)
{
	struct letter *l = custody_letter(o->options.custody, id);

	return l && !letter_is_over(l) && letter_is_live(l) ? l : NULL;
}

static bool tell_text(struct outbox *o, struct letter *l, const char *type,
                      const struct outbox_wish *wish)
{
	const struct outbox_line *line =
		o->options.find(o->options.self, letter_word(l, LETTER_ACCOUNT));
	struct text media;
	struct buf out, text;

	outbox_begin_signal(l, type, &out);
	if (wish->kind)
		put_word(&out, "kind", wish->kind);
	media = write_text(wish, line, &text);
	put_text(&out, "text", buf_text(&text));
	if (media.len)
		put_text(&out, "media", media);
	if (media.len && wish->more[LETTER_VOICE].len)
		put_text(&out, "voice", wish->more[LETTER_VOICE]);
	buf_finish(&text);
	return deliver_tell(o->options.bus, &out);
}

bool outbox_grow(struct outbox *o, struct text id, struct text text)
{
	struct letter *l = live_letter(o, id);

	return l && tell_text(o, l, "delivery.grown", &(struct outbox_wish){.text = text});
}

bool outbox_finish(struct outbox *o, struct text id, const struct outbox_wish *wish)
{
	struct letter *l = live_letter(o, id);

	return l && tell_text(o, l, "delivery.finished", wish);
}

bool outbox_drop(struct outbox *o, struct text id)
{
	struct letter *l = live_letter(o, id);
	struct buf out;

	if (!l)
		return false;
	outbox_begin_signal(l, "delivery.dropped", &out);
	return deliver_tell(o->options.bus, &out);
}
