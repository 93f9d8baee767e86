/* fixture.c - a directory of its own, for the tests of this room. */
#include "base/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/must.h"

char fixture_dir[64];

int fixture_open(void **state)
{
	snprintf(fixture_dir, sizeof(fixture_dir), "/tmp/base-test-XXXXXX");
	return mkdtemp(fixture_dir) ? 0 : -1;
}

void fixture_drop(const char *name)
{
	char *path = must_print("%s/%s", fixture_dir, name);

	remove(path);
	free(path);
}

int fixture_close(void **state)
{
	return rmdir(fixture_dir);
}
