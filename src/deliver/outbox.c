/* outbox.c - letters from prepared to delivered. */
#include "deliver/outbox.h"

#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "deliver/tell.h"

#define CUT_NOTE "\n(the rest was left out: it is too long)"

struct outbox {
	struct outbox_options options;
	char *again;
	uint64_t began_seq; /* what is older is of another life */
	bool is_working, has_more;
};

struct outbox *outbox_create(const struct outbox_options *options)
{
	struct outbox *o = must_zero(1, sizeof(*o));

	o->options = *options;
	o->again = must_dup(options->again);
	o->began_seq = custody_durable(options->custody);
	list_each(custody_letters(options->custody), l) {
		const struct letter *letter = list_of(l, struct letter, in_all);

		if (letter->seq > o->began_seq)
			o->began_seq = letter->seq;
	}
	return o;
}

void outbox_destroy(struct outbox *o)
{
	if (!o)
		return;
	free(o->again);
	free(o);
}

void outbox_set_again(struct outbox *o, const char *again)
{
	free(o->again);
	o->again = must_dup(again);
}

/* ---- signals ---- */

static void begin_signal(const struct letter *l, const char *type, struct buf *out)
{
	deliver_begin(out, type);
	put_text(out, "delivery", letter_word(l, LETTER_ID));
	put_text(out, "request", letter_word(l, LETTER_REQUEST));
}

/* Until it is heard again, nothing else is told of it. */
static void tell_letter(const struct outbox *o, struct letter *l, struct buf *out)
{
	l->is_telling = true;
	if (!deliver_tell(o->options.bus, out))
		l->is_telling = false;
}

static void tell_piece(const struct outbox *o, struct letter *l, const char *type, struct text id)
{
	struct buf out;

	begin_signal(l, type, &out);
	put_u64(&out, "piece", l->accepted + 1);
	if (id.len)
		put_text(&out, "message", id);
	tell_letter(o, l, &out);
}

static void tell_words(const struct outbox *o, struct letter *l, const char *type, const char *why)
{
	struct buf out;

	begin_signal(l, type, &out);
	if (why)
		put_word(&out, "why", why);
	tell_letter(o, l, &out);
}

/* ---- pieces ---- */

/* The piece with this number, from 1 on, is copied; how many there are. */
static unsigned cut_letter(const struct letter *l, unsigned number, struct buf *piece)
{
	struct chunk_wish whole = {.min_chars = l->limit.max / 2, .max_chars = l->limit.max};
	struct chunk_options options;
	struct chunk_piece one;
	struct chunker *chunker;
	unsigned count = 0;

	chunk_resolve(&options, &l->limit, NULL, NULL, &whole);
	chunker = chunker_create(&options);
	chunk_add(chunker, letter_word(l, LETTER_TEXT));
	chunk_flush(chunker);
	while (chunk_take(chunker, &one))
		if (++count == number)
			buf_add(piece, one.text);
	chunker_destroy(chunker);
	return count;
}

static struct channel_message message_of(const struct letter *l, struct text text)
{
	return (struct channel_message){
		.delivery = letter_word(l, LETTER_ID),
		.piece = l->accepted + 1,
		.peer = letter_word(l, LETTER_PEER),
		.thread = letter_word(l, LETTER_THREAD),
		.reply_to = l->accepted ? TEXT("") : letter_word(l, LETTER_REPLY_TO),
		.text = text,
	};
}

/* ---- leaving ---- */

static void send_piece(struct outbox *o, struct letter *l, const struct outbox_line *line,
                       int64_t now_ms)
{
	struct channel_message message;
	struct buf piece;

	buf_init(&piece, 2 * OUTBOX_TEXT_MAX);
	if (l->tries > 1) {
		buf_add(&piece, text_of(o->again));
		buf_add_char(&piece, '\n');
	}
	cut_letter(l, l->accepted + 1, &piece);
	message = message_of(l, buf_text(&piece));
	l->is_out = true;
	l->due_ms = now_ms + OUTBOX_SEND_MS;
	line->kind->send(line->channel, &message);
	buf_finish(&piece);
}

/* Of a piece that the last life began: is it there? */
static void look_for(struct letter *l, const struct outbox_line *line, int64_t now_ms)
{
	struct channel_message message = message_of(l, TEXT(""));

	l->is_out = true;
	l->due_ms = now_ms + OUTBOX_SEND_MS;
	line->kind->look(line->channel, &message);
}

static void go_on_started(struct outbox *o, struct letter *l, const struct outbox_line *line,
                          int64_t now_ms)
{
	bool is_old = l->seq <= o->began_seq;

	if (l->is_out && now_ms >= l->due_ms) {
		l->is_out = false;
		tell_piece(o, l, "delivery.unknown", TEXT(""));
	} else if (l->is_out || l->seq > custody_durable(o->options.custody)) {
		return;
	} else if (!is_old) {
		send_piece(o, l, line, now_ms);
	} else if (line->kind->traits.can_recognise) {
		look_for(l, line, now_ms);
	} else {
		tell_piece(o, l, "delivery.unknown", TEXT(""));
	}
}

static void start_piece(struct outbox *o, struct letter *l)
{
	struct buf none;
	unsigned count;

	buf_init(&none, OUTBOX_TEXT_MAX);
	count = cut_letter(l, 0, &none);
	buf_finish(&none);
	if (l->accepted >= count)
		tell_words(o, l, "delivery.delivered", NULL);
	else
		tell_piece(o, l, "delivery.started", TEXT(""));
}

static void go_on_unknown(struct outbox *o, struct letter *l, const struct outbox_line *line)
{
	bool is_block = text_is(letter_word(l, LETTER_KIND), "block");

	if (line->leaves_unknown || is_block || l->tries > 1)
		tell_words(o, l, "delivery.failed", "nobody knows whether it arrived");
	else
		tell_piece(o, l, "delivery.started", TEXT(""));
}

/* The limits of its platform let something go to its chat now. */
static bool is_ready(const struct letter *l, const struct outbox_line *line, int64_t now_ms)
{
	struct channel_message where = message_of(l, TEXT(""));

	return !line->kind->ready || line->kind->ready(line->channel, &where, now_ms) <= now_ms;
}

static void work_letter(struct outbox *o, struct letter *l, struct outbox_line *line,
                        int64_t now_ms)
{
	double wall_ms = (double)o->options.wall_ms();

	if (l->is_telling)
		return;
	if (!l->is_out && wall_ms - l->at_ms > OUTBOX_DAY_MS) {
		tell_words(o, l, "delivery.failed", "it could not be delivered for a day");
		return;
	}
	if (!line || !line->channel) {
		if (l->state != LETTER_QUEUED && l->state != LETTER_STARTED)
			tell_words(o, l, "delivery.queued", "its channel is not there");
		return;
	}
	if (l->state == LETTER_STARTED)
		go_on_started(o, l, line, now_ms);
	else if (now_ms < line->away_until_ms || l->seq > custody_durable(o->options.custody) ||
	         !is_ready(l, line, now_ms))
		return;
	else if (l->state == LETTER_UNKNOWN)
		go_on_unknown(o, l, line);
	else
		start_piece(o, l);
}

static void work_once(struct outbox *o, int64_t now_ms)
{
	const struct outbox_options *p = &o->options;

	o->has_more = false;
	list_each(custody_letters(p->custody), l) {
		struct outbox_line *line = p->find(
			p->self, letter_word(list_of(l, struct letter, in_all), LETTER_ACCOUNT));

		if (line)
			line->is_busy = false;
	}
	list_each(custody_letters(p->custody), l) {
		struct letter *letter = list_of(l, struct letter, in_all);
		struct outbox_line *line = p->find(p->self, letter_word(letter, LETTER_ACCOUNT));

		if (line && line->is_busy)
			continue;
		if (line)
			line->is_busy = true;
		work_letter(o, letter, line, now_ms);
	}
}

/* Whatever is answered from inside a send is seen in another round. */
void outbox_work(struct outbox *o, int64_t now_ms)
{
	if (o->is_working) {
		o->has_more = true;
		return;
	}
	o->is_working = true;
	do
		work_once(o, now_ms);
	while (o->has_more);
	o->is_working = false;
}

int64_t outbox_due(const struct outbox *o, int64_t now_ms)
{
	int64_t due = INT64_MAX;

	list_each(custody_letters(o->options.custody), l) {
		const struct letter *letter = list_of(l, struct letter, in_all);
		int64_t own = letter->is_out ? letter->due_ms : now_ms + OUTBOX_AWAY_MS;

		if (own < due)
			due = own;
	}
	return due;
}

/* ---- what channels answer ---- */

static void note_away(struct outbox *o, struct letter *l, const char *why, int64_t now_ms)
{
	struct outbox_line *line = o->options.find(o->options.self, letter_word(l, LETTER_ACCOUNT));

	if (line) {
		line->away_ms = line->away_ms ? 2 * line->away_ms : OUTBOX_AWAY_MS;
		if (line->away_ms > OUTBOX_AWAY_MOST_MS)
			line->away_ms = OUTBOX_AWAY_MOST_MS;
		line->away_until_ms = now_ms + line->away_ms;
	}
	tell_words(o, l, "delivery.queued", why);
}

static void note_accepted(struct outbox *o, struct letter *l, struct text id)
{
	struct outbox_line *line = o->options.find(o->options.self, letter_word(l, LETTER_ACCOUNT));

	if (line)
		line->away_ms = 0;
	tell_piece(o, l, "delivery.accepted", id);
}

void outbox_answered(struct outbox *o, const struct channel_result *result, int64_t now_ms)
{
	struct letter *l = custody_letter(o->options.custody, result->delivery);
	const char *why = result->why ? result->why->words : "the channel did not say why";

	if (!l || !l->is_out || l->state != LETTER_STARTED || result->piece != l->accepted + 1)
		return;
	l->is_out = false;
	switch (result->answer) {
	case CHANNEL_ACCEPTED:
		note_accepted(o, l, result->message);
		break;
	case CHANNEL_REFUSED:
		tell_words(o, l, "delivery.failed", why);
		break;
	case CHANNEL_AWAY:
	case CHANNEL_ABSENT: /* it did not leave in the other life: it does now */
		note_away(o, l, why,
		          result->answer == CHANNEL_ABSENT ? now_ms - OUTBOX_AWAY_MOST_MS : now_ms);
		break;
	case CHANNEL_LATER:
		tell_words(o, l, "delivery.queued", why);
		break;
	case CHANNEL_UNKNOWN:
		tell_piece(o, l, "delivery.unknown", TEXT(""));
	}
	outbox_work(o, now_ms);
}

void outbox_give_up(struct outbox *o, struct text id)
{
	struct letter *l = custody_letter(o->options.custody, id);

	if (!l || letter_is_over(l) || l->is_telling)
		return;
	if (l->is_out) {
		l->is_out = false;
		tell_piece(o, l, "delivery.unknown", TEXT(""));
	} else {
		tell_words(o, l, "delivery.failed", "it was given up");
	}
}

/* ---- letters that begin ---- */

static struct chunk_limit limit_of(const struct outbox *o, const struct outbox_line *line)
{
	struct chunk_limit limit = line ? line->kind->traits.limit
	                                : (struct chunk_limit){CHUNK_POINTS, CHUNK_MAX_CHARS, 0};
	size_t words = chunk_length(limit.unit, text_of(o->again)) + 1;

	limit.max -= limit.max > words + CHUNK_LEAST_CHARS ? words : 0;
	return limit;
}

static void add_text(struct letter *l, struct text text)
{
	struct buf cut;

	if (text.len <= OUTBOX_TEXT_MAX) {
		letter_set(l, LETTER_TEXT, text);
		return;
	}
	text.len = chunk_reach(CHUNK_BYTES, text, OUTBOX_TEXT_MAX - sizeof(CUT_NOTE));
	buf_init(&cut, OUTBOX_TEXT_MAX);
	buf_add(&cut, text);
	buf_add(&cut, TEXT(CUT_NOTE));
	letter_set(l, LETTER_TEXT, buf_text(&cut));
	buf_finish(&cut);
}

bool outbox_prepare(struct outbox *o, const struct outbox_wish *wish)
{
	struct outbox_line *line = o->options.find(o->options.self, wish->account);
	struct letter l = {.limit = limit_of(o, line)};
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
	struct buf out;
	bool good;

	if (custody_open_count(o->options.custody) >= OUTBOX_WAITING_MAX)
		return false;
	for (unsigned i = 0; i < LETTER_WORDS; i++)
		letter_set(&l, (enum letter_word)i, words[i]);
	add_text(&l, wish->text);
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
	if (!l->words[LETTER_TEXT])
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
	good = outbox_prepare(o, &wish) || error_set(why, "it is not taken now");
	buf_finish(&again);
	return good;
}
