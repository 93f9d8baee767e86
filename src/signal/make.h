/* make.h - writing a signal member by member.
 *
 *	make_begin(&m, &out, &(struct make_head){.type = "text_delta", .source = name});
 *	make_payload(&m);
 *	make_text(&m, "agentId", agent);
 *	make_text(&m, "content", words);
 *	if (make_end(&m))
 *		...
 *
 * Members go to what was begun last: the payload, or the metadata.  The buffer is the caller's;
 * what passes its ceiling, or is too deep for the bus, is no signal in the end.
 */
#ifndef SIGNAL_MAKE_H
#define SIGNAL_MAKE_H

#include <yyjson.h>

#include "base/buf.h"

#define MAKE_WHOLE_MAX 1e15 /* up to here a double has every whole number, and printf no exponent */

struct make {
	struct buf *out;
	bool has_member;       /* so the next one is behind a comma */
	bool has_part;         /* the payload or the metadata is open */
	const char *broken;    /* why it is no signal; NULL: it is one so far */
	size_t id_at, time_at; /* where they stand in the buffer, an id as it is; 0: nowhere */
};

/* What is empty or 0 is left out, but for a type and a source that is not NULL: the bus fills
 * in an id, a time and a source. */
struct make_head {
	const char *type; /* a word of ours; NULL: type_text is it */
	struct text type_text;
	struct text id, source, correlation;
	double at_ms;
	bool is_new; /* without an id or a time it gets a new one, and now */
};

void make_begin(struct make *m, struct buf *out, const struct make_head *head);
void make_payload(struct make *m);
void make_metadata(struct make *m);
/* With the bytes of one that was begun before, up to the brace of its payload. */
void make_begin_like(struct make *m, struct buf *out, struct text head);
bool make_end(struct make *m); /* false: broken, or the buffer is full */

/* A key is a word of ours: it is written as it is.  Empty texts are written too; what is NULL is
 * left out, and make_given() leaves out what is empty. */
void make_text(struct make *m, const char *key, struct text value);
void make_given(struct make *m, const char *key, struct text value);
void make_word(struct make *m, const char *key, const char *value);
void make_u64(struct make *m, const char *key, uint64_t value);
void make_bool(struct make *m, const char *key, bool value);
void make_json(struct make *m, const char *key, yyjson_val *value);
/* json: known to be one JSON text.  Its line ends become spaces. */
void make_raw(struct make *m, const char *key, struct text json);
/* An object stays, anything else becomes {"value":...}, nothing is left out. */
void make_object(struct make *m, const char *key, yyjson_val *value);
/* A member under a name of theirs, and all members of an object. */
void make_value(struct make *m, struct text key, yyjson_val *value);
void make_members(struct make *m, yyjson_val *object);

/* For what is written by others: the comma, where one is needed, and the key. */
void make_key(struct make *m, const char *key);

/* Containers within containers of what is known to be JSON. */
unsigned make_depth(struct text json);

#endif
