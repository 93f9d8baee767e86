/* think.c - telling thoughts from words. */
#include "parse/think.h"

#include <assert.h>

#define OPENING TEXT("<think>")
#define CLOSING TEXT("</think>")

static struct text after(struct text t, size_t n)
{
	assert(n <= t.len);
	return (struct text){t.at + n, t.len - n};
}

static void hand_on(bool is_thought, struct text words, think_fn *give, void *self)
{
	if (words.len)
		give(self, is_thought, words);
}

static void think_release(struct think *think, think_fn *give, void *self)
{
	struct text held = {think->held, think->held_len};

	think->held_len = 0;
	hand_on(think->where == THINK_INSIDE, held, give, self);
}

static bool think_is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Could this be white space and the beginning of the tag? */
static bool may_open(struct text held)
{
	while (held.len && think_is_space(held.at[0]))
		held = after(held, 1);
	return text_starts(OPENING, held);
}

static bool opens(struct text held)
{
	return held.len >= OPENING.len && text_equal(after(held, held.len - OPENING.len), OPENING);
}

/* Takes bytes while they may be the opening tag; the rest is given back.  Words are
 * not cut in two where they came in one piece. */
static struct text look_for_opening(struct think *think, struct text piece, think_fn *give,
                                    void *self)
{
	struct text rest = piece;
	size_t held_before = think->held_len;

	assert(think->where == THINK_BEFORE && think->held_len <= THINK_HELD_MAX);
	while (rest.len && think->held_len < THINK_HELD_MAX) {
		struct text held = {think->held, think->held_len + 1};

		think->held[think->held_len] = rest.at[0];
		if (!may_open(held))
			break;
		think->held_len++;
		rest = after(rest, 1);
		if (opens(held)) {
			think->held_len = 0;
			think->where = THINK_INSIDE;
			return rest;
		}
	}
	if (rest.len == 0)
		return rest;
	think->held_len = held_before;
	think->where = THINK_UNSURE;
	think_release(think, give, self);
	return piece;
}

/* How many bytes at the end of t are the beginning of the closing tag. */
static size_t begun_tag(struct text t)
{
	size_t n = CLOSING.len - 1 < t.len ? CLOSING.len - 1 : t.len;

	while (n && memcmp(t.at + t.len - n, CLOSING.at, n) != 0)
		n--;
	return n;
}

/* A tag that began in the piece before and goes on here: how much of it; 0: none. */
static size_t continued_tag(const struct think *think, struct text piece)
{
	struct text rest = after(CLOSING, think->held_len);
	size_t n = piece.len < rest.len ? piece.len : rest.len;

	assert(think->held_len <= CLOSING.len);
	return think->held_len && memcmp(piece.at, rest.at, n) == 0 ? n : 0;
}

static void think_hold(struct think *think, struct text t)
{
	assert(think->held_len + t.len <= sizeof(think->held));
	memcpy(think->held + think->held_len, t.at, t.len);
	think->held_len += t.len;
}

/* Words before a tag that may still come are not known to be thoughts. */
static void give_before(struct think *think, struct text words, think_fn *give, void *self)
{
	bool is_thought = think->where == THINK_INSIDE;

	if (words.len == 0)
		return;
	think->has_given |= !is_thought;
	think->last = words.at[words.len - 1];
	give(self, is_thought, words);
}

/* The tag has come, behind these words, which came with it. */
static void close_thoughts(struct think *think, struct text words, think_fn *give, void *self)
{
	assert(think->where == THINK_INSIDE || think->where == THINK_UNSURE);
	hand_on(true, words, give, self);
	think->was_thought = think->has_given;
	think->held_len = 0;
	think->where = THINK_AFTER;
}

/* Where the tag is in the piece; NULL: nowhere.  A text about tags has them quoted. */
static const char *find_closing(const struct think *think, struct text piece)
{
	const char *tag = memmem(piece.at, piece.len, CLOSING.at, CLOSING.len);
	char before = tag && tag > piece.at ? tag[-1] : think->last;

	return tag && think->where == THINK_UNSURE && before == '`' ? NULL : tag;
}

static struct text look_for_closing(struct think *think, struct text piece, think_fn *give,
                                    void *self)
{
	size_t n = continued_tag(think, piece);
	const char *tag;

	if (n && think->held_len + n < CLOSING.len) {
		think_hold(think, piece);
		return after(piece, piece.len);
	}
	if (n) {
		close_thoughts(think, TEXT(""), give, self);
		return after(piece, n);
	}
	if (think->held_len) {
		struct text held = {think->held, think->held_len};

		think->held_len = 0;
		give_before(think, held, give, self);
	}
	tag = find_closing(think, piece);
	if (tag) {
		n = (size_t)(tag - piece.at);
		close_thoughts(think, (struct text){piece.at, n}, give, self);
		return after(piece, n + CLOSING.len);
	}
	n = piece.len - begun_tag(piece);
	give_before(think, (struct text){piece.at, n}, give, self);
	think_hold(think, after(piece, n));
	return after(piece, piece.len);
}

void think_feed(struct think *think, struct text piece, think_fn *give, void *self)
{
	if (think->where == THINK_BEFORE)
		piece = look_for_opening(think, piece, give, self);
	if (piece.len && (think->where == THINK_INSIDE || think->where == THINK_UNSURE))
		piece = look_for_closing(think, piece, give, self);
	if (think->where == THINK_AFTER)
		hand_on(false, piece, give, self);
}

void think_end(struct think *think, think_fn *give, void *self)
{
	think_release(think, give, self);
}
