/* choreo.c - hostile choreographies, played to hostile signals.
 *
 * The first line of the input is the list of choreographies, each other one a signal:
 * {"type","payload","correlationId","after"}, with the milliseconds since the one
 * before.  A document is refused with the place of its fault, or plays: every start
 * has one end, nothing follows an interruption, a tick leaves nothing due, and
 * whether all performances are looked at or those that are due makes no difference.
 */
#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "choreo/choreo.h"
#include "lib/hold.h"
#include "signal/json.h"

#define TEXT_MAX (256 * KIB)
#define SAID_MAX (64 * MIB)
#define SIGNALS_MAX 64
#define PERFORMANCES_MAX 4096
#define AFTER_MAX 1e7

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

struct stage {
	struct choreo *choreo;
	struct buf said; /* all but updates */
	double now_ms, last_ms;
	unsigned open[PERFORMANCES_MAX]; /* starts without an end, by performance */
	bool interrupted[PERFORMANCES_MAX];
};

static void take(void *self, const struct stage_command *command)
{
	struct stage *s = self;
	uint64_t id = command->performance;

	must_hold(id > 0 && command->at_ms >= s->last_ms);
	s->last_ms = command->at_ms;
	if (command->kind == COMMAND_UPDATE)
		must_hold(command->progress >= 0 && command->progress <= 1 &&
		          command->elapsed >= 0);
	else
		command_json(command, &s->said);
	if (id >= PERFORMANCES_MAX)
		return;
	must_hold(!s->interrupted[id]);
	if (command->kind == COMMAND_START) {
		s->open[id]++;
	} else if (command->kind == COMMAND_COMPLETE) {
		must_hold(s->open[id] > 0);
		s->open[id]--;
	} else if (command->kind == COMMAND_INTERRUPT) {
		s->interrupted[id] = true;
		s->open[id] = 0;
	}
}

static void check_running(void *self, const struct stage_command *command)
{
	must_hold(command->kind == COMMAND_START && command->elapsed >= 0);
}

static void tick(struct stage *s)
{
	choreo_tick(s->choreo, s->now_ms);
	must_hold(choreo_next(s->choreo) > s->now_ms);
	choreo_running(s->choreo, s->now_ms, check_running, NULL);
}

static void hear(struct stage *s, yyjson_val *choreographies, yyjson_val *signal)
{
	const struct cue cue = {
		.type = json_text_at(signal, "type"),
		.correlation = json_text_at(signal, "correlationId"),
		.payload = yyjson_obj_get(signal, "payload"),
	};
	yyjson_arr_iter at = yyjson_arr_iter_with(choreographies);
	double after = 0;
	yyjson_val *choreography;

	if (json_number(yyjson_obj_get(signal, "after"), &after) && after >= 0 && after < AFTER_MAX)
		s->now_ms += after;
	while ((choreography = yyjson_arr_iter_next(&at)))
		if (text_equal(json_text_at(choreography, "on"), cue.type))
			choreo_hear(s->choreo, at.idx - 1, &cue, s->now_ms);
	tick(s);
}

/* Everything ends: no step waits longer than it may. */
static void end(struct stage *s)
{
	for (unsigned i = 0; i < 100000 && choreo_active(s->choreo); i++) {
		s->now_ms = choreo_next(s->choreo);
		tick(s);
	}
	must_hold(choreo_active(s->choreo) == 0 && isinf(choreo_next(s->choreo)));
	for (unsigned i = 0; i < PERFORMANCES_MAX; i++)
		must_hold(s->open[i] == 0);
}

static struct stage *play(yyjson_val *choreographies, struct text signals, bool updates)
{
	static struct json_reader reader;
	struct stage *s = calloc(1, sizeof(*s));
	const struct choreo_options options = {.self = s, .command = take, .updates = updates};
	struct error why = {""};

	if (!reader.copy.max)
		json_reader_init(&reader, TEXT_MAX);
	must_hold(s);
	buf_init(&s->said, SAID_MAX);
	s->choreo = choreo_create(choreographies, &options, &why);
	if (!s->choreo) {
		must_hold(why.words[0] == '/' || why.words[0] == ':');
		return s;
	}
	for (unsigned i = 0; signals.len && i < SIGNALS_MAX; i++) {
		yyjson_doc *doc = json_read(&reader, text_cut(signals, '\n', &signals), NULL);

		if (yyjson_is_obj(yyjson_obj_get(yyjson_doc_get_root(doc), "payload")))
			hear(s, choreographies, yyjson_doc_get_root(doc));
	}
	end(s);
	return s;
}

static void finish(struct stage *s)
{
	choreo_destroy(s->choreo);
	buf_finish(&s->said);
	free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static struct json_reader reader;
	struct text signals, document;
	struct stage *frames, *due;
	yyjson_doc *doc;

	if (!reader.copy.max)
		json_reader_init(&reader, TEXT_MAX);
	if (n > TEXT_MAX)
		return 0;
	document = text_cut((struct text){(const char *)bytes, n}, '\n', &signals);
	doc = json_read(&reader, document, NULL);
	if (!doc)
		return 0;
	frames = play(yyjson_doc_get_root(doc), signals, true);
	due = play(yyjson_doc_get_root(doc), signals, false);
	must_hold(text_equal(buf_text(&frames->said), buf_text(&due->said)));
	finish(frames);
	finish(due);
	return 0;
}
