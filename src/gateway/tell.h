/* tell.h - what happens in runs, as events `agent` and `chat`.
 *
 * The mapping of signals stands in tell.c alone (docs/dialects.md).  Text is gathered: the
 * frames of tokens are joined for gateway.pace, and a `chat` with the whole text of a message is
 * told no more often than gateway.snapshot_rate allows.
 */
#ifndef GATEWAY_TELL_H
#define GATEWAY_TELL_H

struct gateway;
struct gateway_view;
struct run;
struct signal;

/* A run has this signal. */
void gateway_hear(struct gateway *g, struct run *run, const struct signal *s);
void gateway_tell_due(struct gateway *g);    /* text that was gathered for long enough */
void gateway_tell_forget(struct gateway *g); /* nobody listens any more */

void gateway_tell_now(struct gateway *g, const struct run *run); /* what was gathered of it */

/* To one who lost some: the text of each message that is being said. */
void gateway_tell_anew(struct gateway_view *view);

#endif
