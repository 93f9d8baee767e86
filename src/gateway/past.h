/* past.h - runs as they stood at a moment of the past, for one who reads the journal from there.
 *
 * A run that is met in the middle is read from its first signal on before it is told of.
 */
#ifndef GATEWAY_PAST_H
#define GATEWAY_PAST_H

#include "hub/dialect.h"

struct gateway;
struct gateway_past_run;
struct gateway_pasts;
struct run;
struct said;

struct gateway_pasts *gateway_pasts_create(struct gateway *g);
void gateway_pasts_destroy(struct gateway_pasts *pasts);
void gateway_pasts_forget(struct gateway_pasts *pasts); /* signals are missing */

/* Is it of a run? */
bool gateway_pasts_want(const struct gateway_pasts *pasts, const struct signal *s);

/* The run of a signal, as it stood before that; NULL: it has to be read first. */
struct gateway_past_run *gateway_pasts_find(struct gateway_pasts *pasts, const struct signal *s);

/* Reads on; PUMP_IDLE: there is nothing more to read. */
enum pump gateway_pasts_read(struct gateway_pasts *pasts, size_t *budget);

/* The present has what all of them said, too; else it is asked for. */
bool gateway_pasts_are_kept(struct gateway_pasts *pasts);

void gateway_past_hear(struct gateway_past_run *run, const struct signal *s);
const struct said *gateway_past_said(const struct gateway_past_run *run);
/* Its name, source, session and count of signals; until the end of the turn. */
const struct run *gateway_past_run(struct gateway_past_run *run);

#endif
