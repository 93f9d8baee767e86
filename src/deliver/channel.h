/* channel.h - one kind of chat, as one table.
 *
 * A channel is told what to do and reports facts; when a message leaves, whether it leaves again
 * and what people may ask is decided elsewhere, once: outbox.h, stages.h.
 *
 * To add one: write deliver/NAME/channel_NAME.c with one `const struct channel_kind channel_NAME`,
 * and give channels.c a row.
 */
#ifndef DELIVER_CHANNEL_H
#define DELIVER_CHANNEL_H

#include "base/error.h"
#include "deliver/message.h"
#include "deliver/traits.h"
#include "deliver/wrote.h"

struct buf;
struct channel_press;
struct config_adapter;
struct loop;

enum channel_act { CHANNEL_SEND, CHANNEL_LOOK, CHANNEL_EDIT, CHANNEL_REMOVE };

/* Of a message that grows. */
enum channel_flow {
	CHANNEL_SAYS,   /* it says this now, which begins with what it said */
	CHANNEL_ENDS,   /* and that is all: the answer to its send() follows */
	CHANNEL_BREAKS, /* likewise, because its agent failed or was stopped */
};

enum channel_answer {
	CHANNEL_ACCEPTED,
	CHANNEL_REFUSED, /* for good, with words */
	CHANNEL_AWAY,    /* it did not leave, and may later: nobody is there */
	CHANNEL_LATER,   /* it did not leave, and may when ready() says so: only this chat waits */
	CHANNEL_UNKNOWN, /* it left, and nobody knows: where look() can tell, it is asked */
	CHANNEL_ABSENT,  /* of look(): it is not there */
};

struct channel_result {
	enum channel_act act; /* what is answered */
	enum channel_answer answer;
	struct text delivery;
	unsigned piece;
	struct text message; /* the platform's id, of what is accepted */
	const struct error *why;
};

/* How it stands with its platform. */
enum channel_state {
	CHANNEL_CONNECTED,
	CHANNEL_CONNECTING,
	CHANNEL_GONE,   /* it is not there, and may be later */
	CHANNEL_DENIED, /* it does not let us in */
};

/* Who is told what a check finds, one by one, and then its end; from inside, too. */
struct channel_check {
	void *self;
	void (*found)(void *self, bool is_good, const char *words);
	void (*done)(void *self);
};

struct channel_options {
	const struct config_adapter *config; /* lives as long as the channel; NULL: built in */
	const char *data;                    /* where relative paths begin */
	struct loop *loop;                   /* or NULL, in tests of pure units; so is the next */
	struct processes *processes;
	struct text credential;     /* of the configuration; during open() only */
	struct text app_credential; /* likewise */
	struct text place;          /* of the newest message that is on the disk; empty: none is */
	void *self;
	void (*wake)(void *self); /* call tick() soon */
	/* False: not now, the same message has to come again. */
	bool (*came)(void *self, const struct channel_inbound *inbound);
	/* Is all that came on the disk?  Before that a platform is not told that it came. */
	bool (*kept)(void *self);
	void (*learned)(void *self, const struct channel_traits *traits); /* of channel_outside() */
	/* tell() follows, from inside or later. */
	void (*pressed)(void *self, const struct channel_press *press);
	/* Some bytes of what is fetched.  False: no more is wanted, nor fetched(). */
	bool (*part)(void *self, uint64_t number, struct text bytes);
	/* Once for each fetch(), from inside too: all of it came, or why not. */
	void (*fetched)(void *self, uint64_t number, const struct error *why);
	/* Once for each send(), look(), edit() and remove(), from inside too. */
	void (*answered)(void *self, const struct channel_result *result);
};

struct channel_kind {
	const char *name;
	struct channel_traits traits;
	void *(*open)(const struct channel_options *options, struct error *why);
	void (*close)(void *self);
	void (*send)(void *self, const struct channel_message *message);
	void (*look)(void *self, const struct channel_message *message); /* with can_recognise */
	/* With can_type; NULL: nex.typing tells it. */
	void (*type)(void *self, const struct channel_message *where, bool shows);
	/* With can_edit.  What has the text already, or is gone already, is accepted. */
	void (*edit)(void *self, const struct channel_message *message);
	void (*remove)(void *self, const struct channel_message *message);
	/* With can_stream.  False: another message has to leave, so this one should end. */
	bool (*stream)(void *self, const struct channel_message *message, enum channel_flow flow);
	/* Optional: when something may go to that chat, as the platform's limits are. */
	int64_t (*ready)(void *self, const struct channel_message *where, int64_t now_ms);
	/* With buttons: what became of a press, for who pressed. */
	void (*tell)(void *self, const struct channel_press *press, struct text words);
	/* Optional: why has words unless all is well, also of what is connected. */
	enum channel_state (*state)(void *self, struct error *why);
	/* Optional: the accounts of its platform that it knows, members of a list of JSON. */
	void (*accounts)(void *self, struct buf *out);
	/* Optional: is everything there that it needs?  In the place of one that is under way. */
	void (*check)(void *self, const struct channel_check *check);
	/* Optional, with files: within a minute or two it is there, or is not. */
	void (*fetch)(void *self, const struct channel_fetch *fetch);
	/* Optional: what is to be done now; when it wants to be called again. */
	int64_t (*tick)(void *self, int64_t now_ms);
};

#endif
