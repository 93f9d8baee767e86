/* request.h - what became of a message of a person: NexusRequest, only ever added to.
 *
 * Each of eight stages adds what it found.  `nex.request` tells all of it at the end, with the
 * trace of the stages; GET /api/messages/ID shows it while it grows.
 */
#ifndef DELIVER_REQUEST_H
#define DELIVER_REQUEST_H

#include "deliver/channel.h"
#include "deliver/custody.h"

enum nexus_stage {
	NEXUS_RECEIVE,
	NEXUS_IDENTITY,
	NEXUS_ACCESS,
	NEXUS_TRIGGERS,
	NEXUS_ASSEMBLE,
	NEXUS_RUN,
	NEXUS_DELIVER,
	NEXUS_FINALIZE,
	NEXUS_STAGES,
};
const char *nexus_stage_name(enum nexus_stage stage); /* receiveEvent, resolveIdentity, ... */

enum nexus_status {
	NEXUS_PROCESSING,
	NEXUS_COMPLETED,
	NEXUS_DENIED,
	NEXUS_HANDLED, /* handled_by_automation */
	NEXUS_FAILED,
};

/* Each may be NULL until a stage has set it. */
enum nexus_word {
	NEXUS_MESSAGE, /* the platform's id of it */
	NEXUS_CONTENT,
	NEXUS_CONTENT_TYPE, /* of its first file, if it has some */
	NEXUS_ATTACHMENTS,  /* its files, as JSON */
	NEXUS_FILES,        /* as lines of the question */
	NEXUS_CHANNEL,
	NEXUS_ACCOUNT,
	NEXUS_SENDER,
	NEXUS_SENDER_NAME,
	NEXUS_ORIGIN, /* of a sender that is nobody: shown nowhere */
	NEXUS_PEER,
	NEXUS_THREAD,
	NEXUS_REPLY_TO,
	NEXUS_PRINCIPAL, /* owner, known, unknown */
	NEXUS_PERSON,
	NEXUS_RELATIONSHIP,
	NEXUS_KNOWN_BY,   /* people, pairing, credential: how it is known who it is */
	NEXUS_IDENTITIES, /* all of the person, as JSON */
	NEXUS_CHANNELS,   /* names of the accounts, as JSON */
	NEXUS_DECISION,   /* allow, deny */
	NEXUS_POLICY,     /* access[N], default */
	NEXUS_QUEUE,
	NEXUS_INTO,    /* the request that its text is asked with */
	NEXUS_HANDLER, /* the command or automation that handled it */
	NEXUS_RESULTS, /* what automations did, as JSON */
	NEXUS_ROUTED,  /* the agent that one of them chose */
	NEXUS_RESET,   /* the session that begins anew */
	NEXUS_AGENT,
	NEXUS_SESSION,
	NEXUS_TURN,   /* the run */
	NEXUS_PARENT, /* the one before it in its session */
	NEXUS_MODEL,
	NEXUS_PROVIDER,
	NEXUS_BUDGET, /* as JSON */
	NEXUS_USAGE,  /* likewise */
	NEXUS_RESPONSE,
	NEXUS_TOOLS, /* that were called, as JSON */
	NEXUS_STOP,  /* end_turn, max_tokens, timeout, aborted, error */
	NEXUS_ERROR,
	NEXUS_MESSAGES, /* ids of what was sent, with spaces between */
	NEXUS_DELIVERY_ERROR,
	NEXUS_WORDS,
};

struct nexus_trace {
	bool was;
	int64_t started_at; /* wall clock */
	int64_t began_ms, duration_ms;
	const char *exit_reason; /* of ours, or NULL */
};

struct nexus_request {
	char id[CUSTODY_ID_LEN + 1];
	int64_t created_at;
	char *words[NEXUS_WORDS];
	enum channel_peer peer_kind;
	const struct channel_traits *traits; /* or NULL */
	bool is_mentioned, is_owner, is_rate_limited, may_answer;
	bool is_streamed, is_delivered, disables_streaming;
	unsigned evaluated, fired, chunks_sent;
	int64_t response_ms;
	enum nexus_stage stage;
	enum nexus_status status;
	struct nexus_trace trace[NEXUS_STAGES];
};

void nexus_set(struct nexus_request *r, enum nexus_word word, struct text value);
static inline struct text nexus_word(const struct nexus_request *r, enum nexus_word word)
{
	return text_of(r->words[word]);
}
void nexus_put_identity(const struct nexus_request *r, struct buf *out); /* CHANNEL:SENDER */
void nexus_finish(struct nexus_request *r);

/* Its members, of an object; texts of people and agents are cut to so many bytes. */
void nexus_put(const struct nexus_request *r, size_t text_max, struct buf *out);

#endif
