/* gateway.h - the gateway dialect, as OpenClaw speaks it: protocols 3 and 4, the server's half.
 *
 * Its clients see every run of the box: what agents say as events `agent` and `chat`, sessions
 * and what was said in them by methods.  They ask and stop.
 */
#ifndef GATEWAY_GATEWAY_H
#define GATEWAY_GATEWAY_H

#include "hub/dialect.h"

struct bus;
struct crew;
struct gateway;
struct journal;
struct loop;
struct prompts;
struct runs;
struct spending;

/* An agent that clients know by a name: a source. */
struct gateway_agent {
	char *name, *source;
};

struct gateway_config {
	struct gateway_agent *agents;
	size_t agent_count;
	char *default_agent; /* NULL: the first agent that can be asked */
	char *relay;         /* the source that gets methods we do not have; NULL: none */
	unsigned tick_ms, pace_ms;
	size_t snapshot_rate; /* bytes a second, of one run to one client */
	size_t max_payload;   /* bytes of a message that a client may say */
	size_t max_buffered;  /* bytes that a slow client may be owed */
	enum { GATEWAY_TEXT_SHORT, GATEWAY_TEXT_FULL } text;
	enum { GATEWAY_PAIRING_OFF, GATEWAY_PAIRING_ON } pairing;
};
extern const struct config_group gateway_settings;

/* All of it outlives the dialect. */
struct gateway_options {
	const struct gateway_config *config;
	struct loop *loop;
	struct bus *bus;
	struct journal *journal;
	struct runs *runs;
	struct prompts *prompts;
	struct crew *crew;
	const struct spending *spending;
	const char *data; /* the folder */
	void *self;
	/* Each source that can be asked: its id. */
	void (*askable)(void *self, void (*each)(void *of, struct text source), void *of);
	/* Each model of a source. */
	void (*models)(void *self, void (*each)(void *of, struct text source, struct text model),
	               void *of);
	/* Is it one of the box's tokens?  By its mark it is known when it is not shown. */
	bool (*token_mark)(void *self, struct text secret, unsigned char mark[32]);
	/* What may whoever has this one do?  False: there is none any more. */
	bool (*token_scopes)(void *self, const unsigned char mark[32], unsigned *scopes);
};

extern const struct dialect dialect_gateway; /* hub_dialect.of is a struct gateway */

struct gateway *gateway_create(const struct gateway_options *options);
void gateway_destroy(struct gateway *gateway); /* after the hub */

/* Another configuration, lent, and there may be other tokens.  What clients were promised when
 * they came stays as it was; the log names it. */
void gateway_reload(struct gateway *gateway, const struct gateway_config *config);

#endif
