/* pairing.h - devices with a key of their own, from a room that web may not know. */
#ifndef WEB_PAIRING_H
#define WEB_PAIRING_H

#include "base/buf.h"
#include "base/error.h"

struct web;

enum web_pairing_answer {
	PAIRING_DONE,
	PAIRING_UNKNOWN, /* nobody has that name */
	PAIRING_REFUSED,
	PAIRING_FAILED, /* it is done, but not on the disk */
};

struct web_pairing {
	void *self;
	void (*check)(void *self); /* there are other tokens: what ended with one? */
	void (*put_devices)(void *self,
	                    struct buf *out); /* items of a list: those that are let in */
	void (*put_waiting)(void *self, struct buf *out);
	/* scopes 0: those that it asked for. */
	enum web_pairing_answer (*approve)(void *self, struct text name, unsigned scopes,
	                                   struct error *why);
	enum web_pairing_answer (*reject)(void *self, struct text name, struct error *why);
	enum web_pairing_answer (*remove)(void *self, struct text name, struct error *why);
};

/* For that room: see credentials.h */
bool web_token_mark(const struct web *web, struct text secret, unsigned char mark[32]);
bool web_token_scopes(const struct web *web, const unsigned char mark[32], unsigned *scopes);

#endif
