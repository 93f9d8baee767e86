/* inside.h - a signal under admission, for admit.c, plain.c and compose.c alone. */
#ifndef BUS_INSIDE_H
#define BUS_INSIDE_H

#include "bus/admit.h"
#include "signal/json.h"

/* The members of an envelope that have a meaning to us. */
enum member {
	MEMBER_ID,
	MEMBER_TYPE,
	MEMBER_TIMESTAMP,
	MEMBER_SOURCE,
	MEMBER_CORRELATION,
	MEMBER_METADATA,
	MEMBER_PAYLOAD,
	MEMBER_SEQ,
	MEMBER_OTHER, /* and how many there are before it */
};

struct admit {
	struct admit_options options;
	struct json_reader json;
	yyjson_doc *empty; /* {}, for a payload that is not there */
	struct buf body;   /* when the text itself will not do */
	struct buf source; /* a prefix and a name */
	char uuid[36];

	/* The signal at hand. */
	const struct admit_from *from;
	struct error *why;
	struct text raw;                  /* from brace to brace */
	yyjson_val *root;                 /* the same, parsed */
	bool wrapped;                     /* it is no envelope but the payload of one */
	bool cuts;                        /* some of it must go */
	bool is_user;                     /* what somebody did on a screen: the stage's */
	yyjson_val *values[MEMBER_OTHER]; /* NULL: missing, or a null to be filled */
	yyjson_val *first_other;          /* the key of the first unknown member */
	size_t other_count;
	yyjson_val *twice; /* a key that was seen before */
};

enum member member_of(struct text name);

/* A null here is as good as nothing: it is cut, and a value filled in. */
static inline bool member_is_filled(enum member member)
{
	return member == MEMBER_ID || member == MEMBER_TIMESTAMP || member == MEMBER_SOURCE ||
	       member == MEMBER_PAYLOAD;
}

/* Types that speak for people or for us: not for whoever shows no credential. */
bool admit_is_closed(struct text type);

/* plain.c: the ordinary case.  False: it is not one, and must be looked at. */
bool admit_plainly(struct admit *admit, struct text raw, const struct admit_from *from,
                   struct draft *out);

/* Sets body and at_ms of `out`, whose id and source are set; false when there is no
 * room for what is filled in. */
bool compose(struct admit *admit, struct draft *out);

#endif
