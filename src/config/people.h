/* people.h - who writes in chats and what they may, as a part of struct config. */
#ifndef CONFIG_PEOPLE_H
#define CONFIG_PEOPLE_H

#include "config/chat.h"

struct config_person {
	char *name, *relationship;
	char **identities; /* "ADAPTER:SENDER" or "CHANNEL:SENDER" */
	size_t identity_count;
};

enum config_decision { CONFIG_ALLOW, CONFIG_DENY };
enum config_queue { CONFIG_QUEUE_FOLLOWUP, CONFIG_QUEUE_INTERRUPT, CONFIG_QUEUE_COLLECT };
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
	enum config_switch answer; /* questions of agents; auto: owners may */
};

/* A chat that is asked what agents ask. */
struct config_asked {
	char *chat; /* ADAPTER:PEER */
	bool allow; /* also by who is nobody that is known */
};

struct config_prompts {
	struct config_asked *to;
	size_t to_count;
};

struct config;

/* An identity is "ADAPTER:SENDER", or "CHANNEL:SENDER" where that can be one person only: the
 * channel has one adapter, or the same senders everywhere.  Others are refused. */
bool config_check_identities(const struct config *config, struct error *why);
const struct config_adapter *config_adapter_of(const struct config *config, struct text name);

bool config_check_chat(struct text value, struct error *why); /* ADAPTER:PEER */

extern const struct field config_person_fields[], config_policy_fields[], config_prompts_fields[];

#endif
