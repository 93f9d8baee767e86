/* native.h - for the files of the native dialect: how it speaks. */
#ifndef HUB_NATIVE_H
#define HUB_NATIVE_H

#include "base/buf.h"
#include "bus/back.h"

struct client;
struct yyjson_val;

/* A short private frame; takes the words. */
void native_say(struct client *client, struct buf *words);

/* ref: as it was written, may be empty. */
void native_say_error(struct client *client, const char *code, const char *message,
                      struct text ref);

/* All sources, now and again when a slow client has caught up. */
void native_tell_sources(struct client *client);

/* The stage: from all of it, or from what came after the version that was seen. */
struct hub;
struct subscription;
void native_follow_stage(struct client *client, const struct subscription *wish);
void native_leave_stage(struct client *client);
bool native_follows_stage(const struct client *client);
void native_tell_stage(struct client *client); /* all of it */
void native_end_turn(struct hub *hub);

/* What agents ask: the open ones, then each that is opened or over. */
struct prompt;
void native_follow_prompts(struct client *client);
void native_tell_prompts(struct client *client);
void native_tell_prompt(struct hub *hub, const struct prompt *prompt);
enum back_answer native_hear_answer(struct client *client, struct yyjson_val *op, struct text ref,
                                    struct error *why);

/* The name that an operation gives its screen. */
struct text native_screen(struct yyjson_val *op);

/* Is op one of those that go back to an agent?  Then it is answered. */
bool native_hear_back(struct client *client, struct yyjson_val *op, struct text ref);

#endif
