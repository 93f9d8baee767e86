/* sse.c - lines, fields, events. */
#include "parse/sse.h"

#include <assert.h>
#include <limits.h>

#include "base/scan.h"

#define NAME_MAX_LEN 256
#define ID_MAX_LEN (4 * KIB)
#define FIELD_MAX_LEN 16 /* "event", a colon and a space, and some mercy */

void sse_reader_init(struct sse_reader *reader, size_t event_max)
{
	*reader = (struct sse_reader){0};
	buf_init(&reader->line, event_max + FIELD_MAX_LEN);
	buf_init(&reader->data, event_max);
	buf_init(&reader->name, NAME_MAX_LEN);
	buf_init(&reader->id, ID_MAX_LEN);
	buf_init(&reader->next_id, ID_MAX_LEN);
}

void sse_reader_finish(struct sse_reader *reader)
{
	buf_finish(&reader->line);
	buf_finish(&reader->data);
	buf_finish(&reader->name);
	buf_finish(&reader->id);
	buf_finish(&reader->next_id);
}

static void set(struct buf *b, struct text value)
{
	buf_clear(b);
	if (!buf_add(b, value))
		buf_clear(b);
}

void sse_reader_restart(struct sse_reader *reader)
{
	buf_clear(&reader->line);
	buf_clear(&reader->data);
	buf_clear(&reader->name);
	set(&reader->next_id, buf_text(&reader->id));
	reader->began = reader->had_cr = reader->has_data = false;
	reader->skips = reader->spoiled = false;
}

/* --- fields ------------------------------------------------------------------ */

static void spoil(struct sse_reader *reader)
{
	if (!reader->spoiled)
		reader->too_long(reader->self);
	reader->spoiled = true;
}

static void take_data(struct sse_reader *reader, struct text value)
{
	if (reader->has_data)
		buf_add_char(&reader->data, '\n');
	reader->has_data = true;
	buf_add(&reader->data, value);
	if (reader->data.full)
		spoil(reader);
	assert(reader->has_data);
}

static void take_retry(struct sse_reader *reader, struct text value)
{
	uint64_t ms;

	if (text_to_u64(value, &ms))
		reader->retry_ms = ms > UINT_MAX ? UINT_MAX : (unsigned)ms;
}

static void take_id(struct sse_reader *reader, struct text value)
{
	if (value.len && memchr(value.at, '\0', value.len))
		return;
	set(&reader->next_id, value);
	reader->has_id = true;
}

/* The first byte and the length say which field it can be.  Comments and unknown fields are
 * passed over. */
static void take_field(struct sse_reader *reader, struct text line)
{
	struct text value, field = text_cut(line, ':', &value);

	if (value.len && value.at[0] == ' ')
		value = (struct text){value.at + 1, value.len - 1};
	switch (field.len ? field.at[0] : 0) {
	case 'd':
		if (text_equal(field, TEXT("data")))
			take_data(reader, value);
		break;
	case 'e':
		if (text_equal(field, TEXT("event")))
			set(&reader->name, value);
		break;
	case 'i':
		if (text_equal(field, TEXT("id")))
			take_id(reader, value);
		break;
	case 'r':
		if (text_equal(field, TEXT("retry")))
			take_retry(reader, value);
		break;
	}
}

/* --- lines ------------------------------------------------------------------- */

static void sse_dispatch(struct sse_reader *reader)
{
	const struct parse_event event = {buf_text(&reader->name), buf_text(&reader->data)};

	if (reader->has_data && !reader->spoiled)
		reader->event(reader->self, &event);
	buf_clear(&reader->data);
	buf_clear(&reader->name);
	reader->has_data = reader->spoiled = false;
	assert(reader->data.len == 0 && reader->name.len == 0);
}

static bool sse_is_json(struct text line)
{
	return line.len && (line.at[0] == '{' || line.at[0] == '[');
}

static void sse_take_line(struct sse_reader *reader, struct text line)
{
	if (!reader->began && text_starts(line, TEXT("\xEF\xBB\xBF")))
		line = (struct text){line.at + 3, line.len - 3};
	reader->began = true;
	if (line.len == 0) {
		set(&reader->id, buf_text(&reader->next_id));
		sse_dispatch(reader);
	} else if (sse_is_json(line)) {
		reader->event(reader->self, &(struct parse_event){.data = line});
	} else {
		take_field(reader, line);
	}
}

/* A line of JSON stands for itself; any other spoils the event it is a part of. */
static void pass_over(struct sse_reader *reader, struct text piece)
{
	assert(!reader->skips);
	if (sse_is_json(reader->line.len ? buf_text(&reader->line) : piece))
		reader->too_long(reader->self);
	else
		spoil(reader);
	reader->skips = true;
}

static void sse_keep(struct sse_reader *reader, struct text piece)
{
	if (!reader->skips && !buf_add(&reader->line, piece))
		pass_over(reader, piece);
}

static void sse_end_line(struct sse_reader *reader, struct text piece)
{
	if (reader->line.len == 0 && !reader->skips && piece.len <= reader->line.max) {
		sse_take_line(reader, piece);
		return;
	}
	sse_keep(reader, piece);
	if (!reader->skips)
		sse_take_line(reader, buf_text(&reader->line));
	buf_clear(&reader->line);
	reader->skips = false;
	assert(reader->line.len == 0 && !reader->skips);
}

void sse_reader_feed(struct sse_reader *reader, struct text bytes)
{
	while (bytes.len) {
		size_t n;

		if (reader->had_cr && bytes.at[0] == '\n')
			bytes = (struct text){bytes.at + 1, bytes.len - 1};
		reader->had_cr = false;
		n = (size_t)(scan_line(bytes.at, bytes.at + bytes.len) - bytes.at);
		if (n == bytes.len) {
			sse_keep(reader, bytes);
			return;
		}
		reader->had_cr = bytes.at[n] == '\r';
		sse_end_line(reader, (struct text){bytes.at, n});
		bytes = (struct text){bytes.at + n + 1, bytes.len - n - 1};
	}
}

void sse_reader_end(struct sse_reader *reader)
{
	if (reader->has_id && reader->drops_half)
		return;
	if (reader->line.len)
		sse_end_line(reader, (struct text){NULL, 0});
	sse_dispatch(reader);
}
