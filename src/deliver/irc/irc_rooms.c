/* irc_rooms.c - the rooms of the configuration: which we are in, and which do not let us in. */
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/must.h"
#include "deliver/irc/irc_inside.h"

#define WORDS_MAX 400

/* Which of ours a name is, or room_count. */
static size_t find_room(const struct irc_wire *w, struct text name)
{
	size_t i = 0;

	while (i < w->options.room_count && !text_equal_nocase(name, text_of(w->rooms[i])))
		i++;
	return i;
}

/* Too many rooms; full; by invitation only; banned; a key is needed; no such room; no good name;
 * with a registered nick only; by TLS only. */
static bool is_kept_out(struct text code)
{
	static const char *const codes[] = {"403", "405", "471", "473", "474",
	                                    "475", "476", "477", "489"};

	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++)
		if (text_is(code, codes[i]))
			return true;
	return false;
}

static void set_words(struct irc_wire *w, size_t at, char *words)
{
	free(w->no_rooms[at]);
	w->no_rooms[at] = words;
}

static void hear_kept_out(struct irc_wire *w, const struct irc_line *line)
{
	size_t at = find_room(w, irc_param(line, 1));
	struct text words = irc_param(line, line->count ? line->count - 1 : 0);
	char *made;

	if (at == w->options.room_count || w->in_rooms[at])
		return;
	words.len = chunk_reach(CHUNK_BYTES, words, 200);
	made = must_print("the room %s does not let us in: %.*s", w->rooms[at], TEXT_ARG(words));
	log_warn("deliver", "irc: %s: %s", w->host, made);
	set_words(w, at, made);
}

void irc_rooms_hear(struct irc_wire *w, const struct irc_line *line)
{
	bool joins = text_is(line->command, "JOIN"), parts = text_is(line->command, "PART");
	struct text who = text_is(line->command, "KICK") ? irc_param(line, 1) : line->nick;
	size_t at;

	if (is_kept_out(line->command)) {
		hear_kept_out(w, line);
		return;
	}
	if ((!joins && !parts && !text_is(line->command, "KICK")) ||
	    !text_equal_nocase(who, text_of(w->nick)))
		return;
	at = find_room(w, irc_param(line, 0));
	if (at == w->options.room_count)
		return;
	w->in_rooms[at] = joins;
	set_words(w, at, joins ? NULL : must_print("we were put out of the room %s", w->rooms[at]));
}

void irc_rooms_leave(struct irc_wire *w)
{
	for (size_t i = 0; w->in_rooms && i < w->options.room_count; i++) {
		w->in_rooms[i] = false;
		set_words(w, i, NULL);
	}
}

/* ---- what is told of it ---- */

enum channel_state irc_wire_state(const struct irc_wire *w, struct error *why)
{
	error_set(why, "%s", w->why.words);
	if (w->state != IRC_LIVE)
		return w->is_denied               ? CHANNEL_DENIED
		       : w->wait_ms > IRC_WAIT_MS ? CHANNEL_GONE
		                                  : CHANNEL_CONNECTING;
	for (size_t i = 0; i < w->options.room_count; i++)
		if (w->no_rooms[i])
			error_set(why, "%s", w->no_rooms[i]);
	return CHANNEL_CONNECTED;
}

static void check_rooms(const struct irc_wire *w, const struct channel_check *check)
{
	char words[WORDS_MAX];

	for (size_t i = 0; i < w->options.room_count; i++) {
		snprintf(words, sizeof(words), "the box is %s %s", w->in_rooms[i] ? "in" : "not in",
		         w->rooms[i]);
		check->found(check->self, w->in_rooms[i], w->no_rooms[i] ? w->no_rooms[i] : words);
	}
}

void irc_wire_check(const struct irc_wire *w, const struct channel_check *check)
{
	char words[WORDS_MAX];

	if (w->state != IRC_LIVE)
		return;
	snprintf(words, sizeof(words), "the nick is %s%s", w->nick,
	         strcmp(w->nick, w->wanted) == 0 ? "" : ", because the other one is taken");
	check->found(check->self, true, words);
	if (!w->has_account_tag)
		check->found(check->self, false,
		             "the server does not name accounts (account-tag): everybody there is "
		             "unknown");
	check_rooms(w, check);
}
