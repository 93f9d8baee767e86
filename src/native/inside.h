/* inside.h - for the files of the native dialect: what it remembers, and how it speaks. */
#ifndef NATIVE_INSIDE_H
#define NATIVE_INSIDE_H

#include "base/list.h"
#include "bus/back.h"
#include "hub/dialogue.h"
#include "hub/subscription.h"
#include "native/native.h"

struct yyjson_val;

#define NATIVE_STAGE_MAX (8 * MIB) /* what a follower of the stage is told at once */

struct native {
	struct native_options options;
	struct link views;     /* native_view.in_all */
	struct link followers; /* native_view.in_followers */
	unsigned long follower_count;
	struct buf look; /* how the stage looks in this turn, once somebody asked */
};

/* Of a client that hears of more than signals. */
struct native_view {
	struct client *client;
	struct link in_all, in_followers;
	bool hears_sources, hears_prompts, hears_crew, hears_matters;
	/* It was too slow for news: all, once it is not. */
	bool owed_sources, owed_stage, owed_prompts, owed_crew, owed_matters;
	bool forgets;         /* prompts it knows, because it was too slow */
	uint64_t told_prompt; /* the seq up to which it was told of open ones */
};

struct native_wish {
	struct subscription on;
	bool sources, prompts, stage, crew, matters;
	uint64_t version; /* of the stage, which it has seen; 0: none */
};

static inline struct native *native_of(const struct native_view *view)
{
	return client_of_dialect(view->client);
}

/* A short private frame; takes the words. */
void native_say(struct client *client, struct buf *words);

/* ref: as it was written, may be empty. */
void native_say_error(struct client *client, const char *code, const char *message,
                      struct text ref);

/* With what time it is here, and the newest signal: so a client knows how far behind it is. */
void native_acknowledge(struct client *client, struct text ref);

void native_subscribe(struct client *client, struct yyjson_val *op, struct text ref);

/* All sources, now and again when a slow client has caught up. */
void native_say_sources(struct native_view *view);

/* The stage: from all of it, or from what came after the version that was seen. */
void native_follow_stage(struct native_view *view, uint64_t version);
void native_leave_stage(struct native_view *view);
void native_say_stage(struct native_view *view); /* all of it */
void native_end_turn(void *of);

/* The sessions: all of them, then what changed. */
void native_follow_crew(struct native_view *view);
void native_leave_crew(struct native_view *view);
void native_say_crew(struct native_view *view);

/* The matters: all that stand, then each that is raised or settled. */
void native_follow_matters(struct native_view *view);
void native_say_matters(struct native_view *view);

/* What agents ask: the open ones, then each that is opened or over. */
void native_follow_prompts(struct native_view *view);
void native_say_prompts(struct native_view *view);
enum back_answer native_hear_answer(struct client *client, struct yyjson_val *op, struct text ref,
                                    struct error *why);

/* To whoever wants to know. */
void native_tell_sources(struct native *native, const struct news *news);
void native_tell_crew(struct native *native, const struct news *news);
void native_tell_matters(struct native *native, const struct news *news);
void native_tell_command(struct native *native, const struct news *news);
void native_tell_stage(struct native *native);
void native_tell_prompt(struct native *native, const struct prompt *prompt);

/* The name that an operation gives its screen. */
struct text native_screen(struct yyjson_val *op);

/* Is op one of those that go back to an agent?  Then it is answered. */
bool native_hear_back(struct client *client, struct yyjson_val *op, struct text ref);

#endif
