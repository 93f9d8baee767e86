/* throttle.h - how many wrong credentials are heard out; pure.
 *
 * One bucket for all paths and all peers, loopback too: it holds THROTTLE_MOST
 * failures and loses one every THROTTLE_EACH_MS.  While it is full a wrong
 * credential is answered 429 and its connection closed.  A right one is served
 * all the same, so that nobody can lock the owner out by guessing.
 */
#ifndef WEB_THROTTLE_H
#define WEB_THROTTLE_H

#include <stdint.h>

#define THROTTLE_MOST 30
#define THROTTLE_EACH_MS 2000

struct throttle {
	uint64_t failures;    /* ever, for the status */
	uint64_t empty_at_ms; /* when the bucket will have lost all of them */
};

/* Counts a failure.  0: answer it; else the seconds to wait before the next. */
unsigned throttle_fail(struct throttle *throttle, uint64_t now_ms);

#endif
