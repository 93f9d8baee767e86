/* scenario.c - playing scripts into the bus: the smallest possible source. */
#include "source/scenario.h"

#include <stdlib.h>
#include <uv.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/must.h"
#include "bus/bus.h"
#include "net/loop.h"

#define SCENARIO_PAUSE_MS 2000 /* between two scripts */
#define SCENARIO_SIGNAL_MAX (8 * KIB)

struct scenario {
	uv_timer_t timer;
	struct bus *bus;
	double speed;
	const struct script *script;
	const struct beat *beat;
	unsigned long round; /* which play this is: part of the correlationId */
};

static void emit(struct scenario *s)
{
	struct bus_emit emit = {.from = {.name = TEXT("demo")}};
	struct bus_verdict verdict;
	struct buf out;

	buf_init(&out, SCENARIO_SIGNAL_MAX);
	buf_print(&out,
	          "{\"type\":\"%s\",\"source\":\"demo\",\"correlationId\":\"demo-%s-%lu\","
	          "\"metadata\":{\"demo\":true,\"scenario\":\"%s\"},\"payload\":%s}",
	          s->beat->type, s->script->name, s->round, s->script->name, s->beat->payload);
	emit.raw = buf_text(&out);
	bus_admit(s->bus, &emit, &verdict);
	if (verdict.answer != BUS_ACCEPTED)
		log_warn("scenario", "%s: %s", s->script->name, verdict.why.words);
	buf_finish(&out);
}

static void next_script(struct scenario *s)
{
	s->script++;
	if (!s->script->name)
		s->script = scenario_scripts;
	s->beat = s->script->beats;
	s->round++;
}

static void play(uv_timer_t *timer);

static void wait_for_beat(struct scenario *s, unsigned more_ms)
{
	uv_timer_start(&s->timer, play, (uint64_t)((s->beat->after_ms + more_ms) / s->speed), 0);
}

static void play(uv_timer_t *timer)
{
	struct scenario *s = timer->data;
	unsigned pause = 0;

	emit(s);
	s->beat++;
	if (!s->beat->type) {
		next_script(s);
		pause = SCENARIO_PAUSE_MS;
	}
	wait_for_beat(s, pause);
}

struct scenario *scenario_create(struct loop *loop, struct bus *bus, double speed)
{
	struct scenario *s = must_zero(1, sizeof(*s));

	s->bus = bus;
	s->speed = speed;
	s->script = scenario_scripts;
	s->beat = s->script->beats;
	s->round = 1;
	uv_timer_init(loop_uv(loop), &s->timer);
	s->timer.data = s;
	wait_for_beat(s, 0);
	return s;
}

static void free_closed(uv_handle_t *timer)
{
	free(timer->data);
}

void scenario_destroy(struct scenario *s)
{
	if (s)
		uv_close((uv_handle_t *)&s->timer, free_closed);
}
