/* verdict.h - answers to what somebody said to an agent, now or when that is known. */
#ifndef WEB_VERDICT_H
#define WEB_VERDICT_H

#include "bus/back.h"

struct call;
struct http;

/* What became of what somebody said to an agent, in the native dialect's words. */
void web_refuse_back(struct http *http, enum back_answer answer, const struct error *why);

/* An answer that may be owed until the verdict is there: `good` when it is done.  ear() is
 * given to whoever takes it, then end() answers, or waits. */
struct web_owed;
struct web_owed *web_owe(struct call *call, struct text good);
void web_owed_say(struct web_owed *owed, struct text good); /* in the place of that */
struct back_ear web_owed_ear(struct web_owed *owed);
void web_owed_end(struct web_owed *owed, enum back_answer answer, const struct error *why);

#endif
