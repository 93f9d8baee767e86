/* left.c - limits as a table: a row each window. */
#include "cli/left.h"

#include <math.h>
#include <time.h>

#include "cli/table.h"
#include "crew/words.h"
#include "signal/json.h"

#define WORDS_MAX 256
#define ACCOUNT_MAX 40 /* bytes that are shown */
#define DAY_S 86400
#define LAST_MS 4102444800000.0 /* the year 2100: beyond it a clock is wrong */
#define HOUR_MIN 60
#define DAY_MIN 1440
#define WEEK_MIN 10080

static double number_or(yyjson_val *object, const char *name, double otherwise)
{
	double number;

	return json_number(yyjson_obj_get(object, name), &number) ? number : otherwise;
}

/* ---- cells ---- */

static void add_cell(struct table *table, struct buf *words)
{
	table_add(table, buf_text(words), WORDS_MAX);
	buf_clear(words);
}

/* "codex, plus", "claude-code ada". */
static void write_account(struct buf *out, yyjson_val *account)
{
	struct text name = json_text_at(account, "account"), plan = json_text_at(account, "plan");

	buf_add(out, json_text_at(account, "harness"));
	if (name.len)
		buf_print(out, " %.*s", TEXT_ARG(name));
	if (plan.len)
		buf_print(out, ", %.*s", TEXT_ARG(plan));
}

static void write_window(struct buf *out, yyjson_val *window)
{
	struct text name = json_text_at(window, "name");
	double minutes = number_or(window, "minutes", 0);

	buf_add(out, name);
	if (!(minutes > 0))
		return;
	if (name.len)
		buf_add_char(out, ' ');
	if (minutes == WEEK_MIN)
		buf_add(out, TEXT("week"));
	else if (fmod(minutes, DAY_MIN) == 0)
		buf_print(out, "%.0f d", minutes / DAY_MIN);
	else if (fmod(minutes, HOUR_MIN) == 0)
		buf_print(out, "%.0f h", minutes / HOUR_MIN);
	else
		buf_print(out, "%.0f min", minutes);
}

/* "16:20" of today, "Thu 09:00" of this week, "25 Nov 09:00". */
static void write_moment(struct buf *out, double at_ms, double now_ms)
{
	time_t at = (time_t)(fmin(at_ms, LAST_MS) / 1000);
	time_t now = (time_t)(fmin(now_ms, LAST_MS) / 1000);
	struct tm tm, today;
	char words[40];
	size_t len;

	if (!localtime_r(&at, &tm) || !localtime_r(&now, &today))
		return;
	if (tm.tm_year == today.tm_year && tm.tm_yday == today.tm_yday)
		len = strftime(words, sizeof(words), "%H:%M", &tm);
	else if (at > now - 6 * DAY_S && at < now + 6 * DAY_S)
		len = strftime(words, sizeof(words), "%a %H:%M", &tm);
	else
		len = strftime(words, sizeof(words), "%d %b %H:%M", &tm);
	buf_add(out, (struct text){words, len});
}

static void write_resets(struct buf *out, yyjson_val *window, double now_ms)
{
	double at_ms = number_or(window, "resetsAt", 0);

	if (!(at_ms > 0))
		return;
	if (yyjson_is_true(yyjson_obj_get(window, "isReset")))
		buf_add(out, TEXT("was reset "));
	write_moment(out, at_ms, now_ms);
}

static void write_rate(struct buf *out, yyjson_val *window, double now_ms)
{
	double rate = number_or(window, "perHour", -1), empty_ms = number_or(window, "usedUpAt", 0);

	if (number_or(window, "used", 0) >= 100) {
		buf_add(out, TEXT("used up"));
		return;
	}
	if (rate < 0)
		return;
	words_percent(out, rate);
	buf_add(out, TEXT(" an hour"));
	if (empty_ms > 0) {
		buf_add(out, TEXT(": used up "));
		write_moment(out, empty_ms, now_ms);
	} else if (number_or(window, "resetsAt", 0) > 0) {
		buf_add(out, TEXT(": lasts until the reset"));
	}
}

static void write_told(struct buf *out, yyjson_val *account, double now_ms)
{
	if (!yyjson_is_true(yyjson_obj_get(account, "stale"))) {
		buf_add(out, TEXT("now"));
		return;
	}
	words_age(out, now_ms - number_or(account, "at", now_ms));
	buf_add(out, TEXT(" ago"));
}

/* ---- rows ---- */

static void add_window(struct table *table, yyjson_val *account, yyjson_val *window, double now_ms)
{
	struct buf words;

	buf_init(&words, WORDS_MAX);
	write_account(&words, account);
	table_add(table, buf_text(&words), ACCOUNT_MAX);
	buf_clear(&words);
	write_window(&words, window);
	add_cell(table, &words);
	words_percent(&words, number_or(window, "used", 0));
	add_cell(table, &words);
	words_percent(&words, number_or(window, "left", 0));
	add_cell(table, &words);
	write_resets(&words, window, now_ms);
	add_cell(table, &words);
	write_rate(&words, window, now_ms);
	add_cell(table, &words);
	write_told(&words, account, now_ms);
	add_cell(table, &words);
	buf_finish(&words);
}

void left_show(struct out *out, yyjson_val *root)
{
	static const char *const heading[] = {"LIMITS", "WINDOW",       "USED", "LEFT",
	                                      "RESETS", "AT THIS RATE", "TOLD"};
	yyjson_val *limits = yyjson_obj_get(root, "limits"), *account, *window;
	yyjson_arr_iter each = yyjson_arr_iter_with(limits);
	double now_ms = number_or(root, "at", 0);
	struct table table;

	if (yyjson_arr_size(limits) == 0)
		return;
	table_init(&table, sizeof(heading) / sizeof(*heading));
	for (size_t i = 0; i < sizeof(heading) / sizeof(*heading); i++)
		table_add(&table, text_of(heading[i]), 20);
	while ((account = yyjson_arr_iter_next(&each))) {
		yyjson_arr_iter of = yyjson_arr_iter_with(yyjson_obj_get(account, "windows"));

		while ((window = yyjson_arr_iter_next(&of)))
			add_window(&table, account, window, now_ms);
	}
	out_print(out, "\n");
	table_show(&table, out);
	table_finish(&table);
}
