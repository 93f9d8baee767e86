/* irc_line.c - RFC 1459 and the message tags of IRCv3. */
#include "deliver/irc/irc_line.h"

#include <ctype.h>

#include "base/utf8.h"

/* ---- from a server ---- */

static struct text next_word(struct text *rest)
{
	struct text word;

	while (rest->len && rest->at[0] == ' ')
		*rest = (struct text){rest->at + 1, rest->len - 1};
	word = text_cut(*rest, ' ', rest);
	return word;
}

static struct text without_first(struct text t)
{
	return (struct text){t.at + 1, t.len - 1};
}

static void read_tags(struct irc_line *line, struct text tags)
{
	while (tags.len) {
		struct text value, tag = text_cut(tags, ';', &tags);
		struct text name = text_cut(tag, '=', &value);

		if (text_is(name, "account"))
			line->account = value;
		else if (text_is(name, "msgid"))
			line->msgid = value;
		else if (text_is(name, "bot") || text_is(name, "draft/bot") ||
		         text_is(name, "inspircd.org/bot"))
			line->is_bot = true;
	}
}

static void read_prefix(struct irc_line *line, struct text prefix)
{
	struct text person, user;

	person = text_cut(prefix, '@', &line->host);
	line->nick = text_cut(person, '!', &user);
	line->user = user;
}

static void read_params(struct irc_line *line, struct text rest)
{
	while (line->count < IRC_PARAMS_MAX) {
		while (rest.len && rest.at[0] == ' ')
			rest = without_first(rest);
		if (!rest.len)
			return;
		if (rest.at[0] == ':' || line->count + 1 == IRC_PARAMS_MAX) {
			line->params[line->count++] =
				rest.at[0] == ':' ? without_first(rest) : rest;
			return;
		}
		line->params[line->count++] = next_word(&rest);
	}
}

bool irc_read(struct irc_line *line, struct text text)
{
	*line = (struct irc_line){0};
	if (text.len && memchr(text.at, '\0', text.len))
		return false;
	if (text.len && text.at[0] == '@')
		read_tags(line, without_first(next_word(&text)));
	while (text.len && text.at[0] == ' ')
		text = without_first(text);
	if (text.len && text.at[0] == ':')
		read_prefix(line, without_first(next_word(&text)));
	line->command = next_word(&text);
	read_params(line, text);
	return line->command.len > 0;
}

bool irc_is_service(const struct irc_line *line)
{
	static const char *const services[] = {"NickServ", "ChanServ", "MemoServ", "OperServ",
	                                       "BotServ",  "HostServ", "SaslServ", "InfoServ",
	                                       "HelpServ", "Global",   "GroupServ"};

	if (!line->user.len && !line->host.len)
		return true; /* a server */
	for (size_t i = 0; i < sizeof(services) / sizeof(*services); i++)
		if (text_equal_nocase(line->nick, text_of(services[i])))
			return true;
	return text_is(line->host, "services") || text_starts(line->host, TEXT("services."));
}

struct text irc_param(const struct irc_line *line, unsigned at)
{
	return at < line->count ? line->params[at] : TEXT("");
}

/* ---- what people write ---- */

static bool is_digit_at(struct text t, size_t at)
{
	return at < t.len && text_is_digit(t.at[at]);
}

/* Behind a colour: up to two digits, and after a comma two more. */
static size_t after_colour(struct text t, size_t at)
{
	for (int part = 0; part < 2; part++) {
		if (part == 1) {
			if (at >= t.len || t.at[at] != ',' || !is_digit_at(t, at + 1))
				return at;
			at++;
		}
		for (int i = 0; i < 2 && is_digit_at(t, at); i++)
			at++;
	}
	return at;
}

void irc_add_words(struct buf *out, struct text text)
{
	enum { COLOUR = 3, TAB = 9 };

	for (size_t i = 0; i < text.len;) {
		unsigned char c = (unsigned char)text.at[i];
		size_t n = c < 0x80 ? 1 : utf8_length((struct text){text.at + i, text.len - i});

		if (c == COLOUR)
			i = after_colour(text, i + 1);
		else if (n == 0 || (c < ' ' && c != TAB) || c == 0x7f)
			i++;
		else {
			buf_add(out, (struct text){text.at + i, n});
			i += n;
		}
	}
}

/* Characters of nicks, as RFC 2812 has them; a byte of UTF-8 is one as well. */
static bool is_of_nick(char c)
{
	return isalnum((unsigned char)c) || (unsigned char)c >= 0x80 || strchr("[]\\`_^{|}-", c);
}

static bool is_nick_at(struct text text, struct text nick, size_t at)
{
	if (text.len - at < nick.len ||
	    !text_equal_nocase((struct text){text.at + at, nick.len}, nick))
		return false;
	return (at == 0 || !is_of_nick(text.at[at - 1])) &&
	       (at + nick.len == text.len || !is_of_nick(text.at[at + nick.len]));
}

bool irc_mentions(struct text text, struct text nick, struct text *rest)
{
	size_t from = text.len && text.at[0] == '@' ? 1 : 0, at;

	*rest = text;
	if (!nick.len)
		return false;
	at = from + nick.len;
	if (at < text.len && is_nick_at(text, nick, from) && strchr(":,", text.at[at])) {
		*rest = text_trim((struct text){text.at + at + 1, text.len - at - 1});
		return true;
	}
	for (size_t i = 0; i + nick.len <= text.len; i++)
		if (is_nick_at(text, nick, i))
			return true;
	return false;
}

/* ---- to a server ---- */

static bool is_end(char c)
{
	return c == '\n' || c == '\r' || c == '\0';
}

/* Where a line that is too long ends: before the last space, or in the middle of a word. */
static size_t cut_line(struct text line, size_t max)
{
	struct text part = utf8_cut(line, max);

	for (size_t i = part.len; i > max / 2; i--)
		if (line.at[i] == ' ')
			return i;
	return part.len ? part.len : max;
}

bool irc_next(struct text text, size_t max, size_t *at, struct text *line)
{
	while (*at < text.len) {
		size_t end = *at;

		while (end < text.len && !is_end(text.at[end]))
			end++;
		*line = (struct text){text.at + *at, end - *at};
		if (line->len > max)
			line->len = cut_line(*line, max);
		*at += line->len;
		while (*at < text.len &&
		       (is_end(text.at[*at]) || (text.at[*at] == ' ' && *at < end)))
			(*at)++;
		while (line->len && line->at[line->len - 1] == ' ')
			line->len--;
		if (text_trim(*line).len)
			return true;
	}
	return false;
}

bool irc_is_name(struct text name)
{
	if (!name.len || name.len > 200 || name.at[0] == ':')
		return false;
	for (size_t i = 0; i < name.len; i++)
		if ((unsigned char)name.at[i] <= ' ' || name.at[i] == ',' || name.at[i] == 0x7f)
			return false;
	return true;
}

unsigned irc_pay_line(struct irc_pace *pace, uint64_t now_ms)
{
	const uint64_t ahead_ms = (IRC_LINES_AT_ONCE - 1) * IRC_LINE_MS;

	if (pace->paid_ms < now_ms)
		pace->paid_ms = now_ms;
	if (pace->paid_ms > now_ms + ahead_ms)
		return (unsigned)(pace->paid_ms - now_ms - ahead_ms);
	pace->paid_ms += IRC_LINE_MS;
	return 0;
}
