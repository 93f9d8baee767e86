/* traits.h - what the messages of a chat are, and what it can do. */
#ifndef DELIVER_TRAITS_H
#define DELIVER_TRAITS_H

#include <stdbool.h>

#include "deliver/chunk.h"

enum channel_mode {
	CHANNEL_ACCUMULATES, /* one message at the end */
	CHANNEL_BLOCKS,      /* one for each block */
	CHANNEL_DRAFTS,      /* one that is edited as the text grows; with can_edit */
	CHANNEL_PROGRESS,    /* one that says what is done, removed at the end; likewise */
	CHANNEL_STREAMS,     /* the words as they come, which stay; with can_stream */
};

struct channel_traits {
	struct chunk_limit limit;
	enum channel_mode mode; /* unless the configuration says otherwise */
	bool can_type, can_edit;
	bool can_stream;       /* a message may grow while it is sent: stream() */
	bool can_media;        /* pictures and files, too: message.file */
	unsigned buttons;      /* under a message, at most; 0: it has none */
	unsigned button_chars; /* of a label, at most; 0: as many as there are */
	bool knows_nobody;     /* who presses one is no person, but whoever has its code */
	bool names_all;        /* a sender is the same person in all accounts of it */
	const char *nobody;    /* senders that begin so are whoever says it; NULL: none do */
	bool can_recognise;    /* look() knows whether a message is there that was begun */
	bool threads_rooms;    /* a question in a room begins a thread, which is a session */
	bool gathers;          /* rapid texts of one person are one question */
	/* Of a message that is edited: between two edits, and characters before it begins. */
	unsigned draft_ms, draft_chars;
};

#endif
