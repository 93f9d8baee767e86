/* adapter_inside.h - what the files of an outside adapter share. */
#ifndef DELIVER_ADAPTER_INSIDE_H
#define DELIVER_ADAPTER_INSIDE_H

#include "base/list.h"
#include "deliver/adapter/adapter_child.h"
#include "deliver/buckets.h"
#include "deliver/fetches.h"

struct adapter {
	struct channel_options options;
	char *channel, *account, *directory;
	char **command, **env; /* ended by NULL; env has the credential */
	struct json_reader reader;

	struct adapter_info info;
	bool is_known;      /* info has told */
	bool is_asked_anew; /* info is called by its other name */
	unsigned info_fails;
	struct error why; /* nobody is there */
	struct adapter_child *asked, *monitor, *stream, *health;
	struct deadline again, check; /* info is asked again; health is */
	bool was_told, is_connected;  /* by health */
	int64_t heard_ms;             /* of the newest event */

	/* In. */
	char *place;        /* of the newest message that was taken */
	struct buf waiting; /* lines that could not be taken */
	int64_t since_ms;   /* up to then nothing is missing; 0: nothing has come yet */
	int64_t newest_ms;  /* of all that came */
	struct adapter_child *fill;
	struct deadline fill_due;
	bool has_gap, is_filled, fills_again;
	unsigned fill_fails, fill_count;

	/* Files of people. */
	char *media; /* where the adapter puts them */
	struct fetches fetches;
	int64_t sweep_ms;

	/* A check that is under way. */
	struct channel_check checked;
	struct adapter_child *asks;
	unsigned check_step;

	char *accounts; /* as it answered, or NULL */
	struct adapter_child *asks_accounts;
	struct deadline accounts_due;

	/* Out: one call is under way at a time. */
	struct link calls; /* adapter_call.in_adapter; the first is under way if `is_out` */
	size_t call_count;
	bool is_out;
	struct deadline due; /* of the call that is under way */
	struct buckets chats;
};

/* ---- channel_adapter.c ---- */

int64_t adapter_now(const struct adapter *a);
/* What is usual on a channel of this name, and what its adapter says that it can; NULL: not yet. */
struct channel_traits adapter_traits(const char *name, const struct adapter_info *info);
/* The options of a command, but its callbacks; words: those behind the account, ended by NULL.
 * False: there are too many. */
#define ADAPTER_ARGS_MAX 80
struct adapter_argv {
	const char *words[ADAPTER_ARGS_MAX];
};
bool adapter_argv(const struct adapter *a, enum adapter_ability ability, const char *const *words,
                  struct adapter_argv *out);
struct adapter_child_options adapter_child_of(struct adapter *a, const struct adapter_argv *argv);

/* ---- adapter_in.c ---- */

void adapter_in_init(struct adapter *a, struct text place);
void adapter_in_finish(struct adapter *a);
void adapter_open_monitor(struct adapter *a);
void adapter_fill(struct adapter *a);    /* something may have come that nobody heard */
bool adapter_hand_on(struct adapter *a); /* true: nothing waits any more */

/* ---- adapter_files.c ---- */

void adapter_files_init(struct adapter *a);
void adapter_files_finish(struct adapter *a);
void adapter_fetch(void *self, const struct channel_fetch *fetch);
int64_t adapter_files_tick(struct adapter *a, int64_t now_ms);

/* ---- adapter_check.c ---- */

void adapter_check(void *self, const struct channel_check *check);
void adapter_check_finish(struct adapter *a);
void adapter_watch_accounts(struct adapter *a); /* asks for them, now and then */
void adapter_accounts(void *self, struct buf *out);

/* ---- adapter_calls.c ---- */

void adapter_calls_init(struct adapter *a);
void adapter_calls_finish(struct adapter *a);
void adapter_open_stream(struct adapter *a);

void adapter_send(void *self, const struct channel_message *m);
void adapter_look(void *self, const struct channel_message *m);
void adapter_edit(void *self, const struct channel_message *m);
void adapter_remove(void *self, const struct channel_message *m);
void adapter_type(void *self, const struct channel_message *where, bool shows);
bool adapter_stream(void *self, const struct channel_message *m, enum channel_flow flow);
int64_t adapter_ready(void *self, const struct channel_message *where, int64_t now_ms);
int64_t adapter_calls_tick(struct adapter *a, int64_t now_ms);

#endif
