/* What two rooms cost by themselves, without a socket or a disk: nanoseconds of processor
 * time for one signal.
 *
 *   bench-micro parse    from a producer's 310 bytes to a draft that may be stored
 *   bench-micro lookup   from a signal to its tape among 10,000 correlationIds
 *
 * Both work on many different signals in turn, so that neither the caches nor the branch
 * predictor know the answer by heart. It prints {"ns":N}. */
#include "bench.h"
#include "bus/admit.h"
#include "hub/switchboard.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	ENVELOPE = 310,
	ENVELOPES = 1024,
	PARSES = 500000,
	TAPES = 10000,
	LOOKUPS = 2000000,
};

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void report(uint64_t start, unsigned count)
{
	printf("{\"ns\":%.1f}\n", (double)(cpu_ns() - start) / count);
}

/* The n-th envelope of exactly ENVELOPE bytes. */
static void write_envelope(char at[ENVELOPE + 1], unsigned n)
{
	static const char end[] = "\",\"contentType\":\"markdown\",\"index\":7}}";
	int used = snprintf(at, ENVELOPE,
	                    "{\"id\":\"5f0c2b1e-77aa-4c1d-9e3b-%012u\",\"type\":\"text_delta\","
	                    "\"timestamp\":%u,\"source\":\"openai\",\"correlationId\":\"run-%05u\","
	                    "\"payload\":{\"agentId\":\"writer\",\"content\":\"",
	                    n * 7919, 1767225600 + n, n % 97);
	size_t rest = ENVELOPE - (size_t)used - (sizeof end - 1);

	for (size_t i = 0; i < rest; i++)
		at[(size_t)used + i] = (i + n) % 6 == 5 ? ' ' : (char)('a' + (i * 7 + n) % 26);
	memcpy(at + used + rest, end, sizeof end);
}

static void parse(void)
{
	static char envelopes[ENVELOPES][ENVELOPE + 1];
	const struct admit_options options = {
		.mode = ADMIT_WARN,
		.size_max = 1 << 20,
		.depth_max = 64,
	};
	const struct admit_from from = {.name = TEXT("bench")};
	struct admit *admit = admit_create(&options);
	struct error why;
	struct draft draft;
	uint64_t start;

	for (unsigned i = 0; i < ENVELOPES; i++)
		write_envelope(envelopes[i], i);
	start = cpu_ns();
	for (unsigned i = 0; i < PARSES; i++) {
		struct text raw = {envelopes[i % ENVELOPES], ENVELOPE};

		if (admit_read(admit, raw, &from, &draft, &why) != ADMIT_OK || draft.breaks_schema)
			die("not admitted: %.*s", TEXT_ARG(raw));
	}
	report(start, PARSES);
	admit_destroy(admit);
}

static void count_visit(void *self, struct tape *tape)
{
	(void)tape;
	++*(unsigned *)self;
}

static void open_tapes(struct switchboard *board, struct reel *reel)
{
	for (unsigned i = 0; i < TAPES; i++) {
		struct filter filter;
		struct error why;
		char id[32];

		snprintf(id, sizeof id, "run-%08u", i * 7919);
		filter_init(&filter);
		if (!filter_set_correlation(&filter, text_of(id), &why))
			die("a filter for %s", id);
		switchboard_tape(board, reel, &filter);
	}
}

static void lookup(void)
{
	static char ids[TAPES][32];
	struct switchboard board;
	struct reel reel;
	unsigned found = 0;
	uint64_t start;

	reel_init(&reel, 1 << 20, 1 << 12);
	switchboard_init(&board);
	open_tapes(&board, &reel);
	for (unsigned i = 0; i < TAPES; i++)
		snprintf(ids[i], sizeof ids[i], "run-%08u", i * 7919);
	start = cpu_ns();
	for (unsigned i = 0; i < LOOKUPS; i++) {
		struct signal s = {
			.seq = i + 1,
			.type = TEXT("text_delta"),
			.source = TEXT("openai"),
			.correlation = {ids[i * 4507u % TAPES], 12},
			.kind = KIND_TEXT_DELTA,
		};

		switchboard_route(&board, &s, count_visit, &found);
	}
	report(start, LOOKUPS);
	if (found != LOOKUPS)
		die("%u signals found %u tapes", (unsigned)LOOKUPS, found);
	switchboard_finish(&board);
	reel_finish(&reel);
}

int main(int argc, char **argv)
{
	errno = 0;
	if (argc == 2 && strcmp(argv[1], "parse") == 0)
		parse();
	else if (argc == 2 && strcmp(argv[1], "lookup") == 0)
		lookup();
	else
		die("usage: bench-micro parse|lookup");
	return 0;
}
