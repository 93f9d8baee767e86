/* channel_irc.c - a server of IRC: TLS, SASL PLAIN, rooms and people.
 *
 * Who writes is known by the account that the server names (`account-tag`); a nick alone is
 * anybody's, and stands as "!nick".  The chat with a person of an account is "nick!account": the
 * nick may be somebody else's later, so the server is asked whose it is before a message leaves.
 * A message of ours is a few lines and a PING behind them: its PONG says that the server has taken
 * them.  The next one leaves then.
 */
#include <stdlib.h>

#include "base/list.h"
#include "base/log.h"
#include "base/must.h"
#include "base/random.h"
#include "config/chat.h"
#include "deliver/irc/irc_wire.h"
#include "deliver/plain.h"

#define IRC_PIECE_LINES 20 /* a quarter of a minute, at the pace of irc_pay_line() */
#define IRC_PIECE_MAX 350  /* bytes of a message: with names and rooms around it a line holds it */
#define WAITING_MAX 64     /* messages of people that could not be taken yet */
#define SOON_MS 250
#define OUT_COUNT_MAX 8 /* messages of ours: the others wait in the outbox */
#define TURN_MS 15000   /* for its turn */
#define LOOK_MS 20000   /* for the server to say whose a nick is */
#define TOOK_MS 40000   /* for the server to say that it took the lines */
#define SURE_MS 3000    /* so long that is believed */

struct irc_chat {
	struct channel_options options;
	struct irc_wire *wire;
	char boot[17]; /* of ids that the server does not give */
	uint64_t came;
	struct link waiting; /* struct irc_waiting, oldest first */
	size_t waiting_count;

	struct link outs; /* struct irc_out: the first one is on its way, the others wait */
	size_t out_count;
	struct irc_pace pace;
	char *sure;       /* the delivery whose nick was last seen to be right, or NULL */
	uint64_t sure_ms; /* until when that is believed */
};

/* A message of ours. */
struct irc_out {
	struct irc_chat *chat;
	struct buf text;
	size_t sent; /* of it */
	char *delivery, *target;
	char *account; /* that the target has to have, or NULL */
	unsigned piece;
	bool is_begun; /* it is its turn */
	bool asks;     /* its PING has left, or its WHOIS */
	bool is_known; /* the target is who it should be */
	struct deadline due;
	struct link in_chat;
};

struct irc_waiting {
	char *message, *sender, *name, *origin, *peer, *text;
	enum channel_peer kind;
	bool is_mentioned;
	struct link in_chat;
};

/* ---- in ---- */

static void free_waiting(struct irc_chat *c, struct irc_waiting *w)
{
	list_remove(&w->in_chat);
	c->waiting_count--;
	free(w->message);
	free(w->sender);
	free(w->name);
	free(w->origin);
	free(w->peer);
	free(w->text);
	free(w);
}

static bool hand_on(const struct irc_chat *c, const struct irc_waiting *w)
{
	return c->options.came(c->options.self,
	                       &(struct channel_inbound){.message = text_of(w->message),
	                                                 .sender = text_of(w->sender),
	                                                 .sender_name = text_of(w->name),
	                                                 .origin = text_of(w->origin),
	                                                 .peer = text_of(w->peer),
	                                                 .text = text_of(w->text),
	                                                 .kind = w->kind,
	                                                 .is_mentioned = w->is_mentioned});
}

static void hand_on_all(struct irc_chat *c)
{
	while (!list_is_empty(&c->waiting)) {
		struct irc_waiting *w = list_of(c->waiting.next, struct irc_waiting, in_chat);

		if (!hand_on(c, w))
			return;
		free_waiting(c, w);
	}
}

static char *id_of(struct irc_chat *c, const struct irc_line *line)
{
	if (line->msgid.len && line->msgid.len <= CHANNEL_ID_MAX)
		return text_dup(line->msgid);
	return must_print("%s-%llu", c->boot, (unsigned long long)++c->came);
}

static void wire_heard(void *self, const struct irc_line *line)
{
	struct irc_chat *c = self;
	struct text target = irc_param(line, 0), rest;
	bool in_room = !text_equal_nocase(target, irc_wire_nick(c->wire));
	struct irc_waiting *w;
	struct buf words;
	bool is_mentioned;

	if (c->waiting_count == WAITING_MAX) {
		log_warn("deliver", "a message of %.*s is lost: too many wait",
		         TEXT_ARG(line->nick));
		return;
	}
	buf_init(&words, IRC_INPUT_MAX);
	irc_add_words(&words, irc_param(line, 1));
	is_mentioned = irc_mentions(text_trim(buf_text(&words)), irc_wire_nick(c->wire), &rest);
	if (rest.len) {
		w = must_zero(1, sizeof(*w));
		w->message = id_of(c, line);
		w->sender = line->account.len ? text_dup(line->account)
		                              : must_print("!%.*s", TEXT_ARG(line->nick));
		w->name = text_dup(line->nick);
		w->origin = text_dup(line->host);
		w->peer = in_room || !line->account.len
		                  ? text_dup(in_room ? target : line->nick)
		                  : must_print("%.*s!%.*s", TEXT_ARG(line->nick),
		                               TEXT_ARG(line->account));
		w->text = text_dup(rest);
		w->kind = in_room ? CHANNEL_GROUP : CHANNEL_DM;
		w->is_mentioned = is_mentioned || !in_room;
		list_add(&c->waiting, &w->in_chat);
		c->waiting_count++;
		hand_on_all(c);
	}
	buf_finish(&words);
}

static int64_t irc_tick(void *self, int64_t now_ms)
{
	struct irc_chat *c = self;

	hand_on_all(c);
	return list_is_empty(&c->waiting) ? INT64_MAX : now_ms + SOON_MS;
}

/* ---- out ---- */

static void begin_next(struct irc_chat *c);

/* The message that is on its way, or NULL. */
static struct irc_out *out_of(const struct irc_chat *c)
{
	struct irc_out *o =
		list_is_empty(&c->outs) ? NULL : list_of(c->outs.next, struct irc_out, in_chat);

	return o && o->is_begun ? o : NULL;
}

static void free_out(struct irc_out *o)
{
	deadline_clear(&o->due);
	list_remove(&o->in_chat);
	o->chat->out_count--;
	buf_finish(&o->text);
	free(o->delivery);
	free(o->target);
	free(o->account);
	free(o);
}

static void irc_answer(struct irc_out *o, enum channel_answer answer, const struct error *why)
{
	struct irc_chat *c = o->chat;
	char *delivery = o->delivery;
	struct channel_result result = {.act = CHANNEL_SEND,
	                                .answer = answer,
	                                .delivery = text_of(delivery),
	                                .piece = o->piece,
	                                .message = text_of(delivery),
	                                .why = why};

	o->delivery = NULL;
	free_out(o);
	c->options.answered(c->options.self, &result);
	free(delivery);
	begin_next(c);
}

static unsigned pay_line(struct irc_chat *c)
{
	return irc_pay_line(&c->pace, loop_now_ms(c->options.loop));
}

static void send_lines(struct irc_out *o)
{
	struct irc_chat *c = o->chat;
	struct text line;
	size_t at = o->sent;

	while (irc_next(buf_text(&o->text), IRC_PIECE_MAX, &at, &line)) {
		unsigned wait = pay_line(c);

		if (wait) {
			deadline_set(c->options.loop, &o->due, wait);
			return;
		}
		o->sent = at;
		irc_wire_say(c->wire, text_of(o->target), line);
	}
	o->asks = true;
	deadline_set(c->options.loop, &o->due, TOOK_MS);
	irc_wire_ask(c->wire);
}

/* ---- whose nick is it? ---- */

/* The pieces of one answer need one question. */
static bool is_sure(const struct irc_out *o)
{
	const struct irc_chat *c = o->chat;

	return c->sure && strcmp(o->delivery, c->sure) == 0 &&
	       loop_now_ms(c->options.loop) < c->sure_ms;
}

static void look_at_target(struct irc_out *o)
{
	struct irc_chat *c = o->chat;
	unsigned wait = pay_line(c);

	if (wait) {
		deadline_set(c->options.loop, &o->due, wait);
		return;
	}
	o->asks = true;
	deadline_set(c->options.loop, &o->due, LOOK_MS);
	irc_wire_look(c->wire, text_of(o->target));
}

static void wire_found(void *self, struct text nick, struct text account)
{
	struct irc_chat *c = self;
	struct irc_out *o = out_of(c);
	struct error why;

	if (!o || o->is_known || !text_equal_nocase(nick, text_of(o->target)))
		return;
	deadline_clear(&o->due);
	if (!text_equal_nocase(account, text_of(o->account))) {
		error_set(&why, "the nick %s is not of the account %s any more", o->target,
		          o->account);
		irc_answer(o, CHANNEL_REFUSED, &why);
		return;
	}
	free(c->sure);
	c->sure = must_dup(o->delivery);
	c->sure_ms = loop_now_ms(c->options.loop) + SURE_MS;
	o->is_known = true;
	o->asks = false;
	send_lines(o);
}

/* ---- one after the other ---- */

static void out_is_due(struct deadline *deadline)
{
	struct irc_out *o = list_of(deadline, struct irc_out, due);
	struct error why = {"others are sent before it"};

	if (!o->is_begun) {
		irc_answer(o, CHANNEL_LATER, &why);
	} else if (o->is_known && o->asks) {
		error_set(&why, "the server does not say whether it took it");
		irc_answer(o, CHANNEL_UNKNOWN, &why);
	} else if (o->is_known) {
		send_lines(o);
	} else if (o->asks) {
		error_set(&why, "the server does not say whose nick it is");
		irc_answer(o, CHANNEL_AWAY, &why);
	} else {
		look_at_target(o);
	}
}

/* Where the connection is lost, wire_lost() ends all of them. */
static void begin_next(struct irc_chat *c)
{
	struct irc_out *o;
	struct error why;

	if (list_is_empty(&c->outs) || out_of(c) || !irc_wire_is_live(c->wire, &why))
		return;
	o = list_of(c->outs.next, struct irc_out, in_chat);
	deadline_clear(&o->due);
	o->is_begun = true;
	o->is_known = !o->account || is_sure(o);
	if (o->is_known)
		send_lines(o);
	else
		look_at_target(o);
}

static struct irc_out *add_out(struct irc_chat *c, const struct channel_message *m)
{
	struct irc_out *o = must_zero(1, sizeof(*o));
	struct text account;

	o->chat = c;
	o->delivery = text_dup(m->delivery);
	o->piece = m->piece;
	o->target = text_dup(text_cut(m->peer, '!', &account));
	o->account = account.len ? text_dup(account) : NULL;
	buf_init(&o->text, CHANNEL_TEXT_MAX);
	plain_add(&o->text, m->text);
	o->due.fire = out_is_due;
	list_init(&o->in_chat);
	list_add(&c->outs, &o->in_chat);
	c->out_count++;
	return o;
}

/* Then one answer is for both. */
static bool is_out_already(const struct irc_chat *c, const struct channel_message *m)
{
	list_each(&c->outs, link) {
		const struct irc_out *o = list_of(link, struct irc_out, in_chat);

		if (o->piece == m->piece && text_is(m->delivery, o->delivery))
			return true;
	}
	return false;
}

static void irc_send(void *self, const struct channel_message *m)
{
	struct irc_chat *c = self;
	bool is_full = c->out_count >= OUT_COUNT_MAX;
	struct error why = {"others are sent before it"};
	struct irc_out *o;

	if (is_out_already(c, m))
		return;
	o = add_out(c, m);
	if (!irc_is_name(text_of(o->target))) {
		error_set(&why, "'%.*s' is neither a nick nor a room", TEXT_ARG(m->peer));
		irc_answer(o, CHANNEL_REFUSED, &why);
	} else if (!irc_wire_is_live(c->wire, &why)) {
		irc_answer(o, CHANNEL_AWAY, &why);
	} else if (is_full) {
		irc_answer(o, CHANNEL_LATER, &why);
	} else {
		deadline_set(c->options.loop, &o->due, TURN_MS);
		begin_next(c);
	}
}

static int64_t irc_ready(void *self, const struct channel_message *where, int64_t now_ms)
{
	const struct irc_chat *c = self;

	(void)where;
	return c->out_count < OUT_COUNT_MAX ? now_ms : now_ms + IRC_LINE_MS;
}

static void wire_took(void *self)
{
	struct irc_out *o = out_of(self);

	if (o && o->asks && o->is_known)
		irc_answer(o, CHANNEL_ACCEPTED, NULL);
}

/* Of one line of it the server says that nobody gets it. */
static void wire_refused(void *self, struct text target, const struct error *why)
{
	struct irc_out *o = out_of(self);

	if (o && text_equal_nocase(target, text_of(o->target)))
		irc_answer(o, CHANNEL_REFUSED, why);
}

static void wire_lost(void *self, const struct error *why)
{
	struct irc_chat *c = self;

	c->options.wake(c->options.self);
	while (!list_is_empty(&c->outs)) {
		struct irc_out *o = list_of(c->outs.next, struct irc_out, in_chat);

		irc_answer(o, o->sent ? CHANNEL_UNKNOWN : CHANNEL_AWAY, why);
	}
}

/* ---- open and close ---- */

static void irc_close(void *self)
{
	struct irc_chat *c = self;

	irc_wire_destroy(c->wire);
	while (!list_is_empty(&c->outs))
		free_out(list_of(c->outs.next, struct irc_out, in_chat));
	while (!list_is_empty(&c->waiting))
		free_waiting(c, list_of(c->waiting.next, struct irc_waiting, in_chat));
	free(c->sure);
	free(c);
}

static void *irc_open(const struct channel_options *options, struct error *why)
{
	struct irc_chat *c = must_zero(1, sizeof(*c));

	c->options = *options;
	c->options.config = NULL;
	c->options.credential = TEXT("");
	list_init(&c->outs);
	list_init(&c->waiting);
	random_hex(c->boot, sizeof(c->boot) / 2);
	c->wire = irc_wire_create(
		&(struct irc_wire_options){.loop = options->loop,
	                                   .url = options->config->url,
	                                   .nick = options->config->nick,
	                                   .rooms = options->config->rooms,
	                                   .room_count = options->config->room_count,
	                                   .password = options->credential,
	                                   .self = c,
	                                   .heard = wire_heard,
	                                   .took = wire_took,
	                                   .refused = wire_refused,
	                                   .found = wire_found,
	                                   .lost = wire_lost},
		why);
	if (c->wire)
		return c;
	irc_close(c);
	return NULL;
}

static enum channel_state irc_state(void *self, struct error *why)
{
	return irc_wire_state(((struct irc_chat *)self)->wire, why);
}

static void irc_check(void *self, const struct channel_check *check)
{
	irc_wire_check(((struct irc_chat *)self)->wire, check);
	check->done(check->self);
}

const struct channel_kind channel_irc = {
	.name = "irc",
	.traits = {.limit = {CHUNK_BYTES, IRC_PIECE_MAX, IRC_PIECE_LINES},
                   .mode = CHANNEL_BLOCKS,
                   .nobody = "!",
                   .gathers = true},
	.open = irc_open,
	.close = irc_close,
	.send = irc_send,
	.ready = irc_ready,
	.tick = irc_tick,
	.state = irc_state,
	.check = irc_check,
};
