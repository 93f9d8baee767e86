/* config.h - what the operator decided, as plain values.
 *
 * Each value comes from the first of these that says something: a flag, the
 * environment (SIGNALBOX_LISTEN, SIGNALBOX_AUTH_LOCAL, ...: the path of the key
 * in capitals), the file, the default.  All four are read by the same table
 * (fields.c), so a value means the same wherever it stands.
 *
 * Ownership: everything in a struct config is its own; config_finish frees it.
 * To add a key: a member here, a row in fields.c, a paragraph in signalbox.yaml.5.scd.
 */
#ifndef CONFIG_CONFIG_H
#define CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/log.h"
#include "config/auth.h"
#include "config/limits.h"
#include "config/machine.h"
#include "config/triggers.h"

enum config_validation { CONFIG_VALIDATE_OFF, CONFIG_VALIDATE_WARN, CONFIG_VALIDATE_STRICT };

struct config_listen {
	char *address, *dialect; /* "127.0.0.1:7446"; pinned to / and /ws, or NULL */
	char *cert, *key;        /* PEM files: it speaks TLS; or neither */
	unsigned local;          /* instead of auth.local, for who comes through it */
	bool has_local;
	char **origins; /* pages that may speak its dialect there */
	size_t origin_count, allow_count;
	char *source, **allow; /* of a dialect without credentials alone: whom it asks, who comes */
};

struct config_log {
	enum log_level level;
	enum log_format format;
	char **rooms; /* "hub=debug" */
	size_t room_count;
};

struct config_journal {
	size_t keep;        /* bytes; 0: no limit */
	unsigned days;      /* 0: no limit */
	size_t segment;     /* bytes */
	unsigned commit_ms; /* the longest a signal waits to be written */
	unsigned sync_ms;   /* and then to be synced, if nobody waits for it */
};

struct config_source {
	char *id, *name, *url, *protocol, *model; /* id and url are there */
	char *credential;                         /* its value, once ${NAME} was looked up */
	char *credential_file;                    /* one of the two, or neither */
	bool connect;
	struct config_delay human_delay; /* over that of the chat, as is the next */
	enum config_tools tool_results;
};

struct config {
	char *file, *prices; /* what was read, and a list of prices; NULL: none was there */
	char *data;          /* DATA; never NULL after a load */
	struct config_listen *listen;
	size_t listen_count;
	struct config_log log;
	enum config_validation validation;
	struct config_auth auth;
	struct config_journal journal;
	struct config_limits limits;
	struct config_demo demo;
	struct config_source *sources;
	size_t source_count;
	struct config_discover discover;
	enum config_transcripts transcripts;
	struct config_crew crew;
	struct config_notify notify;
	struct config_budget budget;
	struct config_phone phone;
	struct config_adapter *adapters; /* of chats */
	size_t adapter_count;
	struct config_streaming streaming;
	struct config_person *people;
	size_t person_count;
	struct config_policy *access;
	size_t policy_count;
	struct config_deliver deliver;
	struct config_media media;
	struct config_prompts prompts;
	struct config_automation *automations;
	size_t automation_count;
	struct config_route *routes;
	size_t route_count;
	_Alignas(max_align_t) char groups[CONFIG_GROUPS_SIZE]; /* of other rooms: fields.h */
};

/* A flag that sets a key: {"--listen", "listen", "127.0.0.1:0"}.  A list's flags
 * add up, and together replace what the environment or the file say. */
struct config_flag {
	const char *flag; /* for words of complaint */
	const char *key;  /* its path: "log.level" */
	const char *value;
};

struct config_sources {
	const char *file;       /* --config; NULL: SIGNALBOX_CONFIG, then the usual places */
	const char *const *env; /* "NAME=value", ended by NULL: environ, or a test's */
	const struct config_flag *flags;
	size_t flag_count;
	/* The demo keeps its signals out of the user's own journal: without a flag or a variable
	 * its data is beside the default directory, whatever the file says. */
	bool is_demo;
};

/* On failure config is as after config_finish, and `why` says where the fault
 * is: "signalbox.yaml:3:7: unknown key 'lisen', did you mean 'listen'?". */
bool config_load(struct config *config, const struct config_sources *sources, struct error *why);
void config_finish(struct config *config);

#endif
