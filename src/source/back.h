/* back.h - what people want of the agents behind sources. */
#ifndef SOURCE_BACK_H
#define SOURCE_BACK_H

#include "bus/backs.h"

struct sources;

struct back_end sources_back_end(struct sources *sources); /* all of this */

/* A message as the producer wants it, to one that listens. */
enum back_answer sources_send(struct sources *sources, struct text id, struct text message,
                              struct error *why);
/* A request in its own language: see back_call. */
enum back_answer sources_call(struct sources *sources, const struct back_call *call,
                              struct error *why);
/* Would it be taken, as things are? */
bool sources_can_send(struct sources *sources, struct text id);

/* With the id of a new run, which ends in one completion or error. */
enum back_answer sources_ask(struct sources *sources, const struct back_ask *ask,
                             struct error *why);
/* Both to the source whose run it is.  What is asked can be cancelled, and an interrupt does the
 * same; nothing else can be done to it. */
enum back_answer sources_cancel(struct sources *sources, const struct back_control *control,
                                struct error *why);
enum back_answer sources_control(struct sources *sources, const struct back_control *control,
                                 struct error *why);
/* Could it be done?  What was asked can be cancelled while somebody is at it. */
bool sources_can(const struct sources *sources, struct text run, struct text op, bool is_live);
/* To the source that asked.  BACK_CONFLICT: it is not there now. */
enum back_answer sources_reply(struct sources *sources, struct text id,
                               const struct back_outcome *reply, struct error *why);

#endif
