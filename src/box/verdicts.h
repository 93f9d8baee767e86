/* verdicts.h - who waits to hear what became of a control.
 *
 * A source that has to ask the producer first takes it and answers later, by its ticket.
 * What nobody answers in time has that for its verdict.
 */
#ifndef BOX_VERDICTS_H
#define BOX_VERDICTS_H

#include "base/text.h"
#include "bus/back.h"
#include "net/loop.h"

struct bus;
struct verdicts;

struct verdicts *verdicts_create(struct loop *loop, struct bus *bus);
void verdicts_destroy(struct verdicts *verdicts); /* nobody is told any more */

uint64_t verdicts_ticket(struct verdicts *verdicts); /* a new one */

/* What was sent with the last ticket was taken.  record: a signal to be admitted when it is
 * done; may be empty.  False: too many wait already. */
bool verdicts_wait(struct verdicts *verdicts, const struct back_ear *ear, struct text record);
void verdicts_forget(struct verdicts *verdicts, const void *of);
void verdicts_tell(struct verdicts *verdicts, uint64_t ticket, enum back_answer verdict,
                   const char *why);

/* A signal of the box itself. */
void verdicts_record(struct verdicts *verdicts, struct text signal);

#endif
