/* fixture.h - for this room's tests: a bus that remembers, a loop that is run until
 * something is true, and a room with a directory of its own. */
#ifndef SOURCE_FIXTURE_H
#define SOURCE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "net/loop.h"
#include "source/source.h"

struct fixture {
	char dir[64];
	struct loop *loop;
	struct accounts *accounts; /* without a ceiling */
	struct sources *sources;
	struct buf heard; /* each envelope, after the name that fills its source; a line each */
	unsigned heard_count;
	struct buf changed, removed; /* what was told last */
	unsigned told;
	uint64_t verdict_ticket; /* the last verdict */
	enum back_answer verdict;
	char *verdict_why;
};
extern struct fixture fixture;

int fixture_set_up(void **state);
int fixture_tear_down(void **state);
void fixture_restart(void); /* another room on the same directory, loaded */

/* Fails when it does not become true within some seconds. */
void fixture_wait(bool (*is_true)(void));
void fixture_turns(unsigned n); /* of the loop */

/* Was it heard since the last that was?  Everything up to it is forgotten. */
bool fixture_hears(const char *words);

/* What is in a file of the directory; the caller frees it.  NULL: it is not there. */
char *fixture_read(const char *name);
void fixture_write(const char *name, const char *bytes);

#endif
