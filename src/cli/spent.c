/* spent.c - `signalbox usage`: what agents spent, as a table with bars, as CSV or JSON. */
#include <stdlib.h>
#include <time.h>

#include "base/must.h"
#include "cli/command.h"
#include "cli/left.h"
#include "cli/remote.h"
#include "cli/table.h"
#include "crew/words.h"
#include "crew/zone.h"
#include "signal/json.h"

extern const struct command command_usage;

#define USAGE_MS 10000
#define BAR_CELLS 24
#define KEY_BYTES 40
#define CELL_MAX 48
#define DAY_MS 86400000ll
#define DAY_S 86400
#define HOUR_MS 3600000ll
#define SINCE_DEFAULT "30d"
#define AMOUNT_MAX 100000 /* days or hours back */

/* ---- what is asked for ---- */

/* 7d, 12h, or a day of this machine's zone: 2026-11-16. */
static bool read_since(const char *word, int64_t now_ms, int64_t *out)
{
	struct text unit = text_of(word);
	struct tm tm = {.tm_isdst = -1};
	const char *end;
	uint64_t n;

	if (unit.len > 1 && text_to_u64((struct text){word, unit.len - 1}, &n) && n <= AMOUNT_MAX) {
		char last = word[unit.len - 1];

		*out = now_ms - (int64_t)n * (last == 'd' ? DAY_MS : HOUR_MS);
		return last == 'd' || last == 'h';
	}
	end = strptime(word, "%Y-%m-%d", &tm);
	*out = end && *end == '\0' ? (int64_t)mktime(&tm) * 1000 : -1;
	return *out >= 0;
}

/* Minutes of this machine's zone east of UTC. */
static long minutes_at(time_t at)
{
	struct tm tm;

	return localtime_r(&at, &tm) ? tm.tm_gmtoff / 60 : 0;
}

/* Between two moments of other minutes, the first of the later ones. */
static time_t change_between(time_t before, time_t after)
{
	while (after - before > 1) {
		time_t middle = before + (after - before) / 2;

		if (minutes_at(middle) == minutes_at(after))
			after = middle;
		else
			before = middle;
	}
	return after;
}

/* Its minutes at the beginning, and each change until now: the newest, if there are too many. */
static char *zone_since(time_t since, time_t now)
{
	char *words = must_dup(""), *more;
	time_t at = now;

	for (int count = 0; at > since && count < ZONE_CHANGES_MAX;) {
		time_t before = at - DAY_S > since ? at - DAY_S : since;

		if (minutes_at(before) != minutes_at(at)) {
			time_t from = change_between(before, at);

			more = must_print(",%ld@%lld%s", minutes_at(from), (long long)from * 1000,
			                  words);
			free(words);
			words = more;
			count++;
			before = from - 1;
		}
		at = before;
	}
	more = must_print("%ld%s", minutes_at(at), words);
	free(words);
	return more;
}

static bool is_known_by(const char *by)
{
	static const char *const known[] = {"day",   "hour",    "project",
	                                    "model", "harness", "session"};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (text_is(text_of(by), known[i]))
			return true;
	return false;
}

/* ---- as a table ---- */

static uint64_t count_at(yyjson_val *row, const char *name)
{
	return yyjson_get_uint(yyjson_obj_get(row, name));
}

static void add_number_cell(struct table *table, uint64_t n)
{
	struct buf words;

	buf_init(&words, CELL_MAX);
	words_amount(&words, (double)n);
	table_add(table, buf_text(&words), CELL_MAX);
	buf_finish(&words);
}

static void add_cost_cell(struct table *table, yyjson_val *row)
{
	struct buf words;

	buf_init(&words, CELL_MAX);
	words_spent(&words, row);
	table_add(table, buf_text(&words), CELL_MAX);
	buf_finish(&words);
}

/* By money where any is known, else by tokens. */
static double weight_of(yyjson_val *row, bool by_cost)
{
	if (by_cost)
		return yyjson_get_num(yyjson_obj_get(row, "cost"));
	return (double)count_at(row, "input") + (double)count_at(row, "output");
}

static void add_bar(struct table *table, double weight, double most)
{
	int cells = most > 0 ? (int)(weight / most * BAR_CELLS + 0.5) : 0;
	struct buf bar;

	buf_init(&bar, BAR_CELLS * 4);
	for (int i = 0; i < cells; i++)
		buf_add(&bar, TEXT("█"));
	table_add(table, buf_text(&bar), BAR_CELLS * 4);
	buf_finish(&bar);
}

static void add_usage_row(struct table *table, yyjson_val *row, struct text key)
{
	table_add(table, key.len ? key : TEXT("-"), KEY_BYTES);
	add_number_cell(table, count_at(row, "input"));
	add_number_cell(table, count_at(row, "cacheRead"));
	add_number_cell(table, count_at(row, "cacheWrite") + count_at(row, "cacheWrite1h"));
	add_number_cell(table, count_at(row, "output"));
	add_cost_cell(table, row);
}

/* What it is called: a session by its handle, if it still has one. */
static struct text spender_of(yyjson_val *row)
{
	struct text handle = json_text_at(row, "handle");

	return handle.len ? handle : json_text_at(row, "key");
}

static double most_of(yyjson_val *rows, bool by_cost)
{
	yyjson_arr_iter each = yyjson_arr_iter_with(rows);
	yyjson_val *row;
	double most = 0;

	while ((row = yyjson_arr_iter_next(&each)))
		if (weight_of(row, by_cost) > most)
			most = weight_of(row, by_cost);
	return most;
}

static void show_table(struct out *out, yyjson_val *root)
{
	static const char *const heading[] = {"WHAT",   "INPUT", "CACHE READ", "CACHE WRITE",
	                                      "OUTPUT", "COST",  "SHARE"};
	yyjson_val *rows = yyjson_obj_get(root, "rows"), *total = yyjson_obj_get(root, "total"),
		   *row;
	yyjson_arr_iter each = yyjson_arr_iter_with(rows);
	bool by_cost = yyjson_get_num(yyjson_obj_get(total, "cost")) > 0;
	double most = most_of(rows, by_cost);
	struct table table;

	table_init(&table, 7);
	for (size_t i = 0; i < 7; i++)
		table_add(&table, text_of(heading[i]), 20);
	while ((row = yyjson_arr_iter_next(&each))) {
		add_usage_row(&table, row, spender_of(row));
		add_bar(&table, weight_of(row, by_cost), most);
	}
	add_usage_row(&table, total, TEXT("total"));
	table_add(&table, TEXT(""), 1);
	table_show(&table, out);
	table_finish(&table);
	out_print(out, "List prices of ");
	out_add_shown(out, json_text_at(yyjson_obj_get(root, "prices"), "date"));
	out_print(out, ", not a bill.\n");
}

/* ---- as CSV ---- */

static const char *const columns[] = {"input",        "output",    "cacheRead", "cacheWrite",
                                      "cacheWrite1h", "reasoning", "calls"};
#define COLUMN_COUNT (sizeof(columns) / sizeof(*columns))

/* A cell that a spreadsheet would take for a formula gets a quote in front. */
static void print_cell(struct out *out, struct text cell)
{
	bool is_formula = cell.len && memchr("=+-@\t\r", cell.at[0], 6);

	out_print(out, is_formula ? "\"'" : "\"");
	for (size_t i = 0; i < cell.len; i++)
		out_add(out, cell.at[i] == '"' ? TEXT("\"\"") : (struct text){cell.at + i, 1});
	out_print(out, "\"");
}

/* Calls were hidden, or have no known price. */
static bool is_at_least(yyjson_val *row)
{
	return yyjson_is_true(yyjson_obj_get(row, "atLeast")) ||
	       yyjson_is_true(yyjson_obj_get(row, "unknown"));
}

static void show_csv(struct out *out, yyjson_val *root)
{
	yyjson_arr_iter each = yyjson_arr_iter_with(yyjson_obj_get(root, "rows"));
	yyjson_val *row;

	out_print(out, "key");
	for (size_t i = 0; i < COLUMN_COUNT; i++)
		out_print(out, ",%s", columns[i]);
	out_print(out, ",cost,atLeast\n");
	while ((row = yyjson_arr_iter_next(&each))) {
		yyjson_val *cost = yyjson_obj_get(row, "cost");

		print_cell(out, spender_of(row));
		for (size_t i = 0; i < COLUMN_COUNT; i++)
			out_print(out, ",%llu", (unsigned long long)count_at(row, columns[i]));
		if (yyjson_is_num(cost))
			out_print(out, ",%.6f,%s\n", yyjson_get_num(cost),
			          is_at_least(row) ? "true" : "false");
		else
			out_print(out, ",,\n");
	}
}

/* ---- the verb ---- */

static void show_answer(struct out *out, struct text json, bool as_csv)
{
	yyjson_doc *doc = yyjson_read(json.at, json.len, 0);
	yyjson_val *root = yyjson_doc_get_root(doc);

	if (as_csv)
		show_csv(out, root);
	else if (yyjson_arr_size(yyjson_obj_get(root, "rows")) == 0)
		out_print(out, "Nothing was spent since then.\n");
	else
		show_table(out, root);
	if (!as_csv)
		left_show(out, root);
	yyjson_doc_free(doc);
}

static void show_as_table(struct out *out, struct text json)
{
	show_answer(out, json, false);
}

static void show_as_csv(struct out *out, struct text json)
{
	show_answer(out, json, true);
}

static int usage(struct command_context *context, const struct options *options)
{
	const char *by = options_value(options, "by"), *since = options_value(options, "since");
	time_t now = time(NULL);
	int64_t since_ms;
	char *path, *zone;
	int status;

	if (by && !is_known_by(by))
		return command_misused(&command_usage,
		                       "--by is day, hour, project, model, harness or session");
	if (!read_since(since ? since : SINCE_DEFAULT, (int64_t)now * 1000, &since_ms))
		return command_misused(&command_usage, "--since is 7d, 12h or 2026-11-16");
	if (since_ms < 0)
		since_ms = 0;
	zone = zone_since((time_t)(since_ms / 1000), now);
	path = must_print("/api/usage?by=%s&since=%lld&offset=%s", by ? by : "day",
	                  (long long)since_ms, zone);
	free(zone);
	status = remote_show(
		&command_usage, context, options,
		&(struct remote_request){.method = "GET", .path = path, .timeout_ms = USAGE_MS},
		options_has(options, "csv") ? show_as_csv : show_as_table);
	free(path);
	return status;
}

static const struct option own[] = {
	{"by", 'b', "WHAT", "day, hour, project, model, harness or session", "day"},
	{"since", 's', "WHEN", "7d, 12h, or a day: 2026-11-16", SINCE_DEFAULT},
	{"csv", .help = "as comma-separated values"},
	{"json", 'j', .help = "as one JSON object"},
	{0},
};
static const struct option_group own_group = {"Options", own};
static const struct option_group *const groups[] = {&own_group, &options_box, &options_common,
                                                    NULL};

const struct command command_usage = {
	.name = "usage",
	.summary = "show what agents spent",
	.usage = "[--by day|project|model|session|harness] [--since WHEN] [--json]",
	.examples = "  signalbox usage\n"
		    "  signalbox usage --by project --since 7d\n"
		    "  signalbox usage --by model --csv > models.csv\n",
	.about = "Tokens are those that models counted, each response once. Money is made of list\n"
		 "prices; models that the list does not have cost an unknown sum. Days are those\n"
		 "of this machine's time zone. Below: how much is left of the limits that agents\n"
		 "tell, and whether it lasts at the rate of the last hour.\n",
	.groups = groups,
	.run = usage,
};
