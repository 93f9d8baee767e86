/* channel_irc.c - a server of IRC: TLS, SASL PLAIN, rooms and people.
 *
 * Who writes is known by the account that the server names (`account-tag`); a nick alone is
 * anybody's, and stands as "!nick".  The chat with a person of an account is "nick!account": the
 * nick may be somebody else's later, so the server is asked whose it is before a message leaves.
 * A message of ours is a few lines and a PING behind them: its PONG says that the server has taken
 * them.
 */
#include <stdlib.h>

#include "base/list.h"
#include "base/log.h"
#include "base/must.h"
#include "base/random.h"
#include "config/chat.h"
#include "deliver/irc/irc_wire.h"
#include "deliver/plain.h"

#define IRC_PIECE_MAX 350 /* bytes of a message: with names and rooms around it a line holds it */
#define LINES_AT_ONCE 4   /* then one a second, as servers want it */
#define LINE_MS 1000
#define WAITING_MAX 64 /* messages of people that could not be taken yet */
#define SOON_MS 250
#define LOOK_MS 20000 /* for the server to say whose a nick is */
#define SURE_MS 3000  /* so long that is believed */

struct irc_chat {
	struct channel_options options;
	struct irc_wire *wire;
	char boot[17]; /* of ids that the server does not give */
	uint64_t came;
	struct link waiting; /* struct irc_waiting, oldest first */
	size_t waiting_count;

	/* The message on its way; out.at is NULL without one. */
	struct buf out;
	size_t sent; /* of it */
	char *delivery, *target;
	char *account; /* that the target has to have, or NULL */
	unsigned piece;
	bool asks;     /* its PING has left */
	bool is_known; /* the target is who it should be */
	struct deadline line;
	uint64_t bucket_ms; /* until when the lines that have left are paid for */
	char *sure;         /* the delivery whose nick was last seen to be right, or NULL */
	uint64_t sure_ms;   /* until when that is believed */
};

struct irc_waiting {
	char *message, *sender, *name, *peer, *text;
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

static void irc_answer(struct irc_chat *c, enum channel_answer answer, const struct error *why)
{
	char *delivery = c->delivery;
	struct channel_result result = {.act = CHANNEL_SEND,
	                                .answer = answer,
	                                .delivery = text_of(delivery),
	                                .piece = c->piece,
	                                .message = text_of(delivery),
	                                .why = why};

	deadline_clear(&c->line);
	buf_finish(&c->out);
	free(c->target);
	free(c->account);
	c->target = c->account = c->delivery = NULL;
	c->asks = c->is_known = false;
	c->sent = 0;
	c->options.answered(c->options.self, &result);
	free(delivery);
}

/* How long the next line waits; 0: it may leave. */
static unsigned pay_line(struct irc_chat *c)
{
	uint64_t now = loop_now_ms(c->options.loop);

	if (c->bucket_ms < now)
		c->bucket_ms = now;
	if (c->bucket_ms > now + (LINES_AT_ONCE - 1) * LINE_MS)
		return (unsigned)(c->bucket_ms - now - (LINES_AT_ONCE - 1) * LINE_MS);
	c->bucket_ms += LINE_MS;
	return 0;
}

static void send_lines(struct irc_chat *c)
{
	struct text line;
	size_t at = c->sent;

	while (irc_next(buf_text(&c->out), IRC_PIECE_MAX, &at, &line)) {
		unsigned wait = pay_line(c);

		if (wait) {
			deadline_set(c->options.loop, &c->line, wait);
			return;
		}
		c->sent = at;
		irc_wire_say(c->wire, text_of(c->target), line);
	}
	c->asks = true;
	irc_wire_ask(c->wire);
}

/* ---- whose nick is it? ---- */

/* The pieces of one answer need one question. */
static bool is_sure(const struct irc_chat *c)
{
	return c->sure && strcmp(c->delivery, c->sure) == 0 &&
	       loop_now_ms(c->options.loop) < c->sure_ms;
}

static void look_at_target(struct irc_chat *c)
{
	unsigned wait = pay_line(c);

	if (wait) {
		deadline_set(c->options.loop, &c->line, wait);
		return;
	}
	c->asks = true;
	deadline_set(c->options.loop, &c->line, LOOK_MS);
	irc_wire_look(c->wire, text_of(c->target));
}

static void wire_found(void *self, struct text nick, struct text account)
{
	struct irc_chat *c = self;
	struct error why;

	if (!c->delivery || c->is_known || !text_equal_nocase(nick, text_of(c->target)))
		return;
	deadline_clear(&c->line);
	if (!text_equal_nocase(account, text_of(c->account))) {
		error_set(&why, "the nick %s is not of the account %s any more", c->target,
		          c->account);
		irc_answer(c, CHANNEL_REFUSED, &why);
		return;
	}
	free(c->sure);
	c->sure = must_dup(c->delivery);
	c->sure_ms = loop_now_ms(c->options.loop) + SURE_MS;
	c->is_known = true;
	c->asks = false;
	send_lines(c);
}

static void line_is_due(struct deadline *deadline)
{
	struct irc_chat *c = list_of(deadline, struct irc_chat, line);
	struct error why = {"the server does not say whose nick it is"};

	if (c->is_known)
		send_lines(c);
	else if (c->asks)
		irc_answer(c, CHANNEL_AWAY, &why);
	else
		look_at_target(c);
}

static void irc_send(void *self, const struct channel_message *m)
{
	struct irc_chat *c = self;
	struct error why = {""};
	struct text account;

	c->delivery = text_dup(m->delivery);
	c->piece = m->piece;
	c->target = text_dup(text_cut(m->peer, '!', &account));
	c->account = account.len ? text_dup(account) : NULL;
	c->is_known = !c->account || is_sure(c);
	buf_init(&c->out, CHANNEL_TEXT_MAX);
	plain_add(&c->out, m->text);
	if (!irc_is_name(text_of(c->target))) {
		error_set(&why, "'%.*s' is neither a nick nor a room", TEXT_ARG(m->peer));
		irc_answer(c, CHANNEL_REFUSED, &why);
	} else if (!irc_wire_is_live(c->wire, &why))
		irc_answer(c, CHANNEL_AWAY, &why);
	else if (c->is_known)
		send_lines(c);
	else
		look_at_target(c);
}

static void wire_took(void *self)
{
	struct irc_chat *c = self;

	if (c->delivery && c->asks && c->is_known)
		irc_answer(c, CHANNEL_ACCEPTED, NULL);
}

/* Of one line of it the server says that nobody gets it. */
static void wire_refused(void *self, struct text target, const struct error *why)
{
	struct irc_chat *c = self;

	if (c->delivery && text_equal_nocase(target, text_of(c->target)))
		irc_answer(c, CHANNEL_REFUSED, why);
}

static void wire_lost(void *self, const struct error *why)
{
	struct irc_chat *c = self;

	c->options.wake(c->options.self);
	if (c->delivery)
		irc_answer(c, c->sent ? CHANNEL_UNKNOWN : CHANNEL_AWAY, why);
}

/* ---- open and close ---- */

static void irc_close(void *self)
{
	struct irc_chat *c = self;

	irc_wire_destroy(c->wire);
	deadline_clear(&c->line);
	while (!list_is_empty(&c->waiting))
		free_waiting(c, list_of(c->waiting.next, struct irc_waiting, in_chat));
	buf_finish(&c->out);
	free(c->delivery);
	free(c->target);
	free(c->account);
	free(c->sure);
	free(c);
}

static void *irc_open(const struct channel_options *options, struct error *why)
{
	struct irc_chat *c = must_zero(1, sizeof(*c));

	c->options = *options;
	c->options.config = NULL;
	c->options.credential = TEXT("");
	c->line.fire = line_is_due;
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
	.traits = {.limit = {CHUNK_BYTES, IRC_PIECE_MAX, 0},
                   .mode = CHANNEL_BLOCKS,
                   .nobody = "!",
                   .gathers = true},
	.open = irc_open,
	.close = irc_close,
	.send = irc_send,
	.tick = irc_tick,
	.state = irc_state,
	.check = irc_check,
};
