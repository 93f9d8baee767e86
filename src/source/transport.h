/* transport.h - how bytes come from one kind of producer.
 *
 * A transport reports the facts of its source (live, gone, received, lost) and
 * decides nothing: when to try again, what state that is and what is counted is
 * written once, in source.c.
 *
 * To add one: write source/FOLDER/NAME.c with one `const struct transport transport_NAME`;
 * what clients and people have to know of it they are told from there.
 * ARCHITECTURE.md lists the files; tests/skeleton/transport is the least that one can be.
 */
#ifndef SOURCE_TRANSPORT_H
#define SOURCE_TRANSPORT_H

#include "bus/backs.h"
#include "source/known.h"
#include "source/tell.h"

struct backoff_rule;
struct source;

struct transport {
	const char *protocol; /* what clients and the configuration call it, in one word */
	const char *label;    /* what it is, for whoever chooses one: "a MIDI port" */
	const char *parser;   /* the parse kind of what comes without being asked for; NULL: none */

	/* How its URLs begin, ended by NULL; NULL itself: it has to be chosen.  A URL is taken
	 * for one of the first transport in the registry that has its scheme, unless another
	 * recognises it. */
	const char *const *schemes;
	bool reads_url;                      /* schemes of its own, which net/url.h does not know */
	bool (*recognises)(struct text url); /* optional */
	/* What may be at such a URL besides, if nobody chose the protocol; NULL: nothing, or,
	 * where its credential is needed and not given, what the scheme alone says. */
	const char *may_become;

	const char *credential; /* what it is let in with: "key", "token"; NULL: nothing */
	bool needs_credential;
	bool has_main_session; /* an ask that names no session goes there */

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
	/* Optional: a request in the producer's own language.  BACK_TAKEN: source_called()
	 * follows, once and never from inside. */
	enum back_answer (*call)(void *self, const struct back_call *call, struct error *why);
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
	const char *owner; /* whose configuration that is: "OpenClaw" */

	/* What was asked goes on where it was asked, whatever becomes of the box. */
	bool works_on;

	const struct backoff_rule *retry; /* NULL: 0.5 s doubling to 30 s, for ever */
};

extern const struct transport *const transports[]; /* ended by NULL */
const struct transport *transport_find(struct text protocol);

extern const char *const source_schemes_http[], *const source_schemes_ws[];
bool source_has_scheme(const char *const *schemes, struct text url);

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

#endif
