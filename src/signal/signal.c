/* signal.c - reading a line of the journal back. */
#include "signal/signal.h"

#include <stdlib.h>

#include "base/must.h"
#include "signal/json.h"

/* Admission bounds a line, by a limit that may be set up to 1 GiB; so here the
 * ceiling only has to be above that. */
#define LINE_MAX_BYTES (2048 * MIB)

#define SEQ_PREFIX "{\"seq\":"

struct signal_reader {
	struct json_reader json;
};

struct signal_reader *signal_reader_create(void)
{
	struct signal_reader *reader = must_alloc(sizeof(*reader));

	json_reader_init(&reader->json, LINE_MAX_BYTES);
	return reader;
}

void signal_reader_destroy(struct signal_reader *reader)
{
	if (!reader)
		return;
	json_reader_finish(&reader->json);
	free(reader);
}

static bool take_text(struct text *out, yyjson_val *value)
{
	*out = json_text(value);
	return out->at != NULL;
}

/* False when the member is one of ours and is not what the bus would store. */
static bool take_member(struct signal *out, struct text name, yyjson_val *value)
{
	switch (name.len) {
	case 2:
		return memcmp(name.at, "id", 2) != 0 || take_text(&out->id, value);
	case 4:
		return memcmp(name.at, "type", 4) != 0 || take_text(&out->type, value);
	case 6:
		return memcmp(name.at, "source", 6) != 0 || take_text(&out->source, value);
	case 9:
		return memcmp(name.at, "timestamp", 9) != 0 || json_number(value, &out->at_ms);
	case 13:
		return memcmp(name.at, "correlationId", 13) != 0 ||
		       take_text(&out->correlation, value);
	default:
		return true;
	}
}

bool signal_read(struct signal_reader *reader, struct text line, struct signal *out,
                 struct error *why)
{
	yyjson_doc *doc = json_read(&reader->json, line, why);
	yyjson_obj_iter iter;
	yyjson_val *key;

	if (!doc)
		return false;
	*out = (struct signal){
		.seq = signal_seq_of(line),
		.line = line,
		.reader = &reader->json,
		.envelope = yyjson_doc_get_root(doc),
	};
	iter = yyjson_obj_iter_with(out->envelope);
	while ((key = yyjson_obj_iter_next(&iter)))
		if (!take_member(out, json_text(key), yyjson_obj_iter_get_val(key)))
			return error_set(why, "not a signal: %.13s", yyjson_get_str(key));
	if (!out->type.at || !out->id.at || !out->source.at)
		return error_set(why, "not a signal: no id, type or source");
	out->kind = kind_of(out->type);
	return true;
}

uint64_t signal_seq_of(struct text line)
{
	uint64_t seq = 0;
	size_t i;

	if (!text_starts(line, TEXT(SEQ_PREFIX)))
		return 0;
	for (i = sizeof(SEQ_PREFIX) - 1; i < line.len; i++) {
		if (line.at[i] < '0' || line.at[i] > '9')
			break;
		if (__builtin_mul_overflow(seq, 10, &seq) ||
		    __builtin_add_overflow(seq, (uint64_t)(line.at[i] - '0'), &seq))
			return 0;
	}
	return i < line.len ? seq : 0;
}
