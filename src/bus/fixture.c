/* fixture.c - a journal and a bus, made and taken down. */
#include "bus/fixture.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "bus/bus.h"
#include "bus/folds.h"
#include "journal/journal.h"

char fixture_dir[64];
struct journal *fixture_journal;
struct bus *fixture_bus;
size_t fixture_segment = 64 * MIB;

static void durable(void *self, uint64_t seq)
{
	if (fixture_bus)
		bus_durable(fixture_bus, seq);
}

static bool checkpoint(void *self, struct saved_state *out)
{
	folds_save_all(bus_folds(fixture_bus), out);
	return true;
}

void fixture_start(void)
{
	static const struct admit_options admit = {ADMIT_WARN, MIB, 64};
	struct journal_options o = {
		.dir = fixture_dir,
		.segment_bytes = fixture_segment,
		.wait_max = 64 * MIB,
		.commit_ms = 1,
		.sync_ms = 1,
		.durable = durable,
		.checkpoint = checkpoint,
	};
	struct error why;

	fixture_journal = journal_open(&o, &why);
	if (!fixture_journal)
		fail_msg("%s", why.words);
	fixture_bus = bus_create(fixture_journal, &admit);
}

void fixture_stop(void)
{
	folds_close(bus_folds(fixture_bus));
	journal_close(fixture_journal);
	bus_destroy(fixture_bus);
	fixture_bus = NULL;
}

void fixture_open(void)
{
	snprintf(fixture_dir, sizeof(fixture_dir), "/tmp/bus-test-XXXXXX");
	assert_non_null(mkdtemp(fixture_dir));
	fixture_start();
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *walk)
{
	return remove(path);
}

void fixture_close(void)
{
	fixture_stop();
	assert_int_equal(nftw(fixture_dir, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}
