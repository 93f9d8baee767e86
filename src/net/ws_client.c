/* ws_client.c - dial, upgrade, messages, and an end that has a reason.
 *
 *   DIALING -> UPGRADING -> OPEN -> OVER
 *
 * Every way to the end goes through finish(): it tells once, and what is left is
 * freed at the end of the turn. */
#include "net/ws_client.h"

#include <fcntl.h>
#include <stdlib.h>

#include "base/must.h"
#include "net/conn.h"
#include "net/dial.h"
#include "net/tls.h"
#include "net/url.h"
#include "net/ws.h"
#include "net/ws_upgrade.h"

#define HEAD_MAX (16 * KIB)    /* of either side's upgrade */
#define FRAGMENTS_MAX 4096     /* frames in a message */
#define CONTROL_ROOM (8 * KIB) /* for pongs and a close, beyond send_max */

enum {
	CODE_NORMAL = 1000,
	CODE_UNSUPPORTED = 1003,
	CODE_ABNORMAL = 1006,
	CODE_NOT_TEXT = 1007,
	CODE_TOO_MANY = 1008,
	CODE_TOO_BIG = 1009,
	CODE_UNTRUSTED = 1015,
};

enum state { DIALING, UPGRADING, OPEN, OVER };

struct ws_client {
	struct loop *loop;
	struct dial *dial; /* while DIALING */
	struct conn *conn; /* while UPGRADING and OPEN */
	struct grave grave;
	struct deadline deadline;
	enum state state;
	bool is_secure, is_hushed;
	char host[URL_HOST_MAX + 1];
	char key[WS_KEY_LEN + 1];
	struct buf head;  /* of the answer, while it is not whole */
	struct text rest; /* behind it, inside open() */
	struct buf out;   /* what the socket did not take yet */
	size_t out_at;    /* up to here it did */
	size_t send_max;
	struct ws_limits limits;
	struct ws_reader reader;
	unsigned ping_ms;
	uint16_t goodbye;
	uint64_t heard_ms; /* when the last byte came */

	void *self;
	void (*open)(void *self);
	void (*text)(void *self, struct text message);
	void (*bad)(void *self, const char *why);
	void (*closed)(void *self, uint16_t code, int status, const char *why);
};

/* --- the end ----------------------------------------------------------------- */

/* Lets go of everything but the memory. */
static void ws_client_leave(struct ws_client *c)
{
	c->state = OVER;
	deadline_clear(&c->deadline);
	dial_stop(c->dial);
	conn_close(c->conn);
	c->dial = NULL;
	c->conn = NULL;
}

static void ws_client_finish(struct ws_client *c, uint16_t code, int status, const char *why)
{
	struct error words;

	if (c->state == OVER)
		return;
	error_set(&words, "%s", why); /* they may be the connection's */
	ws_client_leave(c);
	if (c->closed)
		c->closed(c->self, code, status, words.words);
}

/* --- what goes out ------------------------------------------------------------ */

static void ws_client_flush(struct ws_client *c)
{
	if (c->out_at < c->out.len)
		c->out_at += conn_send(c->conn, c->out.at + c->out_at, c->out.len - c->out_at);
	if (c->out_at < c->out.len)
		return;
	buf_clear(&c->out);
	c->out_at = 0;
}

/* What went out already makes room when it is worth the move. */
static void ws_client_pack(struct ws_client *c)
{
	if (c->out_at < c->out.len / 2)
		return;
	buf_drop(&c->out, c->out_at);
	c->out_at = 0;
}

static bool ws_client_add(struct ws_client *c, enum ws_opcode op, struct text body)
{
	ws_client_pack(c);
	if (!ws_add_masked(&c->out, op, body))
		return false;
	ws_client_flush(c);
	return true;
}

/* The last frame, as far as the socket takes it. */
static void say_goodbye(struct ws_client *c, uint16_t code, const char *reason)
{
	ws_client_pack(c);
	if (ws_add_masked_close(&c->out, code, text_of(reason)))
		ws_client_flush(c);
}

bool ws_client_peer(const struct ws_client *client, struct peer *peer)
{
	return client->state == OPEN && conn_peer(client->conn, peer);
}

bool ws_client_send(struct ws_client *client, struct text message)
{
	if (client->state != OPEN)
		return false;
	if (message.len + client->out.len - client->out_at > client->send_max)
		return false;
	return ws_client_add(client, WS_OP_TEXT, message);
}

/* --- what comes in ------------------------------------------------------------- */

static void say_fault(const struct ws_client *c, uint16_t code, struct error *why)
{
	switch (code) {
	case CODE_UNSUPPORTED:
		error_set(why, "the peer sent a binary message");
		break;
	case CODE_NOT_TEXT:
		error_set(why, "the peer sent a text that is not UTF-8");
		break;
	case CODE_TOO_MANY:
		error_set(why, "the peer sent a message in more than %u frames", FRAGMENTS_MAX);
		break;
	case CODE_TOO_BIG:
		error_set(why, "the peer sent a message of more than %zu bytes",
		          c->limits.message_max);
		break;
	default:
		error_set(why, "the peer sent an invalid WebSocket frame");
	}
}

static void ws_client_refuse(struct ws_client *c, uint16_t code)
{
	struct error why;

	say_fault(c, code, &why);
	say_goodbye(c, code, why.words);
	ws_client_finish(c, CODE_ABNORMAL, 0, why.words);
}

/* It is passed over, if who reads can do without. */
static void ws_client_pass_over(struct ws_client *c, uint16_t code)
{
	struct error why;

	say_fault(c, code, &why);
	c->bad(c->self, why.words);
}

static void take_close(struct ws_client *c, const struct ws_news *news)
{
	struct error why;
	struct buf shown;

	say_goodbye(c, news->code, "");
	buf_init(&shown, KIB);
	utf8_add_shown(&shown, news->body);
	error_set(&why, "the peer closed (%u)%s%.*s", news->code, shown.len ? ": " : "",
	          TEXT_ARG(buf_text(&shown)));
	buf_finish(&shown);
	ws_client_finish(c, news->code, 0, why.words);
}

/* A producer that does not tell text from binary is understood nevertheless. */
static void ws_client_take_message(struct ws_client *c, enum ws_event event, struct text message)
{
	if (event == WS_BINARY && !utf8_is_valid(message)) {
		if (c->bad)
			ws_client_pass_over(c, CODE_UNSUPPORTED);
		else
			ws_client_refuse(c, CODE_UNSUPPORTED);
	} else if (c->text)
		c->text(c->self, message);
}

static void read_frames(struct ws_client *c, char *bytes, size_t n)
{
	struct ws_news news = {0};
	enum ws_event event;

	while (c->state == OPEN && (event = ws_read(&c->reader, &bytes, &n, &news)) != WS_WAIT) {
		if (event == WS_TEXT || event == WS_BINARY)
			ws_client_take_message(c, event, news.body);
		else if (event == WS_CLOSE)
			take_close(c, &news);
		else if (event == WS_BAD)
			ws_client_refuse(c, news.code);
		else if (event == WS_SPOILT)
			ws_client_pass_over(c, news.code);
		else if (event == WS_PING && !ws_client_add(c, WS_OP_PONG, news.body))
			ws_client_finish(c, CODE_ABNORMAL, 0, "the peer pings and does not read");
	}
}

/* --- the upgrade --------------------------------------------------------------- */

static void begin_messages(struct ws_client *c)
{
	c->state = OPEN;
	buf_finish(&c->head);
	c->out.max = c->send_max + CONTROL_ROOM;
	deadline_clear(&c->deadline);
	if (c->ping_ms)
		deadline_set(c->loop, &c->deadline, c->ping_ms);
	if (c->open)
		c->open(c->self);
}

/* Gathers the head; what stands behind it is the first of the frames. */
static void read_head(struct ws_client *c, char *bytes, size_t n)
{
	size_t before = c->head.len, from = before < 3 ? 0 : before - 3, take;
	size_t most = HEAD_MAX - before;
	struct error why;
	const char *end;
	int status;

	buf_add(&c->head, (struct text){bytes, n < most ? n : most});
	end = memmem(c->head.at + from, c->head.len - from, "\r\n\r\n", 4);
	if (!end && n < most)
		return;
	if (!end) {
		error_set(&why, "the head of the response is longer than %zu KiB", HEAD_MAX / KIB);
		ws_client_finish(c, CODE_ABNORMAL, 0, why.words);
		return;
	}
	c->head.len = (size_t)(end + 4 - c->head.at);
	take = c->head.len - before;
	if (!ws_upgrade_check(buf_text(&c->head), c->key, &status, &why)) {
		ws_client_finish(c, CODE_ABNORMAL, status == 101 ? 0 : status, why.words);
		return;
	}
	c->rest = (struct text){bytes + take, n - take};
	begin_messages(c);
	read_frames(c, bytes + take, n - take);
}

int ws_client_take(struct ws_client *client, struct buf *rest)
{
	int fd = fcntl(client->conn->fd, F_DUPFD_CLOEXEC, 0);

	buf_add(rest, client->rest);
	ws_client_leave(client);
	return fd;
}

/* --- the connection -------------------------------------------------------------- */

static void on_heard(struct conn *conn, char *bytes, size_t n)
{
	struct ws_client *c = conn->self;

	c->heard_ms = loop_now_ms(c->loop);
	if (c->state == UPGRADING)
		read_head(c, bytes, n);
	else
		read_frames(c, bytes, n);
}

static void on_writable(struct conn *conn)
{
	ws_client_flush(conn->self);
}

static void on_gone(struct conn *conn, const char *why)
{
	struct ws_client *c = conn->self;
	uint16_t code = CODE_ABNORMAL;
	struct error words;

	if (conn->tls && tls_is_untrusted(conn->tls))
		code = CODE_UNTRUSTED;
	c->conn = NULL; /* it closes itself */
	if (c->state == OPEN)
		error_set(&words, "the connection was lost: %s", why);
	else
		error_set(&words, "%.200s (no response to the upgrade)", why);
	ws_client_finish(c, code, 0, words.words);
}

static const struct conn_user user = {on_heard, on_writable, on_gone, NULL};

static void on_connected(void *self, int fd)
{
	struct ws_client *c = self;

	c->dial = NULL;
	c->state = UPGRADING;
	c->conn = conn_create(c->loop, fd, &user, c);
	if (c->is_secure)
		conn_secure(c->conn, tls_create(loop_tls(c->loop), fd, c->host));
	ws_client_flush(c);
}

static void on_failed(void *self, const char *why)
{
	struct ws_client *c = self;

	c->dial = NULL;
	ws_client_finish(c, CODE_ABNORMAL, 0, why);
}

static void on_silence(struct ws_client *c)
{
	uint64_t still = loop_now_ms(c->loop) - c->heard_ms;
	struct error why;

	if (c->is_hushed) {
		deadline_set(c->loop, &c->deadline, c->ping_ms);
		return;
	}

	if (still >= 2 * (uint64_t)c->ping_ms) {
		error_set(&why, "the peer was silent for %u ms", 2 * c->ping_ms);
		ws_client_finish(c, CODE_ABNORMAL, 0, why.words);
		return;
	}
	/* When there is no room for it, the peer has reason enough to speak. */
	if (still >= c->ping_ms)
		ws_client_add(c, WS_OP_PING, (struct text){0});
	deadline_set(c->loop, &c->deadline, c->ping_ms - (unsigned)(still % c->ping_ms));
}

static void on_deadline(struct deadline *deadline)
{
	struct ws_client *c = list_of(deadline, struct ws_client, deadline);
	struct error why;

	if (c->state == OPEN) {
		on_silence(c);
		return;
	}
	error_set(&why, "%.100s did not answer in time", c->host);
	ws_client_finish(c, CODE_ABNORMAL, 0, why.words);
}

/* --- its life ------------------------------------------------------------------- */

static void free_client(struct grave *grave)
{
	struct ws_client *c = list_of(grave, struct ws_client, grave);

	ws_finish(&c->reader);
	buf_finish(&c->head);
	buf_finish(&c->out);
	free(c);
}

static struct ws_client *ws_client_make(struct loop *loop, const struct ws_client_options *o)
{
	struct ws_client *c = must_zero(1, sizeof(*c));

	c->loop = loop;
	c->self = o->self;
	c->open = o->open;
	c->text = o->text;
	c->bad = o->bad;
	c->closed = o->closed;
	c->send_max = o->send_max;
	c->ping_ms = o->ping_ms;
	c->goodbye = o->goodbye ? o->goodbye : CODE_NORMAL;
	c->limits = (struct ws_limits){o->message_max, FRAGMENTS_MAX, true, o->bad != NULL};
	c->deadline.fire = on_deadline;
	c->grave.free = free_client;
	ws_init(&c->reader, &c->limits);
	buf_init(&c->head, HEAD_MAX);
	buf_init(&c->out, HEAD_MAX);
	return c;
}

static bool ws_client_prepare(struct ws_client *c, struct url *url,
                              const struct ws_client_options *o, struct error *why)
{
	if (!url_parse(url, text_of(o->url), why))
		return false;
	if (!url->is_ws)
		return error_set(why, "a WebSocket's URL begins with ws:// or wss://");
	c->is_secure = url->is_secure;
	memcpy(c->host, url->host, sizeof(c->host));
	return ws_upgrade_ask(&c->out, url, o->headers, c->key, why);
}

struct ws_client *ws_client_create(struct loop *loop, const struct ws_client_options *options,
                                   struct error *why)
{
	struct ws_client *c = ws_client_make(loop, options);
	struct dial_options dial = {.self = c, .connected = on_connected, .failed = on_failed};
	struct url url;

	if (!ws_client_prepare(c, &url, options, why)) {
		free_client(&c->grave);
		return NULL;
	}
	dial.host = c->host;
	dial.port = url.port;
	dial.path = options->path;
	dial.ms = options->connect_ms;
	c->dial = dial_start(loop, &dial);
	deadline_set(loop, &c->deadline, options->connect_ms);
	return c;
}

void ws_client_hush(struct ws_client *client, bool hush)
{
	if (client->state != OPEN)
		return;
	client->is_hushed = hush;
	client->heard_ms = loop_now_ms(client->loop);
	conn_hush(client->conn, hush);
}

void ws_client_destroy(struct ws_client *client)
{
	if (!client)
		return;
	if (client->state == OPEN)
		say_goodbye(client, client->goodbye, "");
	ws_client_leave(client);
	loop_bury(client->loop, &client->grave);
}
