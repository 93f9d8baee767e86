/* tell.c - puts commands together. */
#include "choreo/tell.h"

#include <math.h>

#include "base/put.h"
#include "signal/json.h"

#define PARAMS_MAX (64 * KIB)

void teller_init(struct teller *teller,
                 void (*command)(void *self, const struct stage_command *command), void *self)
{
	*teller = (struct teller){.command = command, .self = self};
	buf_init(&teller->params, PARAMS_MAX);
}

void teller_finish(struct teller *teller)
{
	buf_finish(&teller->params);
}

struct buf *tell_params(struct teller *teller)
{
	buf_clear(&teller->params);
	teller->params.full = false;
	buf_add_char(&teller->params, '{');
	return &teller->params;
}

void tell_member(struct buf *params, const char *name, struct text value)
{
	if (value.len == 0)
		return;
	put_text(params, name, value);
}

struct buf *tell_property(struct teller *teller, struct text property)
{
	struct buf *params = tell_params(teller);

	tell_member(params, "property", property);
	return params;
}

void tell(struct teller *teller, const struct told *told)
{
	const struct stage_command command = {
		.kind = told->kind,
		.at_ms = told->now_ms,
		.performance = COMMAND_OF_BINDING,
		.action = text_of(told->action),
		.entity = told->actor,
		.by_signal = teller->by_signal,
		.params = buf_text(&teller->params),
		.duration = told->duration,
		.easing = told->easing.len ? told->easing : TEXT("linear"),
		.progress = told->progress,
		.elapsed = told->elapsed,
		.correlation = teller->correlation,
		.source = teller->source,
	};

	if (!teller->params.full)
		teller->command(teller->self, &command);
}

void tell_set(struct teller *teller, struct text actor, double now_ms)
{
	buf_add_char(&teller->params, '}');
	tell(teller, &(struct told){COMMAND_EXECUTE, "set", actor, now_ms});
}

void tell_number(struct teller *teller, struct text property, struct text actor, double value,
                 double now_ms)
{
	struct buf *params = tell_property(teller, property);

	if (!isfinite(value))
		return;
	put_key(params, "value");
	json_add_number(params, value);
	tell_set(teller, actor, now_ms);
}

void tell_text(struct teller *teller, struct text property, struct text actor, struct text value,
               double now_ms)
{
	struct buf *params = tell_property(teller, property);

	if (value.len == 0)
		return;
	tell_member(params, "value", value);
	tell_set(teller, actor, now_ms);
}

void tell_point(struct teller *teller, struct text actor, double x, double y, double now_ms)
{
	struct buf *params = tell_property(teller, TEXT("position"));

	put_object(params, "value");
	put_key(params, "x");
	json_add_number(params, x);
	put_key(params, "y");
	json_add_number(params, y);
	buf_add_char(params, '}');
	tell_set(teller, actor, now_ms);
}
