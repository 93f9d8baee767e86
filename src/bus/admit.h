/* admit.h - from a producer's bytes to an envelope that may be stored; pure.
 *
 * Refused, with a reason: not JSON (RFC 8259 on valid UTF-8; an escaped lone
 * surrogate is admitted), not an object, too big, too deep, members of the
 * envelope given twice, a payload or metadata that is not an object, an id,
 * source or correlationId that is not a string, a timestamp that is not a
 * number; in strict mode also unknown members and a payload that breaks its
 * type's schema, of what people do (user.*) unless the mode is off.
 *
 * Mended: a missing or null id, timestamp, source or payload is filled; an
 * object without a string `type` becomes type "event" with the object as its
 * payload; a producer's `seq` and `metadata.origin` are cut out; CR and LF
 * between tokens become spaces.  All else is carried through byte for byte.
 */
#ifndef BUS_ADMIT_H
#define BUS_ADMIT_H

#include "base/buf.h"
#include "base/error.h"
#include "base/text.h"
#include "signal/kind.h"

/* What the box says itself; nobody else may use the name. */
#define SOURCE_OF_BOX TEXT("signalbox")
/* Sources of who has no credential begin so. */
#define SOURCE_LOCAL TEXT("local/")

enum admit_mode { ADMIT_OFF, ADMIT_WARN, ADMIT_STRICT };

enum admit_reason {
	ADMIT_OK,
	ADMIT_NOT_JSON,
	ADMIT_NOT_OBJECT,
	ADMIT_TOO_BIG,
	ADMIT_TOO_DEEP,
	ADMIT_DUPLICATE,   /* a member of the envelope, twice */
	ADMIT_WRONG_TYPE,  /* of an envelope member */
	ADMIT_SCHEMA,      /* strict mode */
	ADMIT_FORBIDDEN,   /* a type or source this producer may not use */
	ADMIT_NO_ENVELOPE, /* it was to be one: admit_from.envelope_only */
	ADMIT_REASONS,
};

/* The box's own signals may be as long, whatever is allowed to others. */
#define ADMIT_OWN_MAX ((size_t)1024 * 1024)

struct admit_options {
	enum admit_mode mode;
	size_t size_max;    /* bytes of one signal: 1 MiB */
	unsigned depth_max; /* containers within containers: 64 */
};

/* Who the bytes come from, and when. */
struct admit_from {
	struct text name;        /* fills a missing source */
	int64_t (*now_ms)(void); /* fills a missing timestamp; NULL: clock_wall_ms */
	/* Not empty: an uncredentialled local producer.  Its source becomes this
	 * prefix, a plain word, and the name it gave ("local/" + name); user.*, prompt, answer,
	 * control, source.* and journal.* are refused to it, and so is a source
	 * that may_name (when set) says no to. */
	struct text prefix;
	bool (*may_name)(void *self, struct text source);
	void *self;
	bool is_box; /* it may say SOURCE_OF_BOX */
	/* A client, and none of our sources: what people do on its screen (user.*) has
	 * the source "stage" whatever it says, and is refused in warn mode too when it
	 * breaks its schema. */
	bool is_client;
	/* A parser of ours made it: `metadata.origin`, the last of its metadata, stays. */
	bool keeps_origin;
	/* Nothing but an envelope: a string `type`, and no `op`, which would make it a
	 * message of another kind. */
	bool envelope_only;
};

/* What may be stored.  Texts are valid until the next admit_read, and as long as what
 * was read stays as it is: they may lie in it. */
struct draft {
	struct text body; /* the envelope after its brace: `"id":"a",...}` */
	size_t filled;    /* bytes at its end: a timestamp that was filled in, and the brace */
	struct text id, type, source, correlation;
	enum signal_kind kind;
	double at_ms;
	bool breaks_schema;  /* warn mode: admitted, and counted */
	struct error broken; /* how, when it does */
};

struct admit;

size_t admit_most(const struct admit_options *options); /* bytes of any signal */
struct admit *admit_create(const struct admit_options *options);
void admit_destroy(struct admit *admit);
void admit_set_mode(struct admit *admit, enum admit_mode mode);

/* ADMIT_OK, or why not (and `why` in words). */
enum admit_reason admit_read(struct admit *admit, struct text raw, const struct admit_from *from,
                             struct draft *out, struct error *why);

/* What a body has in common with every other try of the same bytes: all of it but
 * a timestamp that was filled in. */
struct text admit_stable(const struct draft *draft);

/* What stands before the body in the journal: `{"seq":7,`.  One that was filled in is the last
 * member, `,"timestamp": 1700000000000}`; when a producer wrote its own so, there is a space
 * before the comma.  So the same can be said of a line that is read again. */
void admit_stamp(struct buf *out, uint64_t seq, const struct draft *draft);
struct text admit_stable_line(struct text line); /* at is NULL: it has no body */

/* "not_json", "too_deep", ...: for counters and error bodies. */
const char *admit_reason_name(enum admit_reason reason);

#endif
