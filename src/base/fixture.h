/* fixture.h - a directory of its own, for the tests of this room. */
#ifndef BASE_FIXTURE_H
#define BASE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

extern char fixture_dir[64];

int fixture_open(void **state);      /* makes it */
void fixture_drop(const char *name); /* a file or an empty directory in it; may be absent */
int fixture_close(void **state);     /* fails when something is left in it */

#endif
