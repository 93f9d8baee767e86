/* inside.h - what the files of this room share: a signal under admission, and what is folded. */
#ifndef BUS_INSIDE_H
#define BUS_INSIDE_H

#include "base/list.h"
#include "bus/admit.h"
#include "journal/state.h"
#include "signal/envelope.h"
#include "signal/json.h"

/* ---- admit.c, plain.c and compose.c ---- */

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
	struct text raw;        /* from brace to brace */
	struct members members; /* what it says, and what of it counts */
	bool cuts;              /* some of it must go */
	bool is_user;           /* what somebody did on a screen: the stage's */
	bool is_plain;          /* it was read in place, and keeps its schema; else: */

	yyjson_val *root;                 /* raw, parsed */
	bool wrapped;                     /* it is no envelope but the payload of one */
	yyjson_val *values[MEMBER_OTHER]; /* NULL: missing, or a null to be filled */
	yyjson_val *first_other;          /* the key of the first unknown member */
	size_t other_count;
	yyjson_val *twice; /* a key that was seen before */
};

enum member member_of(struct text name);

/* plain.c: the ordinary case, read where it lies.  False: it is not one, and a document must be
 * made of it.  Then its body, once it is admitted; false when there is no room. */
bool admit_read_plain(struct admit *admit);
bool admit_place_plain(struct admit *admit, struct draft *out);

/* Sets body, at_ms and filled of `out`, whose id and source are set; false when there is no
 * room for what is filled in. */
bool compose(struct admit *admit, struct draft *out);

/* ---- folds.c and folds_save.c ---- */

struct folded {
	const struct fold_kind *kind;
	void *self;
	struct folds *folds;
	uint64_t seq;
	bool is_past; /* not later: it has yet to hear the past */
	/* later */
	struct journal_reader *reader; /* NULL: closed */
	unsigned watchers;
	uint64_t purse; /* signals that may be folded until the next tick */
	/* while it is saved */
	struct state_piece *saved; /* NULL: it is not */
	size_t saved_begun;        /* where its section begins */
	uint64_t saved_seq;        /* where it stood then */
	bool has_more;

	struct link in_folds;   /* folds.all */
	struct link in_at_once; /* folds.at_once */
};

struct folds {
	struct journal *journal;
	struct signal_reader *lines;
	struct link all, at_once; /* in the order of joining */
	uint64_t counted;         /* the newest signal at the last tick */
	bool few_come;
	bool is_closed; /* a stop: what is saved now is of the end */
	/* A checkpoint under way. */
	bool is_save_due, is_saving;
	bool is_dated; /* all have begun, and the state stands at its seq */
	struct saved_state state;
	/* Of a moment of the past: up to where all is folded, and the checkpoint before it. */
	bool is_of_past;
	uint64_t moment, kept_seq;
	struct buf kept;
};

/* Does it follow the journal? */
bool folded_is_later(const struct folded *folded);
/* From the checkpoint; false: it has none there, or none that is good. */
bool folded_load(struct folded *folded);
/* False: it stands still, for its state is being saved, and the time was too short for the rest. */
bool folded_may_go_on(struct folded *folded, uint64_t until_ns);
/* One step of a checkpoint, the least that a turn can do; false: it is whole. */
bool folds_save_step(struct folds *folds);
void folds_save_begin(struct folds *folds);
void folds_save_abandon(struct folds *folds); /* the one under way, if any */

#endif
