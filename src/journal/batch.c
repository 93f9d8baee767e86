/* batch.c - heads of batches, in words that a person can read. */
#include "journal/batch.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/crc32c.h"
#include "signal/position.h"

#define TITLE_FORM 2
#define TITLE_START TEXT("{\"journal\":")
#define CHECK TEXT(",\"check\":\"")
#define HEX_DIGITS 8

static const char *const kinds[] = {
	[ENTRY_LINES] = "",
	[ENTRY_GAP] = ",\"kind\":\"gap\"",
	[ENTRY_FORGOTTEN] = ",\"kind\":\"forgotten\"",
};

/* Ends a line of ours that has len bytes. */
static size_t add_check(char out[BATCH_HEAD_MAX], size_t len)
{
	int more = snprintf(out + len, BATCH_HEAD_MAX - len, ",\"check\":\"%08x\"}\n",
	                    (unsigned)crc32c(0, out, len));

	assert(more > 0 && len + (size_t)more < BATCH_HEAD_MAX);
	return len + (size_t)more;
}

size_t batch_head_write(char out[BATCH_HEAD_MAX], const struct index_entry *e)
{
	char part[24] = "";
	int len;

	assert(e->kind >= ENTRY_LINES && e->kind <= ENTRY_FORGOTTEN);
	if (e->place)
		snprintf(part, sizeof part, ",\"part\":%u", (unsigned)e->place);
	len = snprintf(out, BATCH_HEAD_MAX,
	               "{\"commit\":%llu,\"first\":%llu,\"bytes\":%u%s%s,\"crc32c\":\"%08x\"",
	               (unsigned long long)e->last, (unsigned long long)e->first,
	               (unsigned)e->length, part, kinds[e->kind], (unsigned)e->crc);
	assert(len > 0 && len < BATCH_HEAD_MAX);
	return add_check(out, (size_t)len);
}

/* ---- reading, each step of which moves on ---- */

static bool skip(struct text *t, struct text expected)
{
	if (!text_starts(*t, expected))
		return false;
	*t = (struct text){t->at + expected.len, t->len - expected.len};
	return true;
}

static bool take_number(struct text *t, uint64_t max, uint64_t *out)
{
	size_t n = 0;

	while (n < t->len && t->at[n] >= '0' && t->at[n] <= '9')
		n++;
	if (!text_to_u64((struct text){t->at, n}, out) || *out > max || (n > 1 && t->at[0] == '0'))
		return false;
	*t = (struct text){t->at + n, t->len - n};
	return true;
}

static bool take_hex(struct text *t, uint32_t *out)
{
	static const char digits[] = "0123456789abcdef";

	if (t->len < HEX_DIGITS)
		return false;
	*out = 0;
	for (size_t i = 0; i < HEX_DIGITS; i++) {
		const char *digit = memchr(digits, t->at[i], sizeof digits - 1);

		if (!digit)
			return false;
		*out = *out << 4 | (uint32_t)(digit - digits);
	}
	*t = (struct text){t->at + HEX_DIGITS, t->len - HEX_DIGITS};
	return true;
}

static uint8_t take_kind(struct text *t)
{
	for (int kind = ENTRY_GAP; kind <= ENTRY_FORGOTTEN; kind++)
		if (skip(t, text_of(kinds[kind])))
			return (uint8_t)kind;
	return ENTRY_LINES;
}

static bool take_part(struct text *t, uint16_t *out)
{
	uint64_t part = 0;

	if (skip(t, TEXT(",\"part\":")) && (!take_number(t, UINT16_MAX, &part) || part == 0))
		return false;
	*out = (uint16_t)part;
	return true;
}

static bool take_all(struct text t, struct index_entry *e)
{
	uint64_t bytes;

	if (!skip(&t, BATCH_HEAD_START) || !take_number(&t, SEQ_MAX, &e->last) ||
	    !skip(&t, TEXT(",\"first\":")) || !take_number(&t, SEQ_MAX, &e->first) ||
	    !skip(&t, TEXT(",\"bytes\":")) || !take_number(&t, BATCH_BYTES_MAX, &bytes) ||
	    !take_part(&t, &e->place))
		return false;
	e->length = (uint32_t)bytes;
	e->kind = take_kind(&t);
	return skip(&t, TEXT(",\"crc32c\":\"")) && take_hex(&t, &e->crc) && text_is(t, "\"");
}

/* Cuts the check off, if it is right. */
static bool take_check(struct text *line)
{
	const size_t end_len = CHECK.len + HEX_DIGITS + 2; /* the quote and the brace */
	struct text start, end;
	uint32_t check;

	if (line->len <= end_len)
		return false;
	start = (struct text){line->at, line->len - end_len};
	end = (struct text){line->at + start.len, end_len};
	*line = start;
	return skip(&end, CHECK) && take_hex(&end, &check) && text_is(end, "\"}") &&
	       check == crc32c(0, start.at, start.len);
}

bool batch_head_read(struct text line, struct index_entry *e)
{
	*e = (struct index_entry){0};
	return text_starts(line, BATCH_HEAD_START) && take_check(&line) && take_all(line, e) &&
	       e->first > 0 && e->first <= e->last && e->last < SEGMENT_SEQ_MAX && e->length > 0;
}

size_t batch_head_length(const struct index_entry *e)
{
	char head[BATCH_HEAD_MAX];

	return batch_head_write(head, e);
}

bool batch_find_head(struct text bytes, bool at_line, struct index_entry *e, size_t *at)
{
	const char *end = bytes.at + bytes.len, *line = bytes.at, *newline;

	if (!at_line) {
		newline = bytes.len ? memchr(line, '\n', bytes.len) : NULL;
		if (!newline)
			return false;
		line = newline + 1;
	}
	for (; line < end; line = newline + 1) {
		newline = memchr(line, '\n', (size_t)(end - line));
		if (!newline)
			return false;
		if (batch_head_read((struct text){line, (size_t)(newline - line)}, e)) {
			*at = (size_t)(line - bytes.at);
			return true;
		}
	}
	return false;
}

bool batch_is_blank(struct text bytes)
{
	for (size_t i = 0; i < bytes.len; i++)
		if (bytes.at[i] != '\n' && bytes.at[i] != '\0')
			return false;
	return true;
}

/* ---- the first line of a segment ---- */

size_t batch_write_title(char out[BATCH_HEAD_MAX], uint64_t first)
{
	int len = snprintf(out, BATCH_HEAD_MAX, "{\"journal\":%d,\"segment\":%llu", TITLE_FORM,
	                   (unsigned long long)first);

	assert(first > 0 && len > 0 && len < BATCH_HEAD_MAX);
	return add_check(out, (size_t)len);
}

enum batch_title batch_read_title(struct text bytes, size_t *length)
{
	struct text rest, line = text_cut(bytes, '\n', &rest);
	uint64_t form;

	*length = 0;
	if (line.len == bytes.len || !take_check(&line) || !skip(&line, TITLE_START) ||
	    !take_number(&line, UINT32_MAX, &form))
		return TITLE_NONE;
	if (form > TITLE_FORM)
		return TITLE_NEWER;
	if (form < TITLE_FORM || !skip(&line, TEXT(",\"segment\":")))
		return TITLE_NONE;
	*length = bytes.len - rest.len;
	return TITLE_OURS;
}
