/* fixture.c - a journal and a bus, made and taken down. */
#include "run/fixture.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "bus/folds.h"

struct journal *fixture_journal;
struct bus *fixture_bus;

static char dir[64];
static size_t segment;
static uint64_t keep;

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

static void start(void)
{
	static const struct admit_options admit = {ADMIT_WARN, MIB, 64};
	struct journal_options o = {
		.dir = dir,
		.segment_bytes = segment,
		.keep_bytes = keep,
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

static void stop(void)
{
	folds_close(bus_folds(fixture_bus));
	journal_close(fixture_journal);
	fixture_journal = NULL;
	bus_destroy(fixture_bus);
	fixture_bus = NULL;
}

void fixture_open(size_t segment_bytes, uint64_t keep_bytes)
{
	snprintf(dir, sizeof(dir), "/tmp/run-test-XXXXXX");
	assert_non_null(mkdtemp(dir));
	segment = segment_bytes;
	keep = keep_bytes;
	start();
}

void fixture_restart(void)
{
	stop();
	start();
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *walk)
{
	return remove(path);
}

void fixture_close(void)
{
	stop();
	assert_int_equal(nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

static void stamped(void *self, uint64_t tag, struct text id, uint64_t seq)
{
	*(uint64_t *)self = seq;
}

uint64_t fixture_emit_as(const char *raw, bool is_box, bool keeps_origin)
{
	uint64_t seq = 0;
	struct bus_emit e = {
		.raw = text_of(raw),
		.from = {.name = TEXT("test"), .is_box = is_box, .keeps_origin = keeps_origin},
		.ticket = {.stamped = stamped, .self = &seq},
	};
	struct bus_verdict verdict;

	bus_admit(fixture_bus, &e, &verdict);
	if (verdict.answer != BUS_ACCEPTED)
		fail_msg("%s: %s", verdict.why.words, raw);
	return seq;
}

uint64_t fixture_emit(const char *raw)
{
	return fixture_emit_as(raw, false, false);
}

void fixture_settle(void)
{
	for (unsigned i = 0; i < 1000; i++) {
		uint64_t last = journal_last_seq(fixture_journal);

		journal_poll(fixture_journal);
		if (journal_durable_seq(fixture_journal) == last &&
		    journal_last_seq(fixture_journal) == last)
			return;
		journal_wait(fixture_journal, 20);
	}
	fail_msg("the journal does not settle");
}
