/* api_usage.c - GET /api/usage: what agents spent, by day, project, model and more. */
#include <math.h>

#include "base/put.h"
#include "crew/spending.h"
#include "web/inside.h"

#define ANSWER_MAX (32 * MIB)
#define OFFSET_MAX (14 * 60) /* minutes; no zone is further from UTC */

static bool read_by(struct spending_question *q, struct text value, struct error *why)
{
	for (q->by = 0; q->by < SPENDING_BYS; q->by++)
		if (text_is(value, spending_by_names[q->by]))
			return true;
	return error_set(why, "day, hour, project, model, harness or session");
}

static bool read_moment(double *out, struct text value, struct error *why)
{
	uint64_t ms;

	if (!text_to_u64(value, &ms))
		return error_set(why, "milliseconds since 1970");
	*out = (double)ms;
	return true;
}

static bool read_offset(int *out, struct text value, struct error *why)
{
	bool is_west = text_starts(value, TEXT("-"));
	uint64_t minutes;

	if (is_west)
		value = (struct text){value.at + 1, value.len - 1};
	if (!text_to_u64(value, &minutes) || minutes > OFFSET_MAX)
		return error_set(why, "minutes east of UTC, from -%d to %d", OFFSET_MAX,
		                 OFFSET_MAX);
	*out = is_west ? -(int)minutes : (int)minutes;
	return true;
}

static bool read_parameter(void *self, struct text name, struct text value, struct error *why)
{
	struct spending_question *q = self;

	if (text_is(name, "by"))
		return read_by(q, value, why);
	if (text_is(name, "since"))
		return read_moment(&q->since_ms, value, why);
	if (text_is(name, "until"))
		return read_moment(&q->until_ms, value, why);
	if (text_is(name, "offset"))
		return read_offset(&q->offset_min, value, why);
	return error_set(why, "there is no such parameter");
}

void api_usage(struct call *call)
{
	struct spending_question q = {
		.by = SPENDING_BY_DAY,
		.until_ms = INFINITY,
		.prices = call->web->options.prices,
	};
	struct error why;
	struct buf out;

	if (!http_query_each(http_request(call->http)->query, read_parameter, &q, &why)) {
		web_refuse(call->http, 400, why.words, NULL);
		return;
	}
	buf_init(&out, ANSWER_MAX);
	put_object(&out, NULL);
	put_bool(&out, "ok", true);
	spending_json(call->web->options.spending, &q, &out);
	put_end(&out);
	buf_add_char(&out, '\n');
	if (out.full)
		web_refuse(call->http, 500, "the response is too large", NULL);
	else
		web_answer(call->http, &out);
	buf_finish(&out);
}
