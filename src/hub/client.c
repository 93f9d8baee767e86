/* client.c - what a client is told, and when.
 *
 * The one rule that everything here keeps: a frame, once begun, is finished
 * before anything else is sent.
 */
#include "hub/client.h"

#include <assert.h>

#include "base/log.h"
#include "base/utf8.h"
#include "hub/acks.h"
#include "hub/inside.h"
#include "hub/person.h"
#include "hub/subscription.h"
#include "journal/reader.h"
#include "net/account.h"

/* Answers, and besides them a frame that was begun and a line that was read. */
static size_t mine_max(const struct client *c)
{
	const struct encoding *e = client_dialect(c)->encoding;
	size_t line = c->hub->options.ws.message_max + HUB_ENVELOPE_MAX;

	return HUB_MINE_MAX + 2 * (e ? encoding_most(e, line) : line);
}

void client_make_room(struct client *c, size_t more)
{
	c->mine.max = mine_max(c) + more;
}

const struct hub_options *client_options(const struct client *c)
{
	return &c->hub->options;
}

void *client_of_dialect(const struct client *c)
{
	return c->spoken->of;
}

void client_count_gap(struct client *c)
{
	c->hub->counts.gaps++;
}

void client_count_behind(struct client *c)
{
	c->hub->counts.fell_behind++;
}

struct client *client_create(struct hub *hub, const struct spoken *spoken,
                             const struct caller *caller, struct account *account)
{
	struct client *c = pool_take(&hub->pool);

	c->hub = hub;
	c->spoken = spoken;
	c->account = account;
	account->connections++;
	c->scopes = (uint8_t)caller->scopes;
	c->has_credential = caller->has_credential;
	c->progress = true;
	client_meet(c, caller);
	buf_init(&c->mine, mine_max(c));
	ws_init(&c->ws, client_is_stranger(c) ? &hub->strangers : &hub->options.ws);
	list_init(&c->in_work);
	list_add(&hub->clients, &c->in_all);
	hub->counts.clients++;
	hub->counts.joined++;
	return c;
}

bool slow_policy_parse(struct text word, enum slow_policy *out, struct error *why)
{
	static const char *const names[] = {"resume", "drop", "disconnect", "coalesce"};

	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (text_is(word, names[i])) {
			*out = (enum slow_policy)i;
			return true;
		}
	return error_set(why, "slow must be resume, coalesce, drop or disconnect");
}

/* --- subscribing ---------------------------------------------------------- */

/* Nobody is told of the disk any more who is told good-bye. */
static void forget_acks(struct client *c)
{
	if (c->acks)
		list_remove(&c->acks->in_hub);
}

static void leave_tape(struct client *c)
{
	struct tape *tape = c->tape;

	if (!tape)
		return;
	if (c->state == CLIENT_LIVE)
		tape_leave(tape, c);
	else
		tape->readers--;
	c->tape = NULL;
	c->account->subscriptions--;
	hub_leave_reel(c->spoken->reel);
	hub_mark(c->hub, tape); /* an empty one is dropped at the end of the turn */
}

static void stop_reading(struct client *c)
{
	journal_reader_destroy(c->reader);
	c->reader = NULL;
	client_forget_memory(c);
}

/* The rest of a frame that was begun goes before everything else it is owed. */
static void finish_frame(struct client *c)
{
	struct buf mine;
	struct text rest;

	if (c->state != CLIENT_LIVE || c->frame_end <= c->cursor)
		return;
	buf_init(&mine, c->mine.max);
	while (c->cursor < c->frame_end) {
		rest = hub_news(c->hub, c);
		if (rest.len > c->frame_end - c->cursor)
			rest.len = c->frame_end - c->cursor;
		buf_add(&mine, rest);
		c->cursor += rest.len;
	}
	if (c->mine.len > c->mine_sent)
		buf_add(&mine,
		        (struct text){c->mine.at + c->mine_sent, c->mine.len - c->mine_sent});
	buf_finish(&c->mine);
	c->mine = mine;
	c->mine_sent = 0;
}

static void go_live(struct client *c, uint64_t cursor)
{
	stop_reading(c);
	if (c->state == CLIENT_READING)
		c->tape->readers--;
	c->state = CLIENT_LIVE;
	c->cursor = c->frame_end = cursor;
	c->dropping = c->joining = false;
	tape_join(c->tape, c);
	client_work(c);
}

static void go_read(struct client *c, struct journal_reader *from)
{
	client_sift(c, from);
	c->state = CLIENT_READING;
	c->cold = c->placed = false;
	c->tape->readers++;
	c->reader = from;
	client_work(c);
}

void client_subscribe(struct client *c, struct subscription *wish)
{
	struct hub_reel *r = c->spoken->reel;

	finish_frame(c);
	leave_tape(c);
	stop_reading(c);
	c->state = CLIENT_IDLE;
	c->policy = (uint8_t)wish->policy;
	hub_use_reel(c->hub, r);
	c->tape = switchboard_tape(&r->board, &r->reel, &wish->filter);
	c->account->subscriptions++;
	if (wish->has_after)
		go_read(c, journal_reader_resume(c->hub->options.journal, &wish->after));
	else
		go_live(c, tape_head(c->tape));
}

/* --- sending ---------------------------------------------------------------- */

/* It asks and asks and never listens. */
static void end_unread(struct client *c)
{
	log_info("hub", "a client left %zu bytes of answers unread", c->mine.len);
	client_end(c);
}

void client_say(struct client *c, struct text bytes)
{
	if (c->state == CLIENT_CLOSING)
		return;
	if (!buf_add(&c->mine, bytes))
		end_unread(c);
	else
		client_work(c);
}

void client_say_frame(struct client *c, enum ws_opcode op, struct text body)
{
	char head[WS_HEADER_MAX];
	size_t n = ws_header(head, op, body.len);

	if (c->state == CLIENT_CLOSING)
		return;
	if (!buf_reserve(&c->mine, n + body.len)) { /* half a frame would be another one */
		end_unread(c);
		return;
	}
	buf_add(&c->mine, (struct text){head, n});
	buf_add(&c->mine, body);
	client_work(c);
}

void client_pass(struct client *c, struct text frames)
{
	size_t sent = 0;

	assert(!c->tape);
	if (c->state == CLIENT_CLOSING || !frames.len)
		return;
	if (!client_owed(c) && !c->conn->wants_write)
		sent = conn_send(c->conn, frames.at, frames.len);
	if (sent < frames.len)
		client_say(c, (struct text){frames.at + sent, frames.len - sent});
}

static bool send_mine(struct client *c)
{
	size_t left = c->mine.len - c->mine_sent, n;

	if (left == 0)
		return true;
	n = conn_send(c->conn, c->mine.at + c->mine_sent, left);
	c->mine_sent += (uint32_t)n;
	if (n < left)
		return false;
	buf_finish(&c->mine);
	c->mine_sent = 0;
	return true;
}

/* News from the tape up to `until`; false when the socket is full. */
static bool send_tape(struct client *c, uint64_t until)
{
	while (c->cursor < until) {
		/* A line of the client's memory less, where thousands are swept. */
		struct text news =
			c->tape->is_all ? tape_from(c->tape, c->cursor, NULL) : hub_news(c->hub, c);
		size_t n;

		if (news.len > until - c->cursor)
			news.len = until - c->cursor;
		n = conn_send(c->conn, news.at, news.len);
		c->cursor += n;
		if (n < news.len) {
			c->frame_end = tape_frame_end(c->tape, c->cursor);
			return false;
		}
	}
	return true;
}

bool client_flush(struct client *c)
{
	if (c->conn->wants_write)
		return false;
	if (c->state == CLIENT_LIVE && !send_tape(c, c->frame_end))
		return false;
	if (!send_mine(c))
		return false;
	if (c->state == CLIENT_LIVE && !send_tape(c, tape_head(c->tape)))
		return false;
	if (c->state == CLIENT_CLOSING)
		conn_half_close(c->conn);
	return true;
}

/* --- falling behind and catching up ---------------------------------------- */

void client_fall_behind(struct client *c)
{
	uint64_t after;

	client_count_behind(c);
	if (c->policy == SLOW_DISCONNECT) {
		c->hub->counts.slow_closed++;
		client_close(c, 1008, TEXT("slow consumer"));
		return;
	}
	finish_frame(c);
	after = tape_next_seq(c->tape, c->cursor) - 1;
	tape_leave(c->tape, c);
	c->dropping = c->policy == SLOW_DROP;
	c->joining = c->policy == SLOW_COALESCE && !client_dialect(c)->encoding->make;
	go_read(c, journal_reader_create(c->hub->options.journal, after));
}

static void tell_of_gap(struct client *c, const struct gap *gap)
{
	client_count_gap(c);
	client_dialect(c)->tell_gap(c, gap);
}

/* The drop policy: what was missed is named, not sent. */
static void skip_to_present(struct client *c)
{
	uint64_t last = journal_last_seq(c->hub->options.journal);
	struct gap gap = {journal_reader_next(c->reader), last, "skipped"};

	if (gap.from <= last) {
		c->hub->counts.skipped += last - gap.from + 1;
		tell_of_gap(c, &gap);
	}
	if (c->state == CLIENT_READING)
		go_live(c, tape_head(c->tape));
}

static bool wants_line(struct client *c, struct text line)
{
	struct signal s;

	return c->tape->is_all ||
	       (signal_read(c->hub->lines, line, &s, NULL) && filter_passes(&c->tape->filter, &s));
}

/* The memory of its encoding, as it stands before a line; NULL: there is none. */
static void *reading_memory(struct client *c, uint64_t seq)
{
	const struct encoding *e = client_dialect(c)->encoding;
	struct person *p;

	if (!e->make)
		return NULL;
	p = client_person(c);
	if (p->memory && p->memory_next != seq)
		client_forget_memory(c);
	if (!p->memory)
		p->memory = e->make(client_of_dialect(c), seq);
	p->memory_next = seq + 1;
	return p->memory;
}

/* A memory is given all lines, also those that the client does not want. */
static void encode_line(struct client *c, struct text line, bool is_wanted)
{
	const struct encoding *e = client_dialect(c)->encoding;
	const char *epoch = journal_epoch(c->hub->options.journal);
	uint64_t seq = signal_seq_of(line);
	size_t most = encoding_most(e, line.len), len;

	/* One that was stored under a larger limit is longer than `mine` was made for. */
	if (most > c->mine.max - c->mine.len)
		c->mine.max = c->mine.len + most;
	len = e->encode(reading_memory(c, seq), buf_reserve(&c->mine, most), line, seq, epoch);
	assert(len <= most);
	c->mine.len += is_wanted ? len : 0;
}

static void encode_joined(struct client *c)
{
	struct buf line;

	buf_init(&line, c->hub->words.last.max + 2 * COALESCE_TEXT_MAX);
	if (coalesce_take(&c->hub->words, &line) && !line.full)
		encode_line(c, buf_text(&line), true);
	buf_finish(&line);
}

/* Encodes whole lines into `mine` while there is room; says what it used. */
static void take_lines(struct client *c, struct text lines)
{
	struct coalesce *words = &c->hub->words;
	struct text rest = lines, line;
	bool has_memory = client_dialect(c)->encoding->make, is_wanted;
	uint64_t seq = 0;

	while (rest.len && c->mine.len < CLIENT_FILL_MAX) {
		line = text_cut(rest, '\n', &rest);
		seq = signal_seq_of(line);
		is_wanted = !has_memory || wants_line(c, line);
		if (c->joining && coalesce_add(words, line))
			continue;
		encode_joined(c);
		if (!c->joining || !coalesce_add(words, line))
			encode_line(c, line, is_wanted);
	}
	encode_joined(c);
	if (lines.len)
		journal_reader_take(c->reader, lines.len - rest.len, seq + 1);
}

/* The next frame is on the tape, and not so far back that the client would fall
 * behind again at once. */
static bool is_near(const struct client *c, uint64_t *at)
{
	const struct reel *reel = c->tape->reel;

	return tape_place(c->tape, journal_reader_next(c->reader), at) &&
	       reel->head - tape_on_reel(c->tape, *at) <= c->hub->options.behind_max / 2;
}

void client_read_on(struct client *c, size_t *budget)
{
	enum journal_news news;
	struct text lines;
	struct gap gap;
	uint64_t at;
	size_t cost;

	if (c->dropping) {
		if (c->mine.len == c->mine_sent)
			skip_to_present(c);
		return;
	}
	while (c->state == CLIENT_READING && c->mine.len < CLIENT_FILL_MAX && *budget) {
		/* Its first answer may be that it stands in another timeline. */
		if (c->placed && is_near(c, &at)) {
			go_live(c, at);
			return;
		}
		news = journal_read(c->reader, CLIENT_FILL_MAX, &lines, &gap);
		c->placed = news != JOURNAL_COLD;
		switch (news) {
		case JOURNAL_LINES:
			cost = journal_reader_looked(c->reader);
			cost = cost > lines.len ? cost : lines.len;
			*budget -= *budget < cost ? *budget : cost;
			take_lines(c, lines);
			if (loop_slice_is_over(c->hub->options.loop))
				*budget = 0;
			break;
		case JOURNAL_GAP:
			tell_of_gap(c, &gap);
			break;
		case JOURNAL_COLD:
			c->cold = true;
			return;
		case JOURNAL_END:
			go_live(c, tape_head(c->tape));
			return;
		}
	}
}

/* --- parting --------------------------------------------------------------- */

/* A reason may quote what somebody sent, and that may be cut anywhere. */
static void say_close(struct client *c, uint16_t code, struct text reason)
{
	struct buf shown;

	buf_init(&shown, 4 * KIB);
	utf8_add_shown(&shown, reason);
	ws_add_close(&c->mine, code, buf_text(&shown));
	buf_finish(&shown);
}

void client_close(struct client *c, uint16_t code, struct text reason)
{
	if (c->state == CLIENT_CLOSING)
		return;
	finish_frame(c);
	leave_tape(c);
	stop_reading(c);
	if (client_dialect(c)->is_websocket)
		say_close(c, code, reason);
	forget_acks(c);
	client_leave_dialect(c);
	c->state = CLIENT_CLOSING;
	conn_hush(c->conn, false); /* to see the other end leave */
	conn_deadline(c->conn, HUB_PART_MS);
	client_work(c);
}

void client_end(struct client *c)
{
	if (c->parted)
		return;
	c->parted = true;
	leave_tape(c);
	stop_reading(c);
	forget_acks(c);
	client_leave_dialect(c);
	client_forget_waits(c);
	c->state = CLIENT_CLOSING;
	conn_close(c->conn);
	c->conn = NULL;
	c->account->connections--;
	account_close(c->account);
	c->account = NULL;
	list_remove(&c->in_all);
	c->hub->counts.clients--;
	client_work(c); /* where it is freed */
}
