/* backdrop.c - the terminal is asked what is behind its text. */
#include "tui/backdrop.h"

#include <poll.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include "base/clock.h"
#include "tui/style.h"

/* What is behind the text; and what kind of terminal it is, which all of them answer. */
#define QUESTION "\033]11;?\033\\\033[c"
#define ANSWER_MS 200
#define SAID_MAX 512

/* ---- reading the answers ---- */

/* `ESC ] 11 ; WORDS` up to BEL or ESC \; what follows it, or NULL: it is not whole. */
static const char *read_colour(struct text rest, struct backdrop_heard *heard)
{
	size_t head = strlen("\033]11;");

	for (size_t i = head; i < rest.len; i++) {
		bool is_bell = rest.at[i] == '\a';

		if (!is_bell && rest.at[i] != '\033')
			continue;
		if (!is_bell && i + 1 == rest.len)
			return NULL;
		heard->is_known = style_is_light_rgb((struct text){rest.at + head, i - head},
		                                     &heard->is_light);
		return rest.at + i + (is_bell ? 1 : 2);
	}
	return NULL;
}

/* `ESC [ ? WORDS c`. */
static const char *read_kind(struct text rest)
{
	const char *end = memchr(rest.at, 'c', rest.len);

	return end ? end + 1 : NULL;
}

bool backdrop_read(struct text said, struct backdrop_heard *heard, struct buf *typed)
{
	const char *end = said.at + said.len;
	bool is_answered = false;

	*heard = (struct backdrop_heard){0};
	buf_clear(typed);
	for (const char *at = said.at; at < end;) {
		struct text rest = {at, (size_t)(end - at)};
		bool is_colour = text_starts(rest, TEXT("\033]11;"));
		bool is_kind = text_starts(rest, TEXT("\033[?"));

		if (!is_colour && !is_kind) {
			buf_add_char(typed, *at++);
			continue;
		}
		at = is_colour ? read_colour(rest, heard) : read_kind(rest);
		if (!at)
			return false;
		is_answered |= is_kind;
	}
	return is_answered;
}

/* ---- asking ---- */

/* Without echo and without waiting for an end of line. */
static bool backdrop_hush(struct termios *before)
{
	struct termios raw;

	if (tcgetattr(STDIN_FILENO, before) != 0)
		return false;
	raw = *before;
	raw.c_lflag &= ~(tcflag_t)(ECHO | ICANON);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	return tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
}

static void listen_for(struct backdrop_heard *heard, struct buf *typed)
{
	uint64_t end = clock_mono_ns() + ANSWER_MS * 1000000ull;
	char said[SAID_MAX];
	size_t len = 0;

	for (;;) {
		uint64_t now = clock_mono_ns();
		struct pollfd input = {STDIN_FILENO, POLLIN, 0};
		int left = now < end ? (int)((end - now + 999999) / 1000000) : 0;
		ssize_t got;

		if (len == sizeof(said) || left == 0 || poll(&input, 1, left) <= 0)
			return;
		got = read(STDIN_FILENO, said + len, sizeof(said) - len);
		if (got <= 0)
			return;
		len += (size_t)got;
		if (backdrop_read((struct text){said, len}, heard, typed))
			return;
	}
}

static bool backdrop_ask(bool *is_light, struct buf *typed)
{
	struct backdrop_heard heard = {0};
	struct termios before;
	bool asked;

	if (!backdrop_hush(&before))
		return false;
	asked = write(STDOUT_FILENO, QUESTION, strlen(QUESTION)) == (ssize_t)strlen(QUESTION);
	if (asked)
		listen_for(&heard, typed);
	tcsetattr(STDIN_FILENO, TCSANOW, &before);
	*is_light = heard.is_light;
	return heard.is_known;
}

/* A terminal that only prints would print the question. */
static bool can_be_asked(void)
{
	const char *name = getenv("TERM");

	return name && *name && strcmp(name, "dumb") != 0 && strncmp(name, "vt", 2) != 0;
}

bool backdrop_is_light(enum tui_background wanted, struct buf *typed)
{
	const char *pair = getenv("COLORFGBG");
	bool is_light = false;

	if (wanted != TUI_ASK)
		return wanted == TUI_LIGHT;
	if (can_be_asked() && backdrop_ask(&is_light, typed))
		return is_light;
	return pair && style_is_light_pair(text_of(pair), &is_light) && is_light;
}
