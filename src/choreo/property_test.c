/* property_test.c - what holds of every show, tried with many that chance wrote.
 *
 * A document, signals and ticks are made from a seed, so a failure can be repeated:
 * its seed is in the words.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/must.h"
#include "choreo/fixture.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

#ifdef SANITIZED
#include <sanitizer/allocator_interface.h>
#else
#include <malloc.h>
#endif

#define SHOWS 200
#define TURNS 60

/* --- chance ------------------------------------------------------------------------ */

static uint64_t seed;

static unsigned chance(unsigned below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(seed >> 33) % below;
}

static void write_steps(struct buf *out, unsigned depth);

static void write_structure(struct buf *out, unsigned depth)
{
	static const char *const names[] = {"parallel", "onArrive", "onInterrupt"};

	buf_print(out, "{\"action\":\"%s\",\"%s\":", names[chance(3)],
	          chance(2) ? "steps" : "children");
	write_steps(out, depth + 1);
	buf_add_char(out, '}');
}

static void write_action(struct buf *out)
{
	static const char *const actions[] = {"move", "fly", "flash", "spawn", "wait", "juggle"};
	static const char *const easings[] = {"linear", "easeIn", "easeInOut", "arc", "odd"};

	buf_print(out, "{\"action\":\"%s\",\"entity\":\"%s\"", actions[chance(6)],
	          chance(2) ? "e" : "signal.e");
	if (chance(4))
		buf_print(out, ",\"duration\":%u", chance(5) * 50);
	if (chance(3) == 0)
		buf_print(out, ",\"delay\":%u", chance(4) * 25);
	if (chance(2))
		buf_print(out, ",\"easing\":\"%s\"", easings[chance(5)]);
	if (chance(2))
		buf_print(out, chance(2) ? ",\"to\":\"signal.n\"" : ",\"params\":{\"to\":\"x\"}");
	buf_add_char(out, '}');
}

static void write_steps(struct buf *out, unsigned depth)
{
	unsigned count = chance(4);

	buf_add_char(out, '[');
	for (unsigned i = 0; i < count; i++) {
		if (i)
			buf_add_char(out, ',');
		if (depth < 4 && chance(3) == 0)
			write_structure(out, depth);
		else
			write_action(out);
	}
	buf_add_char(out, ']');
}

/* On the types "a" to "c"; those on "c" interrupt.  The caller frees it. */
static char *write_document(void)
{
	struct buf out;

	buf_init(&out, MIB);
	buf_add_char(&out, '[');
	for (unsigned i = 0; i < 4; i++) {
		char type = (char)('a' + i % 3);

		buf_print(&out, "%s{\"on\":\"%c\",\"interrupts\":%s,\"steps\":", i ? "," : "", type,
		          type == 'c' ? "true" : "false");
		write_steps(&out, 0);
		buf_add_char(&out, '}');
	}
	buf_add(&out, TEXT("]"));
	buf_add_char(&out, '\0');
	return out.at;
}

static void hear_some(struct troupe *t, double now)
{
	static const char *const types[] = {"a", "b", "c"};
	static const char *const correlations[] = {"r1", "r2", NULL};

	for (unsigned i = chance(3); i > 0; i--) {
		const char *type = types[chance(3)], *correlation = correlations[chance(3)];

		troupe_hear(t, type, "{\"e\":\"bob\",\"n\":3}", correlation, now);
	}
}

/* --- what must hold ---------------------------------------------------------------- */

/* What a show said so far. */
struct judge {
	double last_ms;
	struct {
		unsigned open; /* starts without an end */
		bool interrupted;
	} performances[8192];
	uint64_t newest; /* of all that were heard of */
};

static void judge_command(void *self, const struct stage_command *c)
{
	struct judge *j = self;
	uint64_t id = c->performance;

	assert_in_range(id, 1, 8191);
	assert_true(c->at_ms >= j->last_ms);
	assert_false(j->performances[id].interrupted);
	j->last_ms = c->at_ms;
	j->newest = id > j->newest ? id : j->newest;
	switch (c->kind) {
	case COMMAND_START:
		j->performances[id].open++;
		break;
	case COMMAND_UPDATE:
		assert_true(j->performances[id].open > 0);
		assert_true(c->progress >= 0 && c->progress <= 1);
		break;
	case COMMAND_COMPLETE:
		assert_true(j->performances[id].open > 0);
		j->performances[id].open--;
		break;
	case COMMAND_INTERRUPT:
		j->performances[id].interrupted = true;
		j->performances[id].open = 0;
		break;
	default:
		break;
	}
}

static void assert_nothing_open(const struct judge *j)
{
	for (uint64_t i = 0; i <= j->newest; i++)
		if (j->performances[i].open)
			fail_msg("perf-%llu has a start without an end", (unsigned long long)i);
}

/* To the end of everything. */
static void play_out(struct troupe *t, double now)
{
	while (choreo_active(t->choreo)) {
		now += 1000;
		choreo_tick(t->choreo, now);
	}
	assert_true(isinf(choreo_next(t->choreo)));
}

static void play_random(struct troupe *t, struct judge *judge)
{
	double now = 0;

	t->also = judge_command;
	t->self = judge;
	for (unsigned i = 0; i < TURNS; i++) {
		hear_some(t, now);
		now += chance(80);
		choreo_tick(t->choreo, now);
	}
	play_out(t, now);
}

static void every_start_has_one_end_and_nothing_follows_an_interruption(void **state)
{
	for (unsigned i = 0; i < SHOWS; i++) {
		struct judge *judge = must_zero(1, sizeof(*judge));
		struct troupe t;
		char *document;

		seed = i;
		document = write_document();
		troupe_init(&t, document, i % 2);
		play_random(&t, judge);
		assert_nothing_open(judge);
		troupe_finish(&t);
		free(document);
		free(judge);
	}
}

/* The lines of an `update` are taken out. */
static void drop_updates(struct buf *said)
{
	struct text rest = buf_text(said);
	struct buf kept;

	buf_init(&kept, said->max);
	while (rest.len) {
		struct text line = text_cut(rest, '\n', &rest);

		if (!memmem(line.at, line.len, " update ", 8)) {
			buf_add(&kept, line);
			buf_add_char(&kept, '\n');
		}
	}
	buf_finish(said);
	*said = kept;
}

static void looking_at_what_is_due_says_what_looking_at_all_says(void **state)
{
	for (unsigned i = 0; i < SHOWS; i++) {
		struct judge *judge = must_zero(2, sizeof(*judge));
		struct troupe frames, due;
		char *document;

		seed = 1000 + i;
		document = write_document();
		troupe_init(&frames, document, true);
		troupe_init(&due, document, false);
		seed = i;
		play_random(&frames, &judge[0]);
		seed = i;
		play_random(&due, &judge[1]);
		drop_updates(&frames.said);
		if (!text_equal(buf_text(&frames.said), buf_text(&due.said)))
			fail_msg("seed %u: %s\n%.*sis not\n%.*s", i, document,
			         TEXT_ARG(buf_text(&frames.said)), TEXT_ARG(buf_text(&due.said)));
		troupe_finish(&frames);
		troupe_finish(&due);
		free(document);
		free(judge);
	}
}

/* Ticks in between must make no difference to who ticks when it is due. */
static void ticks_that_are_not_due_say_nothing(void **state)
{
	for (unsigned i = 0; i < SHOWS; i++) {
		struct troupe exact, often;
		char *document;

		seed = 2000 + i;
		document = write_document();
		troupe_init(&exact, document, false);
		troupe_init(&often, document, false);
		for (double now = 0; now < 3000; now += 100) {
			seed = i + (uint64_t)now;
			hear_some(&exact, now);
			seed = i + (uint64_t)now;
			hear_some(&often, now);
			troupe_run(&exact, now + 99);
			for (double at = now; at < now + 99; at += 1)
				choreo_tick(often.choreo, at);
		}
		if (!text_equal(buf_text(&exact.said), buf_text(&often.said)))
			fail_msg("seed %u: %s", i, document);
		troupe_finish(&exact);
		troupe_finish(&often);
		free(document);
	}
}

/* --- a day ------------------------------------------------------------------------- */

static size_t bytes_in_use(void)
{
#ifdef SANITIZED
	return __sanitizer_get_current_allocated_bytes();
#else
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
#endif
}

#define A_DAY \
	"[{\"on\":\"task\",\"steps\":[{\"action\":\"move\",\"entity\":\"signal.who\",\"to\":" \
	"\"signal.to\",\"duration\":800},{\"action\":\"parallel\",\"steps\":[{\"action\":\"fly\"," \
	"\"entity\":\"signal.who\",\"delay\":100,\"duration\":1200},{\"action\":\"flash\"," \
	"\"target\":\"signal.to\",\"duration\":300}]},{\"action\":\"onInterrupt\",\"steps\":" \
	"[{\"action\":\"flash\",\"entity\":\"signal.who\",\"duration\":200}]}]}," \
	"{\"on\":\"error\",\"interrupts\":true,\"steps\":[{\"action\":\"playSound\"}]}]"

/* From one second to another, a signal each; every run has its own correlation. */
static void play_seconds(struct troupe *t, unsigned from, unsigned to)
{
	static const char *const agents[] = {"solver", "writer", "researcher"};

	for (unsigned s = from; s < to; s++) {
		char *run = must_print("run-%u", s / 3);
		char *payload =
			must_print("{\"who\":\"%s\",\"to\":\"place-%u\"}", agents[s % 3], s % 7);

		troupe_hear(t, s % 13 ? "task" : "error", payload, run, s * 1000.0);
		troupe_run(t, s * 1000.0 + 999);
		buf_clear(&t->said);
		free(payload);
		free(run);
	}
}

static void a_day_of_signals_leaves_nothing_behind(void **state)
{
	const unsigned hour = 3600;
	struct troupe t;
	size_t before, after, active;

	troupe_init(&t, A_DAY, false);
	play_seconds(&t, 1, hour);
	active = choreo_active(t.choreo);
	before = bytes_in_use();
	play_seconds(&t, hour, 25 * hour);
	after = bytes_in_use();
	assert_in_range(choreo_active(t.choreo), 0, active + 4);
	if (after > before + 4 * KIB)
		fail_msg("%zu bytes after an hour, %zu after a day more", before, after);
	assert_int_equal(choreo_refused(t.choreo), 0);
	troupe_run(&t, 1e12);
	assert_int_equal(choreo_active(t.choreo), 0);
	troupe_finish(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_start_has_one_end_and_nothing_follows_an_interruption),
		cmocka_unit_test(looking_at_what_is_due_says_what_looking_at_all_says),
		cmocka_unit_test(ticks_that_are_not_due_say_nothing),
		cmocka_unit_test(a_day_of_signals_leaves_nothing_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
