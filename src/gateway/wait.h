/* wait.h - clients that wait for the end of a run: `agent`, which answers twice, and
 * `agent.wait`.
 */
#ifndef GATEWAY_WAIT_H
#define GATEWAY_WAIT_H

#include "base/text.h"

struct gateway;
struct gateway_view;
struct gateway_waits;
struct run;
struct signal;

struct gateway_waits *gateway_waits_create(struct gateway *g);
void gateway_waits_destroy(struct gateway_waits *waits);

/* A run has this signal: it may be its end. */
void gateway_wait_hear(struct gateway *g, const struct run *run, const struct signal *s);
/* It waits to be asked, and is not asked any more: why, or empty because somebody wants that. */
void gateway_wait_drop(struct gateway *g, struct text run, struct text error);
void gateway_wait_answer(struct gateway_view *view); /* what ended */
void gateway_wait_leave(struct gateway_view *view);

#endif
