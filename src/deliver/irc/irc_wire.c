/* irc_wire.c - in, there, and in again.
 *
 *   AWAY -> DIALING -> GREETING -> LIVE, and from each of them back to AWAY
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/must.h"
#include "deliver/irc/irc_inside.h"
#include "net/conn.h"
#include "net/dial.h"
#include "net/tls.h"
#include "net/url.h"

#define GREET_MS 60000 /* until the server lets us in */
#define WAIT_MOST_MS 60000
#define OUT_MAX (256 * KIB)
#define PLAIN_PORT 6667
#define SECURE_PORT 6697

/* ---- the end of a connection, and another one ---- */

static void wire_dial(struct irc_wire *w);

static void forget_looked(struct irc_wire *w)
{
	free(w->looked.nick);
	free(w->looked.account);
	w->looked.nick = w->looked.account = NULL;
}

static void wire_leave(struct irc_wire *w)
{
	deadline_clear(&w->deadline);
	dial_stop(w->dial);
	conn_close(w->conn);
	w->dial = NULL;
	w->conn = NULL;
	buf_clear(&w->in);
	buf_clear(&w->out);
	forget_looked(w);
	w->is_skipping = w->is_doubted = w->has_sasl = w->has_account_tag = false;
	w->has_tags = false;
	w->state = IRC_AWAY;
	irc_rooms_leave(w);
}

void irc_wire_fail(struct irc_wire *w, const char *why)
{
	bool was_there = w->state == IRC_LIVE;
	bool names_host = strncmp(why, w->host, strlen(w->host)) == 0;
	struct error words;

	error_set(&words, "%s", why);
	if (was_there || strcmp(words.words, w->why.words) != 0)
		log_warn("deliver", "irc: %s%s%s", names_host ? "" : w->host,
		         names_host ? "" : ": ", words.words);
	w->why = words;
	wire_leave(w);
	deadline_set(w->options.loop, &w->deadline, w->wait_ms);
	w->wait_ms = w->wait_ms * 2 < WAIT_MOST_MS ? w->wait_ms * 2 : WAIT_MOST_MS;
	if (was_there)
		w->options.lost(w->options.self, &words);
}

/* ---- out ---- */

static void wire_flush(struct irc_wire *w)
{
	if (w->conn && w->out.len)
		buf_drop(&w->out, conn_send(w->conn, w->out.at, w->out.len));
}

void irc_wire_put(struct irc_wire *w, const char *format, ...)
{
	char line[IRC_LINE_MAX];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	if (n < 0 || !w->conn)
		return;
	if (n > IRC_LINE_MAX - 2)
		n = IRC_LINE_MAX - 2;
	if (w->out.len + (size_t)n + 2 > OUT_MAX) {
		conn_fail(w->conn); /* it takes nothing */
		return;
	}
	buf_add(&w->out, (struct text){line, (size_t)n});
	buf_add(&w->out, TEXT("\r\n"));
	wire_flush(w);
}

void irc_wire_say(struct irc_wire *w, struct text target, struct text line)
{
	irc_wire_put(w, "PRIVMSG %.*s :%.*s", TEXT_ARG(target), TEXT_ARG(line));
}

void irc_wire_ask(struct irc_wire *w)
{
	irc_wire_put(w, "PING :signalbox-%llu", (unsigned long long)++w->asked);
}

void irc_wire_look(struct irc_wire *w, struct text nick)
{
	forget_looked(w);
	w->looked.nick = text_dup(nick);
	irc_wire_put(w, "WHOIS %.*s", TEXT_ARG(nick));
}

/* ---- in ---- */

/* A line of a WHOIS: 330 names the account, 318 ends it. */
static void hear_looked(struct irc_wire *w, const struct irc_line *line)
{
	char *nick = w->looked.nick, *account = w->looked.account;

	if (!nick || !text_equal_nocase(irc_param(line, 1), text_of(nick)))
		return;
	if (text_is(line->command, "330")) {
		free(account);
		w->looked.account = text_dup(irc_param(line, 2));
		return;
	}
	w->looked.nick = w->looked.account = NULL;
	w->options.found(w->options.self, text_of(nick), text_of(account));
	free(nick);
	free(account);
}

static void hear_refused(struct irc_wire *w, const struct irc_line *line)
{
	struct text words = irc_param(line, line->count ? line->count - 1 : 0);
	struct error why;

	error_set(&why, "%.*s", TEXT_ARG(words));
	w->options.refused(w->options.self, irc_param(line, 1), &why);
}

static void hear_closed(struct irc_wire *w, const struct irc_line *line)
{
	struct error why;

	error_set(&why, "the server said: %.*s", TEXT_ARG(irc_param(line, 0)));
	irc_wire_fail(w, why.words);
}

static void hear_pong(struct irc_wire *w, const struct irc_line *line)
{
	struct text number = irc_param(line, line->count ? line->count - 1 : 0);
	uint64_t n;

	if (!text_starts(number, TEXT("signalbox-")))
		return;
	number = (struct text){number.at + 10, number.len - 10};
	if (text_to_u64(number, &n) && n == w->asked && n > 0)
		w->options.took(w->options.self);
}

static void hear_nick(struct irc_wire *w, const struct irc_line *line)
{
	if (!text_equal_nocase(line->nick, text_of(w->nick)) || !irc_is_name(irc_param(line, 0)))
		return;
	free(w->nick);
	w->nick = text_dup(irc_param(line, 0));
}

/* Neither what we say ourselves nor what programs say, or ask each other (CTCP). */
static void hear_words(struct irc_wire *w, const struct irc_line *line)
{
	if (w->state == IRC_LIVE && line->count > 1 && irc_is_name(line->nick) &&
	    !text_equal_nocase(line->nick, text_of(w->nick)) && irc_is_name(line->params[0]) &&
	    !text_starts(line->params[1], TEXT("\001")) && !line->is_bot && !irc_is_service(line))
		w->options.heard(w->options.self, line);
}

static bool is_refusal(struct text code)
{
	/* No such nick, no such room; not there; with a registered nick only; not wanted. */
	static const char *const codes[] = {"401", "403", "404", "477", "531"};

	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++)
		if (text_is(code, codes[i]))
			return true;
	return false;
}

static void hear_line(struct irc_wire *w, struct text text)
{
	struct irc_line line;

	if (!irc_read(&line, text) || irc_login_hears(w, &line))
		return;
	irc_rooms_hear(w, &line);
	if (is_refusal(line.command))
		hear_refused(w, &line);
	else if (text_is(line.command, "PING"))
		irc_wire_put(w, "PONG :%.*s", TEXT_ARG(irc_param(&line, 0)));
	else if (text_is(line.command, "PONG"))
		hear_pong(w, &line);
	else if (text_is(line.command, "PRIVMSG"))
		hear_words(w, &line);
	else if (text_is(line.command, "NICK"))
		hear_nick(w, &line);
	else if (text_is(line.command, "330") || text_is(line.command, "318"))
		hear_looked(w, &line);
	else if (text_is(line.command, "ERROR"))
		hear_closed(w, &line);
}

/* ---- the connection ---- */

static void hear_lines(struct irc_wire *w)
{
	size_t from = 0;

	for (;;) {
		const struct conn *conn = w->conn;
		const char *end =
			w->in.len > from ? memchr(w->in.at + from, '\n', w->in.len - from) : NULL;
		struct text line;

		if (!end)
			break;
		line = (struct text){w->in.at + from, (size_t)(end - w->in.at) - from};
		from += line.len + 1;
		if (line.len && line.at[line.len - 1] == '\r')
			line.len--;
		if (!w->is_skipping)
			hear_line(w, line);
		if (w->conn != conn || !w->conn)
			return; /* it is another one, or none: what was left is gone */
		w->is_skipping = false;
	}
	buf_drop(&w->in, from);
}

static void wire_bytes(struct conn *conn, char *bytes, size_t n)
{
	struct irc_wire *w = conn->self;

	w->is_doubted = false;
	if (w->state == IRC_LIVE)
		deadline_set(w->options.loop, &w->deadline, IRC_QUIET_MS);
	while (n && w->conn == conn) {
		size_t part = IRC_INPUT_MAX - w->in.len < n ? IRC_INPUT_MAX - w->in.len : n;

		buf_add(&w->in, (struct text){bytes, part});
		bytes += part;
		n -= part;
		hear_lines(w);
		if (w->in.len == IRC_INPUT_MAX) {
			w->is_skipping = true;
			buf_clear(&w->in);
		}
	}
}

static void wire_writable(struct conn *conn)
{
	wire_flush(conn->self);
}

static void wire_gone(struct conn *conn, const char *why)
{
	struct irc_wire *w = conn->self;

	w->conn = NULL;
	irc_wire_fail(w, why ? why : "the server closed the connection");
}

static const struct conn_user wire_user = {
	.heard = wire_bytes,
	.writable = wire_writable,
	.gone = wire_gone,
};

static void wire_connected(void *self, int fd)
{
	struct irc_wire *w = self;

	w->dial = NULL;
	w->conn = conn_create(w->options.loop, fd, &wire_user, w);
	if (w->is_secure)
		conn_secure(w->conn, tls_create(loop_tls(w->options.loop), fd, w->host));
	deadline_set(w->options.loop, &w->deadline, GREET_MS);
	irc_login_begin(w);
}

static void wire_unreached(void *self, const char *why)
{
	struct irc_wire *w = self;

	w->dial = NULL;
	irc_wire_fail(w, why);
}

static void wire_dial(struct irc_wire *w)
{
	w->state = IRC_DIALING;
	w->dial = dial_start(w->options.loop, &(struct dial_options){.host = w->host,
	                                                             .port = w->port,
	                                                             .ms = GREET_MS,
	                                                             .self = w,
	                                                             .connected = wire_connected,
	                                                             .failed = wire_unreached});
}

static void wire_is_due(struct deadline *deadline)
{
	struct irc_wire *w = list_of(deadline, struct irc_wire, deadline);

	if (w->state == IRC_AWAY)
		wire_dial(w);
	else if (w->state != IRC_LIVE)
		irc_wire_fail(w, "the server does not let us in: it says nothing more");
	else if (w->is_doubted)
		irc_wire_fail(w, "the server is silent");
	else {
		w->is_doubted = true;
		irc_wire_put(w, "PING :alive");
		deadline_set(w->options.loop, &w->deadline, IRC_QUIET_MS);
	}
}

/* ---- open and close ---- */

static bool names_port(struct text authority)
{
	int end = text_find(authority, ']');
	size_t from = end < 0 ? 0 : (size_t)end;

	return text_find((struct text){authority.at + from, authority.len - from}, ':') >= 0;
}

/* "ircs://HOST[:PORT]": as an https URL is read. */
static bool read_url(struct irc_wire *w, const char *text, struct error *why)
{
	bool is_secure = text && strncmp(text, "ircs://", 7) == 0;
	struct url url;
	char *as_http;
	bool good;

	if (!is_secure && !(text && strncmp(text, "irc://", 6) == 0))
		return error_set(why, "irc needs 'url': ircs://HOST[:PORT]");
	as_http = must_print("%s://%s", is_secure ? "https" : "http", text + (is_secure ? 7 : 6));
	good = url_parse(&url, text_of(as_http), why);
	if (good) {
		w->is_secure = is_secure;
		memcpy(w->host, url.host, sizeof(w->host));
		w->port = names_port(url.authority) ? url.port
		          : is_secure               ? SECURE_PORT
		                                    : PLAIN_PORT;
		if (w->password && !is_secure && !url_is_loopback(&url))
			good = error_set(why, "a credential goes by ircs:// only");
	}
	free(as_http);
	return good;
}

static bool read_names(struct irc_wire *w, struct error *why)
{
	if (!irc_is_name(text_of(w->wanted)))
		return error_set(why, "irc needs 'nick'");
	for (size_t i = 0; i < w->options.room_count; i++)
		if (!irc_is_name(text_of(w->rooms[i])))
			return error_set(why, "'%s' is no room", w->rooms[i]);
	return true;
}

struct irc_wire *irc_wire_create(const struct irc_wire_options *options, struct error *why)
{
	struct irc_wire *w = must_zero(1, sizeof(*w));

	w->options = *options;
	w->options.password = TEXT("");
	w->deadline.fire = wire_is_due;
	w->wait_ms = IRC_WAIT_MS;
	buf_init(&w->in, IRC_INPUT_MAX);
	buf_init(&w->out, OUT_MAX);
	w->wanted = must_dup(options->nick ? options->nick : "");
	w->nick = must_dup(w->wanted);
	w->password = options->password.len ? text_dup(options->password) : NULL;
	w->rooms = must_zero(options->room_count + 1, sizeof(*w->rooms));
	w->no_rooms = must_zero(options->room_count + 1, sizeof(*w->no_rooms));
	w->in_rooms = must_zero(options->room_count + 1, sizeof(*w->in_rooms));
	for (size_t i = 0; i < options->room_count; i++)
		w->rooms[i] = must_dup(options->rooms[i]);
	error_set(&w->why, "not connected yet");
	if (read_names(w, why) && read_url(w, options->url, why)) {
		wire_dial(w);
		return w;
	}
	irc_wire_destroy(w);
	return NULL;
}

void irc_wire_destroy(struct irc_wire *w)
{
	if (!w)
		return;
	if (w->state == IRC_LIVE)
		irc_wire_put(w, "QUIT :the box stops");
	wire_leave(w);
	for (size_t i = 0; i < w->options.room_count; i++)
		free(w->rooms[i]);
	if (w->password)
		explicit_bzero(w->password, strlen(w->password));
	free(w->password);
	free(w->rooms);
	free(w->no_rooms);
	free(w->in_rooms);
	free(w->wanted);
	free(w->nick);
	buf_finish(&w->in);
	buf_finish(&w->out);
	free(w);
}

bool irc_wire_is_live(const struct irc_wire *w, struct error *why)
{
	return w->state == IRC_LIVE || error_set(why, "%s", w->why.words);
}

struct text irc_wire_nick(const struct irc_wire *w)
{
	return text_of(w->nick);
}
