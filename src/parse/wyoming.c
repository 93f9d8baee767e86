/* wyoming.c - see wyoming.h. */
#include "parse/wyoming.h"

#include "base/put.h"
#include "signal/json.h"

#define VERSION "1.10.2" /* of the protocol that we were written against */
#define RATE_MIN 4000
#define RATE_MAX 192000
#define CHANNELS_MAX 8

void wyoming_reader_init(struct wyoming_reader *reader)
{
	*reader = (struct wyoming_reader){0};
	buf_init(&reader->bytes, WYOMING_LINE_MAX + WYOMING_DATA_MAX + WYOMING_PAYLOAD_MAX);
}

static void forget_event(struct wyoming_reader *reader)
{
	yyjson_doc_free(reader->line);
	yyjson_doc_free(reader->more);
	reader->line = reader->more = NULL;
	reader->begin += reader->used;
	reader->used = 0;
}

void wyoming_reader_finish(struct wyoming_reader *reader)
{
	forget_event(reader);
	buf_finish(&reader->bytes);
}

bool wyoming_reader_add(struct wyoming_reader *reader, struct text bytes)
{
	forget_event(reader);
	buf_drop(&reader->bytes, reader->begin);
	reader->begin = 0;
	return buf_add(&reader->bytes, bytes);
}

/* ---- reading ---- */

static yyjson_val *object_of(yyjson_doc *doc)
{
	yyjson_val *root = yyjson_doc_get_root(doc);

	return yyjson_is_obj(root) ? root : NULL;
}

/* A length that the line names; none is 0. */
static bool read_length(yyjson_val *line, const char *key, size_t max, size_t *out)
{
	yyjson_val *length = yyjson_obj_get(line, key);

	*out = 0;
	if (!length || yyjson_is_null(length))
		return true;
	if (!yyjson_is_uint(length) || yyjson_get_uint(length) > max)
		return false;
	*out = (size_t)yyjson_get_uint(length);
	return true;
}

static bool read_line(struct wyoming_reader *reader, struct text line, struct error *why)
{
	reader->line = yyjson_read(line.at, line.len, 0);
	if (!object_of(reader->line))
		return error_set(why, "a line that is no JSON object");
	if (!yyjson_is_str(yyjson_obj_get(object_of(reader->line), "type")))
		return error_set(why, "a line without a type");
	return true;
}

/* The event whose line was read, if the other parts are there.  rest follows the line. */
static enum wyoming_read read_parts(struct wyoming_reader *reader, struct text rest,
                                    struct wyoming_event *event, struct error *why)
{
	yyjson_val *line = object_of(reader->line), *type = yyjson_obj_get(line, "type");
	size_t data, payload;

	if (!read_length(line, "data_length", WYOMING_DATA_MAX, &data) ||
	    !read_length(line, "payload_length", WYOMING_PAYLOAD_MAX, &payload)) {
		error_set(why, "a length that is no number, or over the limit");
		return WYOMING_BROKEN;
	}
	if (rest.len < data + payload)
		return WYOMING_MORE;
	if (data) {
		reader->more = yyjson_read(rest.at, data, 0);
		if (!object_of(reader->more)) {
			error_set(why, "data that is no JSON object");
			return WYOMING_BROKEN;
		}
	}
	*event = (struct wyoming_event){
		.type = {yyjson_get_str(type), yyjson_get_len(type)},
		.payload = {rest.at + data, payload},
		.line = yyjson_obj_get(line, "data"),
		.more = object_of(reader->more),
	};
	reader->used = (size_t)(rest.at - reader->bytes.at) - reader->begin + data + payload;
	return WYOMING_EVENT;
}

enum wyoming_read wyoming_read(struct wyoming_reader *reader, struct wyoming_event *event,
                               struct error *why)
{
	struct text waiting, line, rest;

	forget_event(reader);
	if (!reader->bytes.len)
		return WYOMING_MORE;
	waiting =
		(struct text){reader->bytes.at + reader->begin, reader->bytes.len - reader->begin};
	line = text_cut(waiting, '\n', &rest);
	if (line.len > WYOMING_LINE_MAX) {
		error_set(why, "a line over %zu bytes", WYOMING_LINE_MAX);
		return WYOMING_BROKEN;
	}
	if (!rest.at)
		return WYOMING_MORE;
	if (!read_line(reader, line, why))
		return WYOMING_BROKEN;
	return read_parts(reader, rest, event, why);
}

yyjson_val *wyoming_member(const struct wyoming_event *event, const char *key)
{
	yyjson_val *found = yyjson_obj_get(event->more, key);

	return found ? found : yyjson_obj_get(event->line, key);
}

struct text wyoming_text(const struct wyoming_event *event, const char *key)
{
	return json_text(wyoming_member(event, key));
}

int64_t wyoming_number(const struct wyoming_event *event, const char *key, int64_t other)
{
	yyjson_val *member = wyoming_member(event, key);

	return yyjson_is_int(member) ? yyjson_get_sint(member) : other;
}

bool wyoming_flag(const struct wyoming_event *event, const char *key)
{
	return yyjson_is_true(wyoming_member(event, key));
}

/* ---- writing ---- */

void wyoming_write(struct buf *out, const char *type, struct text data, struct text payload)
{
	struct buf line; /* its own: a comma would follow what stands in out */

	buf_init(&line, WYOMING_LINE_MAX);
	put_object(&line, NULL);
	put_word(&line, "type", type);
	put_word(&line, "version", VERSION);
	if (data.len)
		put_u64(&line, "data_length", data.len);
	if (payload.len)
		put_u64(&line, "payload_length", payload.len);
	put_end(&line);
	buf_add_char(&line, '\n');
	buf_add(out, buf_text(&line));
	buf_add(out, data);
	buf_add(out, payload);
	buf_finish(&line);
}

bool wyoming_format_of(const struct wyoming_event *event, struct wyoming_format *out,
                       struct error *why)
{
	int64_t rate = wyoming_number(event, "rate", 0);
	int64_t width = wyoming_number(event, "width", 0);
	int64_t channels = wyoming_number(event, "channels", 0);

	if (rate < RATE_MIN || rate > RATE_MAX)
		return error_set(why, "sound at %lld samples a second", (long long)rate);
	if (width != 2)
		return error_set(why, "sound with samples of %lld bytes; 2 are known",
		                 (long long)width);
	if (channels < 1 || channels > CHANNELS_MAX)
		return error_set(why, "sound in %lld channels", (long long)channels);
	*out = (struct wyoming_format){(int)rate, (int)width, (int)channels};
	return true;
}

void wyoming_write_sound(struct buf *out, const char *type, const struct wyoming_format *format,
                         struct text pcm)
{
	struct buf data;

	buf_init(&data, KIB);
	if (format) {
		put_object(&data, NULL);
		put_i64(&data, "rate", format->rate);
		put_i64(&data, "width", format->width);
		put_i64(&data, "channels", format->channels);
		put_end(&data);
	}
	wyoming_write(out, type, buf_text(&data), pcm);
	buf_finish(&data);
}
