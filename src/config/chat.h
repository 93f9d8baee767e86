/* chat.h - chats: where replies go and how, and who may ask there, as a part of struct config.
 *
 * `streaming` stands at the top and in each adapter; what an adapter does not say is as the top
 * says, and what neither says is the channel's own.  So 0, and `auto`, is unset in every member.
 */
#ifndef CONFIG_CHAT_H
#define CONFIG_CHAT_H

#include <stddef.h>

#include "config/field.h"

enum config_switch { CONFIG_AUTO, CONFIG_FALSE, CONFIG_TRUE };
enum config_mode {
	CONFIG_MODE_AUTO,
	CONFIG_MODE_ACCUMULATE,
	CONFIG_MODE_BLOCKS,
	CONFIG_MODE_DRAFT_EDIT,
	CONFIG_MODE_PROGRESS,
};
enum config_typing {
	CONFIG_TYPING_AUTO,
	CONFIG_TYPING_INSTANT,
	CONFIG_TYPING_MESSAGE,
	CONFIG_TYPING_THINKING,
	CONFIG_TYPING_NEVER,
};
enum config_pace {
	CONFIG_PACE_AUTO,
	CONFIG_PACE_OFF,
	CONFIG_PACE_NATURAL,
	CONFIG_PACE_CUSTOM,
	CONFIG_PACE_ON, /* natural by another name */
};
enum config_break {
	CONFIG_BREAK_AUTO,
	CONFIG_BREAK_PARAGRAPH,
	CONFIG_BREAK_NEWLINE,
	CONFIG_BREAK_SENTENCE,
};
enum config_idle { CONFIG_IDLE_AUTO, CONFIG_IDLE_SENDS, CONFIG_IDLE_GATED };

struct config_delay {
	enum config_pace mode;
	unsigned min_ms, max_ms;
};

struct config_coalescing {
	unsigned min_chars, max_chars, idle_ms;
	char *joiner;
	enum config_switch flush_on_enqueue;
	enum config_idle idle;
};

struct config_chunking {
	unsigned min_chars, max_chars;
	enum config_break break_preference;
	enum config_switch flush_on_paragraph;
};

struct config_streaming {
	enum config_switch enabled;
	enum config_mode mode;
	enum config_typing typing;
	unsigned typing_interval_ms;
	struct config_delay human_delay;
	struct config_coalescing coalescing;
	struct config_chunking chunking;
};

enum config_restart { CONFIG_RESTART_TELL, CONFIG_RESTART_AGAIN };
enum config_unknown { CONFIG_UNKNOWN_AGAIN, CONFIG_UNKNOWN_LEAVE };

struct config_adapter {
	char *name, *channel; /* channel NULL: as it is called */
	char *agent;          /* the source that is asked, or NULL */
	char *inbox, *outbox; /* of files */
	char *url;            /* of its platform, where it is not the usual one */
	char *nick;           /* how the box is called there */
	char **rooms;         /* that it enters by itself */
	size_t room_count;
	char *credential; /* its value, once ${NAME} was looked up */
	char *credential_file;
	char *response_prefix;
	enum config_restart on_restart;
	enum config_unknown on_unknown;
	struct config_streaming streaming;
};

struct config_person {
	char *name, *relationship;
	char **identities; /* "CHANNEL:SENDER" */
	size_t identity_count;
};

enum config_decision { CONFIG_ALLOW, CONFIG_DENY };
enum config_queue { CONFIG_QUEUE_FOLLOWUP, CONFIG_QUEUE_INTERRUPT };
enum config_peer { CONFIG_PEER_ANY, CONFIG_PEER_DM, CONFIG_PEER_GROUP, CONFIG_PEER_CHANNEL };

struct config_policy {
	char *who;     /* owner, known, unknown, any, or a person's name */
	char *channel; /* or an adapter's name; NULL: any */
	enum config_peer peer;
	bool mention; /* in a group: only where the agent is mentioned */
	enum config_decision decision;
	unsigned rate; /* messages a minute of one sender; 0: any */
	char *agent, *session;
	enum config_queue queue;
};

struct config_deliver {
	char *again, *restarted, *failed; /* words for people */
	unsigned gather_ms;
};

extern const struct field config_streaming_fields[], config_adapter_fields[],
	config_person_fields[], config_policy_fields[], config_deliver_fields[];

/* A struct config_adapter: its channel is known, and has what it needs. */
bool config_check_adapter(const void *row, size_t rows_before, struct error *why);

#endif
