/* irc_login.c - how a server of IRC lets us in: capabilities, SASL PLAIN, a nick, rooms. */
#include <openssl/evp.h>
#include <stdlib.h>

#include "base/must.h"
#include "deliver/irc/irc_inside.h"

#define AUTH_PART 400 /* bytes of a line of AUTHENTICATE */
#define NICK_TRIES 5

static void put_secret(struct irc_wire *w)
{
	struct buf plain, coded;
	size_t at = 0, n;

	buf_init(&plain, 16 * KIB);
	buf_init(&coded, 32 * KIB);
	buf_add_char(&plain, '\0');
	buf_add(&plain, text_of(w->wanted));
	buf_add_char(&plain, '\0');
	buf_add(&plain, text_of(w->password));
	coded.len = (size_t)EVP_EncodeBlock((unsigned char *)buf_reserve(&coded, plain.len * 2 + 4),
	                                    (const unsigned char *)plain.at, (int)plain.len);
	do {
		n = coded.len - at < AUTH_PART ? coded.len - at : AUTH_PART;
		if (n)
			irc_wire_put(w, "AUTHENTICATE %.*s", (int)n, coded.at + at);
		else
			irc_wire_put(w, "AUTHENTICATE +");
		at += n;
	} while (n == AUTH_PART);
	explicit_bzero(plain.at, plain.len);
	explicit_bzero(coded.at, coded.len);
	buf_finish(&plain);
	buf_finish(&coded);
}

static void hear_sasl(struct irc_wire *w, const struct irc_line *line)
{
	if (w->password && text_is(irc_param(line, 0), "+"))
		put_secret(w);
}

static bool has_word(struct text words, const char *word)
{
	while (words.len) {
		struct text next = text_cut(words, ' ', &words), value;

		if (text_is(text_cut(next, '=', &value), word))
			return true;
	}
	return false;
}

/* What the server can do: "* LS [*] :words", in several lines if there is a star. */
static void hear_abilities(struct irc_wire *w, const struct irc_line *line)
{
	bool goes_on = text_is(irc_param(line, 2), "*");
	struct text words = irc_param(line, goes_on ? 3 : 2);

	w->has_sasl = w->has_sasl || has_word(words, "sasl");
	w->has_account_tag = w->has_account_tag || has_word(words, "account-tag");
	w->has_tags = w->has_tags || has_word(words, "message-tags");
	if (goes_on)
		return;
	if (w->password && !w->has_sasl)
		irc_wire_fail(w,
		              "the server has no SASL, so nobody can be let in with a credential");
	else if (w->password || w->has_account_tag || w->has_tags)
		irc_wire_put(w, "CAP REQ :%s%s%s", w->password ? "sasl " : "",
		             w->has_account_tag ? "account-tag " : "",
		             w->has_tags ? "message-tags" : "");
	else
		irc_wire_put(w, "CAP END");
}

static void hear_cap(struct irc_wire *w, const struct irc_line *line)
{
	struct text verb = irc_param(line, 1);

	if (text_is(verb, "LS"))
		hear_abilities(w, line);
	else if (text_is(verb, "ACK") && w->password)
		irc_wire_put(w, "AUTHENTICATE PLAIN");
	else if (text_is(verb, "NAK") && w->password)
		irc_wire_fail(w, "the server does not want SASL");
	else
		irc_wire_put(w, "CAP END");
}

static void hear_welcome(struct irc_wire *w, const struct irc_line *line)
{
	if (!irc_is_name(irc_param(line, 0)))
		return;
	free(w->nick);
	w->nick = text_dup(irc_param(line, 0));
	w->state = IRC_LIVE;
	w->wait_ms = IRC_WAIT_MS;
	w->why.words[0] = '\0';
	w->is_denied = false;
	deadline_set(w->options.loop, &w->deadline, IRC_QUIET_MS);
	for (size_t i = 0; i < w->options.room_count; i++)
		irc_wire_put(w, "JOIN %s", w->rooms[i]);
}

/* The nick is somebody's: the same with marks behind it. */
static void hear_taken(struct irc_wire *w, const struct irc_line *line)
{
	char *next;

	if (w->tries++ == NICK_TRIES) {
		irc_wire_fail(w, "the nick is in use");
		return;
	}
	next = must_print("%s_", w->nick);
	free(w->nick);
	w->nick = next;
	irc_wire_put(w, "NICK %s", w->nick);
}

static void hear_wrong(struct irc_wire *w, const struct irc_line *line)
{
	w->is_denied = true;
	irc_wire_fail(w, "the credential is wrong");
}

void irc_login_begin(struct irc_wire *w)
{
	w->state = IRC_GREETING;
	w->tries = 0;
	free(w->nick);
	w->nick = must_dup(w->wanted);
	irc_wire_put(w, "CAP LS 302");
	irc_wire_put(w, "NICK %s", w->nick);
	irc_wire_put(w, "USER %s 0 * :signalbox", w->nick);
}

static void hear_let_in(struct irc_wire *w, const struct irc_line *line)
{
	irc_wire_put(w, "CAP END");
}

bool irc_login_hears(struct irc_wire *w, const struct irc_line *line)
{
	static const struct {
		const char *command;
		void (*hear)(struct irc_wire *w, const struct irc_line *line);
	} rows[] = {
		{"001", hear_welcome},       {"433", hear_taken},  {"436", hear_taken},
		{"902", hear_wrong},         {"903", hear_let_in}, {"904", hear_wrong},
		{"905", hear_wrong},         {"906", hear_wrong},  {"CAP", hear_cap},
		{"AUTHENTICATE", hear_sasl},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (text_is(line->command, rows[i].command)) {
			if (w->state == IRC_GREETING)
				rows[i].hear(w, line);
			return true;
		}
	return false;
}
