/* What some rooms cost by themselves, without a socket or a disk: nanoseconds of processor
 * time for one signal.
 *
 *   bench-micro parse      from a producer's 310 bytes to a draft that may be stored
 *   bench-micro lookup     from a signal to its tape among 10,000 correlationIds
 *   bench-micro follow     from a line of the journal to the state of one of 97 runs, and the
 *               frame of it for screens
 *   bench-micro said       from an event, a token of 24 bytes, to the messages of one of 97 runs
 *   bench-micro throttle   a parsed signal through a wire with that filter; so are
 *               sample, when and map, which is a chain of all of them
 *   bench-micro unwanted   a parsed signal whose type no wire of 100 wants
 *   bench-micro unmatched  an admitted signal that nothing in the default show wants, with
 *               what a box does for it: who spoke last of 97 runs is noted
 *   bench-micro performances   a millisecond of a show in which 10,000 performances run, with
 *               the signals that begin them
 *   bench-micro words|document|anthropic FILE   natural text, see micro_words.c
 *   bench-micro chunk|pipeline   delivery, see micro_deliver.c
 *   bench-micro sums-load|sums-save|sums-hours   a year of sums, see micro_sums.c
 *   bench-micro device     the signature of a device, see micro_device.c
 *   bench-micro program    how long a box with a quarter of a gigabyte stands still while it
 *               starts a program; wall time, the median of 200
 *
 * All work on many different signals in turn, so that neither the caches nor the branch
 * predictor know the answer by heart. It prints {"ns":N}. */
#include "micro.h"
#include "base/clock.h"
#include "bench.h"
#include "bus/admit.h"
#include "choreo/choreo.h"
#include "hub/switchboard.h"
#include "net/loop.h"
#include "net/process.h"
#include "play/theatre.h"
#include "run/runs.h"
#include "run/said.h"
#include "wire/wire.h"

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
	FOLLOWS = 500000,
	SPEAKERS = 97,
	TOKENS = 2000000,
	ROUTES = 2000000,
	CHOREOGRAPHIES = 100,
	PERFORMANCES = 10000,
	PERFORMANCE_MS = 2300,
	SHOW_MS = 20000,
	STARTS = 200,
};

uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void report(uint64_t start, unsigned count)
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

static void follow(void)
{
	static char lines[ENVELOPES][ENVELOPE + 16];
	const struct runs_options options = {0};
	struct runs *runs = runs_create(&options);
	struct signal_reader *reader = signal_reader_create();
	char envelope[ENVELOPE + 1];
	struct error why;
	struct signal s;
	uint64_t start;

	for (unsigned i = 0; i < ENVELOPES; i++) {
		write_envelope(envelope, i);
		snprintf(lines[i], sizeof lines[i], "{\"seq\":%u,%s", 1000 + i, envelope + 1);
	}
	start = cpu_ns();
	for (unsigned i = 0; i < FOLLOWS; i++) {
		if (!signal_read(reader, text_of(lines[i % ENVELOPES]), &s, &why))
			die("%s", why.words);
		runs_hear(runs, &s);
	}
	report(start, FOLLOWS);
	if (runs_count(runs) != 97 || runs_number(runs) != FOLLOWS + 97)
		die("%zu runs have %llu events", runs_count(runs),
		    (unsigned long long)runs_number(runs));
	runs_destroy(runs);
	signal_reader_destroy(reader);
}

static void said(void)
{
	static const char words[] = "a token is a few letters";
	struct run_event e = {
		.kind = RUN_SAID,
		.invoke = TEXT("writer"),
		.session = TEXT("run-00001"),
		.text = {words, sizeof words - 1},
	};
	struct said *all[SPEAKERS];
	uint64_t start;

	for (unsigned i = 0; i < SPEAKERS; i++)
		all[i] = said_create();
	start = cpu_ns();
	for (unsigned i = 0; i < TOKENS; i++) {
		e.ts = i;
		said_event(all[i % SPEAKERS], &e, i);
	}
	report(start, TOKENS);
	for (unsigned i = 0; i < SPEAKERS; i++) {
		if (all[i]->message_count != 1)
			die("%zu messages", all[i]->message_count);
		said_destroy(all[i]);
	}
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

/* --- wires ------------------------------------------------------------------ */

#define THROTTLE "{\"type\":\"throttle\",\"intervalMs\":2}"
#define SAMPLE "{\"type\":\"sample\",\"every\":2}"
#define WHEN \
	"{\"type\":\"when\",\"clause\":{\"signal.contentType\":{\"equals\":\"markdown\"}," \
	"\"index\":{\"gt\":3}}}"
#define MAP \
	"{\"type\":\"map\",\"mappings\":[{\"from\":\"content\",\"to\":\"speech.text\"}," \
	"{\"from\":\"agentId\",\"to\":\"entity\"}]}"

/* A hundred choreographies, each on a type of its own; the first has a filtered wire. */
static yyjson_doc *write_show(const char *filters)
{
	struct buf show;
	yyjson_doc *doc;

	buf_init(&show, 1 << 20);
	buf_print(
		&show,
		"{\"wires\":[{\"id\":\"w\",\"fromZone\":\"signal-type\",\"fromId\":\"text_delta\","
		"\"toZone\":\"choreographer\",\"toId\":\"c0\",\"filters\":[%s]}],"
		"\"choreographies\":[",
		filters);
	for (unsigned i = 0; i < CHOREOGRAPHIES; i++)
		buf_print(&show, "%s{\"id\":\"c%u\",\"on\":\"custom.type.%u\"}", i ? "," : "", i,
		          i);
	buf_add(&show, TEXT("]}"));
	doc = yyjson_read(show.at, show.len, 0);
	buf_finish(&show);
	if (!doc)
		die("the show is not JSON");
	return doc;
}

static void parse_cues(yyjson_doc *docs[ENVELOPES], struct cue cues[ENVELOPES], const char *type)
{
	for (unsigned i = 0; i < ENVELOPES; i++) {
		char raw[ENVELOPE + 1];

		write_envelope(raw, i);
		docs[i] = yyjson_read(raw, ENVELOPE, 0);
		cues[i] = (struct cue){
			.type = text_of(type),
			.source = TEXT("openai"),
			.payload = yyjson_obj_get(yyjson_doc_get_root(docs[i]), "payload"),
		};
	}
}

static void count_heard(void *self, size_t index, const struct cue *heard)
{
	(void)index;
	(void)heard;
	++*(unsigned *)self;
}

/* One signal each millisecond; `least` of them must be heard, or nothing was measured. */
static void route(const char *filters, const char *type, unsigned least, unsigned most)
{
	static yyjson_doc *docs[ENVELOPES];
	static struct cue cues[ENVELOPES];
	yyjson_doc *show = write_show(filters);
	yyjson_val *root = yyjson_doc_get_root(show);
	struct error why;
	struct wiring *wiring = wiring_create(yyjson_obj_get(root, "wires"),
	                                      yyjson_obj_get(root, "choreographies"), &why);
	unsigned heard = 0;
	uint64_t start;

	if (!wiring)
		die("%s", why.words);
	parse_cues(docs, cues, type);
	start = cpu_ns();
	for (unsigned i = 0; i < ROUTES; i++)
		wiring_route(wiring, &cues[i % ENVELOPES], i, count_heard, &heard);
	report(start, ROUTES);
	if (heard < least || heard > most)
		die("%u of %u signals were heard", heard, (unsigned)ROUTES);
	wiring_destroy(wiring);
	yyjson_doc_free(show);
	for (unsigned i = 0; i < ENVELOPES; i++)
		yyjson_doc_free(docs[i]);
}

static void throttle(void)
{
	route(THROTTLE, "text_delta", ROUTES / 2, ROUTES / 2);
}

static void sample(void)
{
	route(SAMPLE, "text_delta", ROUTES / 2, ROUTES / 2);
}

static void when(void)
{
	route(WHEN, "text_delta", ROUTES, ROUTES);
}

/* Everything passes, so that the chain is gone through to its end. */
static void map(void)
{
	route("{\"type\":\"throttle\",\"intervalMs\":1},{\"type\":\"sample\",\"every\":1}," WHEN
	      "," MAP,
	      "text_delta", ROUTES, ROUTES);
}

static void unwanted(void)
{
	route(THROTTLE, "tool_result", 0, 0);
}

static void count_told(void *self, uint64_t version, double at_ms, struct text json)
{
	(void)version;
	(void)at_ms;
	(void)json;
	++*(unsigned *)self;
}

static void count_changed(void *self)
{
	++*(unsigned *)self;
}

static void unmatched(void)
{
	static char runs[97][16];
	unsigned told = 0;
	const struct theatre_options options = {&told, count_told, count_changed};
	struct theatre *theatre = theatre_create(&options, 0);
	uint64_t start;

	for (unsigned i = 0; i < 97; i++)
		snprintf(runs[i], sizeof runs[i], "run-%05u", i);
	told = 0;
	start = cpu_ns();
	for (unsigned i = 0; i < ROUTES; i++) {
		const struct signal s = {
			.seq = i + 1,
			.type = TEXT("progress.report"),
			.source = TEXT("openai"),
			.via = TEXT("openai"), /* who may take a run over is noted each time */
			.correlation = {runs[i * 4507u % 97], 9},
			.at_ms = i,
		};

		theatre_hear(theatre, &s, i);
	}
	report(start, ROUTES);
	if (told || theatre_stats(theatre).processed)
		die("%u commands were told", told);
	theatre_destroy(theatre);
}

static void count_command(void *self, const struct stage_command *command)
{
	(void)command;
	++*(unsigned *)self;
}

/* Signals from one time to another, evenly, so that always as many run; a tick after each
 * signal and when one is due, as in the daemon. */
static void perform(struct choreo *choreo, struct cue cues[ENVELOPES], unsigned from, unsigned to)
{
	const double step = (double)PERFORMANCE_MS / PERFORMANCES;
	unsigned n = (unsigned)(from / step);

	for (double now = from; now < to; now += step) {
		struct cue *cue = &cues[n++ % ENVELOPES];

		while (choreo_next(choreo) < now)
			choreo_tick(choreo, choreo_next(choreo));
		choreo_hear(choreo, 0, cue, now);
		choreo_tick(choreo, now);
	}
}

/* Each is a walk, a flight and a flash, and has a correlationId. */
static void performances(void)
{
	static const char show[] =
		"[{\"on\":\"text_delta\",\"steps\":[{\"action\":\"move\",\"entity\":\"peon\","
		"\"to\":\"signal.agentId\",\"duration\":800,\"easing\":\"easeInOut\"},"
		"{\"action\":\"spawn\",\"entity\":\"pigeon\",\"at\":\"signal.contentType\"},"
		"{\"action\":\"fly\",\"entity\":\"pigeon\",\"to\":\"signal.agentId\","
		"\"duration\":1200,\"easing\":\"arc\"},{\"action\":\"onArrive\",\"steps\":["
		"{\"action\":\"destroy\",\"entity\":\"pigeon\"},{\"action\":\"flash\",\"target\":"
		"\"signal.agentId\",\"color\":\"#ffd700\",\"duration\":300}]}]}]";
	static yyjson_doc *docs[ENVELOPES];
	static struct cue cues[ENVELOPES];
	static char runs[ENVELOPES][16];
	yyjson_doc *doc = yyjson_read(show, sizeof show - 1, 0);
	unsigned said = 0;
	const struct choreo_options options = {.self = &said, .command = count_command};
	struct error why;
	struct choreo *choreo = choreo_create(yyjson_doc_get_root(doc), &options, &why);
	uint64_t start;

	if (!choreo)
		die("%s", why.words);
	parse_cues(docs, cues, "text_delta");
	for (unsigned i = 0; i < ENVELOPES; i++)
		cues[i].correlation = (struct text){
			runs[i], (size_t)snprintf(runs[i], sizeof runs[i], "run-%05u", i)};
	perform(choreo, cues, 0, 2 * PERFORMANCE_MS);
	said = 0;
	start = cpu_ns();
	perform(choreo, cues, 2 * PERFORMANCE_MS, 2 * PERFORMANCE_MS + SHOW_MS);
	report(start, SHOW_MS);
	if (choreo_active(choreo) < PERFORMANCES - 10 || said < 8 * PERFORMANCES)
		die("%zu performances run and said %u", choreo_active(choreo), said);
	choreo_destroy(choreo);
	yyjson_doc_free(doc);
	for (unsigned i = 0; i < ENVELOPES; i++)
		yyjson_doc_free(docs[i]);
}

static void ignore_piece(void *self, enum process_stream stream, const struct piece *piece)
{
}

static void stop_loop(void *self, const struct process_end *end)
{
	if (end->status != 0)
		die("the program %s", end->words);
	loop_stop(self);
}

static int compare_times(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void program(void)
{
	static const char *const argv[] = {"/bin/true", NULL};
	static char memory[256 << 20];
	struct loop *loop = loop_create();
	struct processes *processes = processes_create(loop);
	const struct process_options options = {.argv = argv,
	                                        .directory = "/",
	                                        .line_max = 1000,
	                                        .input_max = 1000,
	                                        .self = loop,
	                                        .heard = ignore_piece,
	                                        .ended = stop_loop};
	uint64_t took[STARTS];
	struct error why;

	memset(memory, 1, sizeof memory);
	for (unsigned i = 0; i < STARTS; i++) {
		took[i] = clock_mono_ns();
		if (!process_start(processes, &options, &why))
			die("%s", why.words);
		took[i] = clock_mono_ns() - took[i];
		loop_run(loop);
	}
	qsort(took, STARTS, sizeof *took, compare_times);
	printf("{\"ns\":%llu}\n", (unsigned long long)took[STARTS / 2]);
	processes_destroy(processes);
	loop_destroy(loop);
}

static const struct {
	const char *name;
	void (*run)(void);
} benches[] = {
	{"parse", parse},
	{"follow", follow},
	{"said", said},
	{"lookup", lookup},
	{"throttle", throttle},
	{"sample", sample},
	{"when", when},
	{"map", map},
	{"unwanted", unwanted},
	{"unmatched", unmatched},
	{"performances", performances},
	{"program", program},
	{"chunk", micro_chunk},
	{"pipeline", micro_pipeline},
	{"sums-load", micro_sums_load},
	{"sums-save", micro_sums_save},
	{"sums-hours", micro_sums_hours},
	{"device", micro_device},
};

static const struct {
	const char *name;
	void (*run)(const char *file);
} on_files[] = {
	{"words", micro_words},
	{"document", micro_document},
	{"anthropic", micro_anthropic},
};

int main(int argc, char **argv)
{
	errno = 0;
	for (size_t i = 0; argc == 2 && i < sizeof benches / sizeof benches[0]; i++) {
		if (strcmp(argv[1], benches[i].name) == 0) {
			benches[i].run();
			return 0;
		}
	}
	for (size_t i = 0; argc == 3 && i < sizeof on_files / sizeof on_files[0]; i++) {
		if (strcmp(argv[1], on_files[i].name) == 0) {
			on_files[i].run(argv[2]);
			return 0;
		}
	}
	die("usage: bench-micro parse|follow|lookup|throttle|sample|when|map|unwanted|"
	    "unmatched|performances|program|chunk|pipeline|device, "
	    "or words|document|anthropic FILE");
}
