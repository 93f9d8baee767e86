/* said_text.c - texts that grow at their end and are cut at their beginning. */
#include <stdlib.h>

#include "base/must.h"
#include "run/said_parts.h"

#define ROOM_MIN 64
#define JSON_MAX (2048 * MIB) /* above what a signal may have */

struct text said_text(const struct said_text *t)
{
	if (t->end == t->start)
		return TEXT("");
	return (struct text){t->at + t->start, t->end - t->start};
}

static bool begins_character(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

/* What was cut is given up only when half as much as is kept came since, so that a byte is
 * moved seldom. */
static void make_room(struct said_text *t, size_t more)
{
	size_t len = t->end - t->start;

	if (t->start > 0 && t->start >= len / 2) {
		memmove(t->at, t->at + t->start, len);
		t->start = 0;
		t->end = len;
	}
	if (more <= t->room - t->end)
		return;
	t->room = t->room * 2 < t->end + more ? t->end + more : t->room * 2;
	if (t->room < ROOM_MIN)
		t->room = ROOM_MIN;
	t->at = must_grow(t->at, t->room);
}

static void append(struct said_text *t, struct text piece)
{
	if (piece.len == 0)
		return;
	if (piece.len > t->room - t->end)
		make_room(t, piece.len);
	memcpy(t->at + t->end, piece.at, piece.len);
	t->end += piece.len;
}

static struct text newest(struct text t, size_t characters)
{
	size_t at = t.len;

	while (at > 0 && characters > 0)
		characters -= begins_character(t.at[--at]);
	return (struct text){t.at + at, t.len - at};
}

static void drop_oldest(struct said_text *t, size_t characters)
{
	while (characters-- > 0)
		do
			t->start++;
		while (t->start < t->end && !begins_character(t->at[t->start]));
}

/* It has, or will have, more bytes than there may be characters. */
static void append_counted(struct said_text *t, struct text piece)
{
	struct text tail = newest(piece, SAID_TEXT_MAX);

	if (!t->characters)
		t->characters = utf8_count(said_text(t));
	append(t, tail);
	t->characters += utf8_count(tail);
	if (t->characters > SAID_TEXT_MAX) {
		drop_oldest(t, t->characters - SAID_TEXT_MAX);
		t->characters = SAID_TEXT_MAX;
		t->is_cut = true;
	}
	t->is_cut = t->is_cut || tail.len < piece.len;
}

void said_text_grow(struct said_text *t, struct text piece)
{
	if (t->end - t->start + piece.len <= SAID_TEXT_MAX)
		append(t, piece);
	else
		append_counted(t, piece);
}

void said_text_settle(struct said_text *t)
{
	size_t len = t->end - t->start;

	if (len == 0 || len == t->room)
		return;
	memmove(t->at, t->at + t->start, len);
	t->at = must_grow(t->at, len);
	t->start = 0;
	t->end = t->room = len;
}

void said_json_take(struct said_json *json, yyjson_val *value)
{
	struct text kept;
	struct buf all;

	if (!value)
		return;
	buf_init(&all, JSON_MAX);
	json_add(&all, value);
	kept = utf8_cut(buf_text(&all), SAID_TOOL_MAX);
	free(json->at);
	json->at = text_dup(kept);
	json->len = kept.len;
	json->is_cut = kept.len < all.len;
	buf_finish(&all);
}
