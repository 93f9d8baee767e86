/* inside.h - what the files of this room share, and nobody else. */
#ifndef SOURCE_INSIDE_H
#define SOURCE_INSIDE_H

#include "base/list.h"
#include "base/map.h"
#include "net/account.h"
#include "net/loop.h"
#include "source/backoff.h"
#include "source/source.h"

#define SOURCES_MAX 1024
#define SOURCE_ID_MAX 64
#define SOURCE_NAME_MAX 64
#define SOURCE_URL_MAX 2048
#define SOURCE_CREDENTIAL_MAX 4096
#define SOURCE_MODELS_MAX 512
#define SOURCE_MODEL_MAX 128
#define SOURCE_META_MAX (16 * KIB)
#define SOURCE_BACKLOG_MAX (8 * MIB)
#define RUNS_MAX 4096 /* the newest ones, whose source is remembered */

struct source_counts {
	uint64_t signals, bytes, bad, connects, dropped;
	int64_t last_ms;       /* when the last signal came; 0: none did */
	uint64_t second;       /* of the loop's clock ... */
	unsigned here, before; /* ... how many came in it, and in the one before */
};

struct source {
	struct sources *all;
	struct link in_all;     /* sources.list */
	struct link in_changed; /* sources.changed */
	struct grave grave;

	char *id, *name, *url, *protocol, *color;
	char *credential, *model;          /* NULL: none, none chosen */
	const struct transport *transport; /* NULL: nobody speaks the protocol */
	bool is_guessed;                   /* the protocol */
	bool is_local, is_configured;
	const struct transport *takes_from; /* whose own credential it was told to take: found.h */
	bool is_untried; /* the credential: somebody gave it, and it has let us in nowhere yet */
	bool is_wanted;  /* somebody wants it connected */
	enum source_state state;
	char *error, *last_error; /* of the state; of anything: NULL: none */
	void *line;               /* what the transport opened; NULL: it is closed */
	void *memory;
	char **models;
	size_t model_count;
	char *meta;
	struct source_counts counts;

	/* What is decided at the end of the turn. */
	struct later settling;
	const struct transport *becomes; /* another protocol ... */
	bool is_lost;                    /* ... or a loss */
	struct loss loss;
	char *loss_words;

	struct backoff backoff;
	struct deadline retry;
	uint64_t live_ms;    /* of the loop, since when it is; 0: it is not */
	int64_t retry_at_ms; /* 0: it does not wait */

	struct account *account;
	struct buf backlog; /* what came beyond its share of the turn or the second: intake.c */
	size_t backlog_used;
	struct link in_waiting; /* sources.waiting or sources.held */
	uint64_t turn;          /* of which the share is left */
	size_t share;
	bool is_hushed, is_held; /* its transport reads nothing; because it was too fast */
};

struct source_run {
	char id[BACK_RUN_MAX + 1];
	struct source *source; /* NULL: nobody, or it is gone */
};

struct sources {
	struct sources_options options;
	struct link list; /* source.in_all: locals and others in the order of coming */
	size_t count;
	struct map by_id, names; /* names: how many have it, ids too */
	struct source *last;
	struct store *store;
	unsigned colors; /* given so far */
	bool is_stopped;
	unsigned found; /* a bit for each of transports[]: its own credential was there */

	struct link changed; /* source.in_changed: to be told */
	struct buf removed;  /* ids, as JSON with commas */
	struct later telling;
	struct deadline beat; /* tells of counters, once a second */

	struct turn intake;
	struct link waiting; /* source.in_waiting: those with a backlog */
	struct link held;    /* likewise: those that were too fast */
	struct deadline ease;
	uint64_t turn;
	size_t left; /* of what all may be taken of in this turn */

	struct source_run *runs; /* a ring of RUNS_MAX */
	size_t run_count;        /* ever */
};

struct source *source_create(struct sources *all, const struct source_wish *wish);
void source_destroy(struct source *source); /* freed at the end of the turn */
void source_set_protocol(struct source *source, struct text protocol);
void source_begin(struct source *source);          /* connects, at once */
void source_end(struct source *source);            /* disconnects */
void source_close(struct source *source);          /* closes the line and says nothing */
void source_replace(char **at, struct text value); /* empty: NULL */

void source_tell_state(const struct source *source, enum source_state from);
void sources_mark(struct source *source); /* it changed: tell at the end of the turn */
void sources_stir(struct source *source); /* its counters did: tell within a second */

void runs_forget(struct source *source);

#endif
