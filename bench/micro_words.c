/* The microbenchmarks of natural text (bench/words.py).
 *
 *   bench-micro words FILE      each line, an envelope, to a draft that may be stored
 *   bench-micro document FILE   the same lines as documents of yyjson, and nothing more
 *   bench-micro anthropic FILE  an event of a stream of Anthropic's to its signal */
#include "bench.h"
#include "bus/admit.h"
#include "micro.h"
#include "parse/parse.h"
#include "signal/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	LINES_MAX = 4096,
	PASSES = 100,
	STREAM_PASSES = 100,
	PIECE = 16384, /* what one read of a socket may bring */
};

static struct text load(const char *file)
{
	FILE *in = fopen(file, "r");
	char *at = NULL;
	size_t len = 0;

	if (!in || getdelim(&at, &len, EOF, in) < 0)
		die("%s", file);
	fclose(in);
	return text_of(at);
}

static unsigned split(struct text all, struct text lines[LINES_MAX])
{
	unsigned count = 0;

	while (all.len && count < LINES_MAX)
		lines[count++] = text_cut(all, '\n', &all);
	if (count == 0)
		die("no lines");
	return count;
}

void micro_words(const char *file)
{
	static struct text lines[LINES_MAX];
	const struct admit_options options = {
		.mode = ADMIT_WARN,
		.size_max = 1 << 20,
		.depth_max = 64,
	};
	const struct admit_from from = {.name = TEXT("bench")};
	unsigned count = split(load(file), lines);
	struct admit *admit = admit_create(&options);
	struct error why;
	struct draft draft;
	uint64_t start = cpu_ns();

	for (unsigned i = 0; i < PASSES * count; i++) {
		struct text raw = lines[i % count];

		if (admit_read(admit, raw, &from, &draft, &why) != ADMIT_OK || draft.breaks_schema)
			die("not admitted: %.*s", TEXT_ARG(raw));
	}
	report(start, PASSES * count);
	admit_destroy(admit);
}

void micro_document(const char *file)
{
	static struct text lines[LINES_MAX];
	unsigned count = split(load(file), lines);
	struct json_reader reader;
	struct error why;
	uint64_t start;

	json_reader_init(&reader, 1 << 20);
	start = cpu_ns();
	for (unsigned i = 0; i < PASSES * count; i++)
		if (!json_read(&reader, lines[i % count], &why))
			die("%s", why.words);
	report(start, PASSES * count);
	json_reader_finish(&reader);
}

static void count_signal(void *self, struct text envelope)
{
	(void)envelope;
	++*(unsigned *)self;
}

void micro_anthropic(const char *file)
{
	struct text all = load(file);
	unsigned given = 0;
	const struct parse_options options = {.self = &given, .signal = count_signal};
	uint64_t start = cpu_ns();

	for (unsigned pass = 0; pass < STREAM_PASSES; pass++) {
		struct parse *p = parse_create(parse_find(TEXT("anthropic")), &options);

		for (size_t at = 0; at < all.len; at += PIECE)
			parse_feed(p, (struct text){all.at + at,
			                            all.len - at < PIECE ? all.len - at : PIECE});
		if (!parse_is_over(p))
			die("the stream has no end");
		parse_destroy(p);
	}
	report(start, given);
}
