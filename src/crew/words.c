/* words.c - sessions in words. */
#include "crew/words.h"

#include <math.h>
#include <stdio.h>

#include "signal/json.h"

#define SECOND_MS 1000.0
#define DOLLARS_MAX 1e15
#define LONGEST_S 3.2e9 /* a hundred years: beyond it a clock is wrong */

static double number_at(yyjson_val *object, const char *name)
{
	double number = 0;

	json_number(yyjson_obj_get(object, name), &number);
	return number > 0 ? number : 0;
}

/* ---- the state ---- */

static void add_why(struct buf *out, const char *word, const char *between, struct text why)
{
	buf_add(out, text_of(word));
	if (!why.len)
		return;
	buf_add(out, text_of(between));
	buf_add(out, why);
}

static void add_tool(struct buf *out, yyjson_val *state)
{
	struct text tool = json_text_at(state, "tool"), target = json_text_at(state, "target");

	buf_add(out, tool.len ? tool : TEXT("tool"));
	if (!target.len)
		return;
	buf_add_char(out, ' ');
	buf_add(out, target);
}

void words_state(struct buf *out, yyjson_val *state)
{
	struct text name = json_text_at(state, "name"), why = json_text_at(state, "why");
	enum crew_state known = CREW_STATES;

	if (!state_of_name(name, &known)) {
		buf_add(out, name);
		return;
	}
	switch (known) {
	case CREW_TOOL:
		add_tool(out, state);
		break;
	case CREW_ASKS:
		buf_add(out, TEXT("waits for you"));
		break;
	case CREW_WAITS:
		add_why(out, "waits", text_starts(why, TEXT("for ")) ? " " : ": ", why);
		break;
	case CREW_FAILED:
	case CREW_GONE:
		add_why(out, state_name(known), ": ", why);
		break;
	default:
		buf_add(out, text_of(state_name(known)));
	}
}

void words_age(struct buf *out, double ms)
{
	unsigned long long s = 0;

	if (ms > 0)
		s = (unsigned long long)(ms / SECOND_MS < LONGEST_S ? ms / SECOND_MS : LONGEST_S);
	if (s < 60)
		buf_print(out, "%llus", s);
	else if (s < 3600)
		buf_print(out, "%llum", s / 60);
	else if (s < 86400)
		buf_print(out, "%lluh %llum", s / 3600, s / 60 % 60);
	else
		buf_print(out, "%llud", s / 86400);
}

void words_clock(struct buf *out, yyjson_val *state, double now_ms)
{
	double since = number_at(state, "since");
	enum crew_state known;

	if (since <= 0 || !state_of_name(json_text_at(state, "name"), &known) ||
	    state_is_over(known) || known == CREW_FAILED)
		return;
	words_age(out, now_ms - since);
}

/* ---- figures ---- */

void words_plan(struct buf *out, yyjson_val *member)
{
	yyjson_val *plan = yyjson_obj_get(member, "plan");

	if (number_at(plan, "total") > 0)
		buf_print(out, "%.0f/%.0f", number_at(plan, "done"), number_at(plan, "total"));
}

static double tokens_of(yyjson_val *usage)
{
	static const char *const kinds[] = {"input", "output", "cacheRead", "cacheWrite",
	                                    "cacheWrite1h"};
	double sum = 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		sum += number_at(usage, kinds[i]);
	return sum;
}

void words_amount(struct buf *out, double count)
{
	double value = count / 1e9;
	char unit = 'G';

	if (count < 1000) {
		buf_print(out, "%.0f", round(count));
		return;
	}
	if (count < 999500) {
		value = count / 1e3;
		unit = 'k';
	} else if (count < 999.5e6) {
		value = count / 1e6;
		unit = 'M';
	}
	if (value < 9.95)
		buf_print(out, "%.1f%c", round(value * 10) / 10, unit);
	else
		buf_print(out, "%.0f%c", round(value), unit);
}

void words_tokens(struct buf *out, yyjson_val *member)
{
	double sum = tokens_of(yyjson_obj_get(member, "usage"));

	if (sum > 0)
		words_amount(out, sum);
}

void words_money(struct buf *out, double dollars)
{
	char digits[64];
	size_t len;

	if (dollars > 0 && dollars < 0.01) {
		buf_add(out, TEXT("< $0.01"));
	} else if (round(dollars * 100) < 1e5) {
		buf_print(out, "$%.2f", round(dollars * 100) / 100);
	} else {
		snprintf(digits, sizeof(digits), "%.0f", round(fmin(dollars, DOLLARS_MAX)));
		len = strlen(digits);
		buf_add_char(out, '$');
		for (size_t i = 0; i < len; i++) {
			if (i > 0 && (len - i) % 3 == 0)
				buf_add_char(out, ',');
			buf_add_char(out, digits[i]);
		}
	}
}

void words_spent(struct buf *out, yyjson_val *usage)
{
	bool is_unknown = yyjson_is_true(yyjson_obj_get(usage, "unknown"));
	bool is_more = is_unknown || yyjson_is_true(yyjson_obj_get(usage, "atLeast"));
	double cost = number_at(usage, "cost"), tokens = tokens_of(usage);

	if (!yyjson_is_num(yyjson_obj_get(usage, "cost")) || (is_unknown && cost == 0)) {
		if (tokens > 0 || is_unknown)
			buf_add(out, TEXT("unknown"));
	} else if (cost > 0 || tokens > 0) {
		if (is_more && cost > 0)
			buf_add(out, TEXT("≥ "));
		words_money(out, cost);
	}
}

void words_cost(struct buf *out, yyjson_val *member)
{
	words_spent(out, yyjson_obj_get(member, "usage"));
}

void words_percent(struct buf *out, double percent)
{
	double tenths = round(percent * 10) / 10;
	bool is_whole = tenths >= 10 || tenths == floor(tenths);

	buf_print(out, is_whole ? "%.0f %%" : "%.1f %%", is_whole ? round(percent) : tenths);
}

void words_groups(struct buf *out, const size_t counts[GROUPS])
{
	static const char *const words[GROUP_OVER] = {"wait for you", "failed", "at work", "idle"};
	size_t start = out->len;

	for (unsigned i = 0; i < GROUP_OVER; i++) {
		if (counts[i] == 0)
			continue;
		buf_print(out, "%s%zu %s", out->len > start ? ", " : "", counts[i],
		          i == GROUP_WAITS && counts[i] == 1 ? "waits for you" : words[i]);
	}
}
