/* transport.h - how bytes come from one kind of producer.
 *
 * A transport reports the facts of its source (live, gone, received, lost) and
 * decides nothing: when to try again, what state that is and what is counted is
 * written once, in source.c.
 *
 * To add one: write source/FOLDER/NAME.c with one `const struct transport
 * transport_NAME`, add one line to registry.c, describe it in docs/sources.md.
 */
#ifndef SOURCE_TRANSPORT_H
#define SOURCE_TRANSPORT_H

#include "bus/backs.h"
#include "source/tell.h"

struct backoff_rule;
struct source;

struct transport {
	const char *protocol; /* "websocket", "openai", ... */
	const char *parser;   /* the parse kind of what comes without being asked for; NULL: none */

	/* Begins.  NULL when it cannot even begin: why says so, and it counts as lost
	 * for good.  Facts are never reported from inside it. */
	void *(*open)(struct source *source, struct error *why);
	/* Ends, at once and silently.  What it has asked upstream is closed. */
	void (*close)(void *self);

	bool (*send)(void *self, struct text message, struct error *why);       /* optional */
	bool (*ask)(void *self, const struct back_ask *ask, struct error *why); /* optional */
	/* Optional: ends the run upstream and here, in one completion with success
	 * false.  BACK_UNKNOWN: there is no such run.  BACK_TAKEN: the producer was asked
	 * to, and source_verdict() follows, once and never from inside. */
	enum back_answer (*cancel)(void *self, const struct back_control *control,
	                           struct error *why);

	/* Optional: BACK_UNKNOWN when the run is none of its own. */
	enum back_answer (*control)(void *self, const struct back_control *control,
	                            struct error *why);
	/* Optional: is the run its own, and could it do that to it now? */
	bool (*can)(void *self, struct text run, struct text op);
	/* Optional: false when it could not be sent. */
	bool (*reply)(void *self, const struct back_outcome *reply, struct error *why);

	bool keeps_origin; /* its parser keeps `metadata.origin` */

	void (*forget)(void *memory); /* optional: frees what source_memory() kept */
	/* Optional: gives nothing until it is told to go on: it does not read, or what
	 * cannot wait is held here, within a limit.  One that floods and cannot be hushed
	 * is lost. */
	void (*hush)(void *self, bool hush);

	/* Optional: what its producer's own configuration here names, to be wiped and freed. */
	char *(*own_credential)(void);

	/* What was asked goes on where it was asked, whatever becomes of the box. */
	bool works_on;

	const struct backoff_rule *retry; /* NULL: 0.5 s doubling to 30 s, for ever */
};

extern const struct transport *const transports[]; /* ended by NULL */
const struct transport *transport_find(struct text protocol);

/* --- what a transport may know of its source -------------------------------- */

struct loop;
struct requests;

/* The id is what its signals are from when their bytes name nobody. */
struct text source_id(const struct source *source);
struct text source_name(const struct source *source);
const char *source_url(const struct source *source);
const char *source_credential(const struct source *source); /* NULL: none.  Never logged */
bool source_is_untried(const struct source *source);   /* its credential let us in nowhere yet */
struct text source_model(const struct source *source); /* the one chosen, or the first */
struct loop *source_loop(const struct source *source);
struct requests *source_requests(const struct source *source);
const char *source_data_dir(const struct source *source); /* DATA: for keys of its own */
unsigned source_silence_ms(const struct source *source);  /* an answer may be silent for so long */

/* What outlives a connection, NULL at first: where to resume, what was said in a
 * session.  It goes, by forget(), with the source or when it gets another address
 * or protocol. */
void **source_memory(struct source *source);

/* --- the facts, and some remarks ---------------------------------------------- */

struct loss {
	const char *why;         /* in words for people; NULL: the peer closed in peace */
	unsigned retry_after_ms; /* the peer asked for so much patience; 0: it did not */
	/* Trying again makes no sense: a bad certificate, a 401.  Without a why it has
	 * come to its end and is disconnected. */
	bool for_good;
};

void source_live(struct source *source);
/* What it reads is not there: the transport stays open, and waits for it to be live again. */
void source_gone(struct source *source, const char *why);
void source_received(struct source *source, struct text envelope);
/* The same, and where the source is after it: the next life of the box goes on there.  An
 * empty one takes back what was said before. */
void source_received_at(struct source *source, struct text envelope, struct text at);
struct text source_position(const struct source *source); /* of the last life; empty: none */
/* The transport is closed after it, at the end of the turn, by source.c. */
void source_lost(struct source *source, const struct loss *loss);

void source_bad(struct source *source, const char *why);     /* a frame that nobody understands */
void source_dropped(struct source *source, const char *why); /* a signal there was no room for */
void source_erred(struct source *source, const char *why);   /* what else went wrong last */
void source_set_models(struct source *source, const struct text *models, size_t n);
void source_set_meta(struct source *source, struct text frame); /* the newest `{"meta":...}` */

/* Nobody chose the protocol: it was guessed from the URL, and whoever finds out
 * better may say so.  Then this transport is closed at the end of the turn and the
 * other one opened in its place. */
bool source_is_guessed(const struct source *source);
void source_become(struct source *source, const char *protocol);

#endif
