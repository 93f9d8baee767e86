/* wrote.h - what a person wrote in a chat, as its channel reports it. */
#ifndef DELIVER_WROTE_H
#define DELIVER_WROTE_H

#include "base/text.h"

#define CHANNEL_TEXT_MAX (256 * 1024) /* bytes of what a person writes in one message */
#define CHANNEL_ID_MAX 256            /* of an id of a message, a person or a chat */

enum channel_peer { CHANNEL_DM, CHANNEL_GROUP, CHANNEL_BROADCAST };
const char *channel_peer_name(enum channel_peer peer); /* dm, group, channel */
bool channel_read_peer(struct text word, enum channel_peer *peer);

/* What a person wrote.  Its texts are valid during the call. */
struct channel_inbound {
	struct text message; /* the platform's id of it: the same again is the same message */
	struct text sender, sender_name, peer, thread, reply_to, text;
	enum channel_peer kind;
	bool is_mentioned;
	bool is_owner;              /* the box knows who it is by a credential */
	struct text agent, session; /* that it asks for; empty: what the configuration says */
	struct text place;          /* where the channel goes on after it, if it says so */
};

#endif
