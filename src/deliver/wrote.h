/* wrote.h - what a person wrote in a chat, as its channel reports it. */
#ifndef DELIVER_WROTE_H
#define DELIVER_WROTE_H

#include "base/text.h"

#define CHANNEL_TEXT_MAX (256 * 1024) /* bytes of what a person writes in one message */
#define CHANNEL_ID_MAX 256            /* of an id of a message, a person or a chat */

enum channel_peer { CHANNEL_DM, CHANNEL_GROUP, CHANNEL_BROADCAST };
const char *channel_peer_name(enum channel_peer peer); /* dm, group, channel */
bool channel_read_peer(struct text word, enum channel_peer *peer);

/* A picture, a file or a recording that came with it: not the bytes, but where they are. */
enum channel_file_kind {
	CHANNEL_PICTURE,
	CHANNEL_DOCUMENT,
	CHANNEL_VOICE, /* a note that somebody spoke */
	CHANNEL_AUDIO,
	CHANNEL_VIDEO,
};

struct channel_file {
	enum channel_file_kind kind;
	struct text name, type; /* as the platform says it, or empty */
	struct text where;      /* as the channel's fetch() knows it */
	uint64_t size;          /* bytes; 0: not said */
};

#define CHANNEL_FILES_MAX 10   /* of one message; the others are left out */
#define CHANNEL_WHERE_MAX 2048 /* bytes */

/* Bytes of a file that a person sent, wanted now. */
struct channel_fetch {
	uint64_t number; /* what it is called in part() and fetched() of channel.h */
	struct text where;
};

/* What a person wrote.  Its texts are valid during the call. */
struct channel_inbound {
	struct text message; /* the platform's id of it: the same again is the same message */
	struct text sender, sender_name, peer, thread, reply_to, text;
	struct text
		origin; /* of a sender whose name is anybody's: where they write from, or empty */
	enum channel_peer kind;
	bool is_mentioned;
	bool is_owner;              /* the box knows who it is by a credential */
	struct text agent, session; /* that it asks for; empty: what the configuration says */
	const struct channel_file *files;
	unsigned file_count;
	struct text place; /* where the channel goes on after it, if it says so */
};

#endif
