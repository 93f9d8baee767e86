/* wyoming.h - events of Wyoming, the protocol of speech engines, for both of its ends; pure.
 *
 *	{"type":"audio-chunk","data_length":40,"payload_length":640}\n  40 bytes of JSON  640 bytes
 *
 * An event is a line, and what the line says follows it: more members of its data, and a
 * payload.  The protocol knows no stranger: whoever reads decides who may speak to it.
 */
#ifndef PARSE_WYOMING_H
#define PARSE_WYOMING_H

#include <yyjson.h>

#include "base/buf.h"
#include "base/error.h"

#define WYOMING_LINE_MAX (64 * KIB)
#define WYOMING_DATA_MAX (256 * KIB)
#define WYOMING_PAYLOAD_MAX (1 * MIB)

/* Valid until the next call for the same reader. */
struct wyoming_event {
	struct text type;
	struct text payload;
	yyjson_val *line, *more; /* the two parts of its data; NULL: none */
};

struct wyoming_reader {
	struct buf bytes;
	size_t begin; /* of those that are not read */
	size_t used;  /* of these, by the event that was read last */
	yyjson_doc *line, *more;
};

void wyoming_reader_init(struct wyoming_reader *reader);
void wyoming_reader_finish(struct wyoming_reader *reader);

/* False: more waits than one event can be. */
bool wyoming_reader_add(struct wyoming_reader *reader, struct text bytes);

enum wyoming_read {
	WYOMING_MORE, /* the next event is not whole */
	WYOMING_EVENT,
	WYOMING_BROKEN, /* this is not the protocol: nothing can be read any more */
};
enum wyoming_read wyoming_read(struct wyoming_reader *reader, struct wyoming_event *event,
                               struct error *why);

/* Members of an event's data; the second part wins.  Without such a member: empty, or other. */
struct text wyoming_text(const struct wyoming_event *event, const char *key);
int64_t wyoming_number(const struct wyoming_event *event, const char *key, int64_t other);
bool wyoming_flag(const struct wyoming_event *event, const char *key);
yyjson_val *wyoming_member(const struct wyoming_event *event, const char *key);

/* Appends an event; data is a JSON object, or empty. */
void wyoming_write(struct buf *out, const char *type, struct text data, struct text payload);

/* How sound is written: 16 bits, little-endian, interleaved, unless it says otherwise. */
struct wyoming_format {
	int rate, width, channels; /* a second; bytes of a sample */
};
bool wyoming_format_of(const struct wyoming_event *event, struct wyoming_format *out,
                       struct error *why);
/* "audio-start", "audio-chunk" or "audio-stop", which says no format. */
void wyoming_write_sound(struct buf *out, const char *type, const struct wyoming_format *format,
                         struct text pcm);

#endif
