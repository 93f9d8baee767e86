/* voice.h - what requests want of voice sessions, as a door. */
#ifndef WEB_VOICE_H
#define WEB_VOICE_H

struct buf;

struct web_voice {
	void *self;
	void (*look)(void *self, struct buf *out); /* members */
	void (*check)(void *self);                 /* does speech of this machine work? */
};

#endif
