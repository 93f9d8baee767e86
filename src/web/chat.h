/* chat.h - what requests want of chats, as a door. */
#ifndef WEB_CHAT_H
#define WEB_CHAT_H

#include "bus/back.h"

struct web_message {
	struct text channel, peer, agent, text, session; /* all but text may be empty */
	struct text user;                                /* who posts it */
	enum answers may;                                /* what they may answer */
};

/* Which deliveries. */
struct web_deliveries {
	bool failed;     /* only those */
	struct text run; /* only of this one; empty: of all */
};

struct web_approval {
	struct text code, agent, name; /* name may be empty */
};

struct web_chat {
	void *self;
	/* BACK_TAKEN: the ear is told when it is on the disk; what it is called is added to id. */
	enum back_answer (*post)(void *self, const struct web_message *message,
	                         const struct back_ear *ear, struct buf *id, struct error *why);
	void (*forget)(void *self, void *of); /* whom its ear tells is gone */
	/* A button, by its code.  BACK_UNKNOWN: there is none.  Taken as an answer is: the ear is
	 * that of the prompts, which back.forget() forgets. */
	enum back_answer (*press)(void *self, struct text code, const struct back_ear *ear,
	                          struct error *why);
	bool (*look)(void *self, struct text id, struct buf *out); /* members; false: not known */
	/* Members: */
	void (*deliveries)(void *self, const struct web_deliveries *wish, struct buf *out);
	void (*channels)(void *self, struct buf *out);
	void (*degraded)(void *self, struct buf *out); /* words, members of a list */
	/* Taken as a post is; the verdict's json is the answer. */
	enum back_answer (*check)(void *self, struct text name, const struct back_ear *ear,
	                          struct error *why);
	bool (*retry)(void *self, struct text id, struct error *why);
	void (*people)(void *self, struct buf *out); /* members */
	/* Adds how they are called.  BACK_UNKNOWN: nobody waits with this code. */
	enum back_answer (*approve)(void *self, const struct web_approval *approval,
	                            struct buf *name, struct error *why);
	enum back_answer (*remove)(void *self, struct text name, struct error *why);
};

#endif
