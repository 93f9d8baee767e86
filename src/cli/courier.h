/* courier.h - signals on their way to the box, in nobody's way.
 *
 * Whoever hands one over never waits.  While the box is away or slow they are kept
 * up to a ceiling; beyond it the oldest go, and are counted.  Every signal has an id
 * of its own, so what may have arrived is sent again without harm.
 */
#ifndef CLI_COURIER_H
#define CLI_COURIER_H

#include <poll.h>
#include <stdbool.h>

#include "base/text.h"

struct courier;

struct courier *courier_create(const char *data); /* DATA of the box */
void courier_destroy(struct courier *courier);

void courier_add(struct courier *courier, struct text signal);

/* Does what can be done now. */
void courier_step(struct courier *courier);

/* What to wait for, and how long at most: -1 for ever. */
struct pollfd courier_poll(const struct courier *courier);
int courier_patience(const struct courier *courier);

/* When nothing more will be added: the next step tries at once, whatever was before. */
void courier_hurry(struct courier *courier);

struct courier_state {
	bool has_work;    /* something is not there yet */
	bool is_away;     /* nobody listens there */
	bool was_heard;   /* the box answered, once at least */
	uint64_t life_ms; /* of clock_mono: when something went on; 0: never */
};
struct courier_state courier_state(const struct courier *courier);

struct courier_loss {
	uint64_t lost;    /* that did not arrive, as far as we know */
	uint64_t refused; /* by the box, which said why */
	const char *why;  /* words for the last of either; NULL: none */
};
struct courier_loss courier_loss(const struct courier *courier);

#endif
