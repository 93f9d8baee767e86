/* show.c - a signal as one line for people. */
#include "cli/show.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/utf8.h"
#include "signal/json.h"

#define DIM "\033[2m"
#define PLAIN "\033[0m"
#define NAME_MAX_SHOWN 48
#define LATEST_MS 1e14 /* some thousand years on: beyond it a clock is wrong */

static const struct {
	const char *prefix;
	const char *color;
} colors[] = {
	{"error", "\033[31m"},   {"completion", "\033[32m"}, {"tool_", "\033[33m"},
	{"task_", "\033[34m"},   {"user.", "\033[35m"},      {"agent_", "\033[36m"},
	{"thinking", "\033[2m"}, {"token_", "\033[2m"},      {"journal.", "\033[31m"},
	{"", "\033[1m"},
};

static const char *color_of(struct text type)
{
	size_t i = 0;

	while (!text_starts(type, text_of(colors[i].prefix)))
		i++;
	return colors[i].color;
}

/* At most n bytes of it, whole characters, with dots where something is cut. */
static void add_cut(struct out *out, struct text t, size_t n)
{
	out_add_shown(out, utf8_cut(t, n));
	if (t.len > n)
		out_add(out, TEXT("..."));
}

static void add_time(struct out *out, double at_ms)
{
	struct tm tm;
	time_t seconds;

	if (!(fabs(at_ms) < LATEST_MS)) {
		out_print(out, "--:--:--.---");
		return;
	}
	seconds = (time_t)floor(at_ms / 1000);
	localtime_r(&seconds, &tm);
	out_print(out, "%02d:%02d:%02d.%03d", tm.tm_hour, tm.tm_min, tm.tm_sec,
	          (int)(at_ms - (double)seconds * 1000) % 1000);
}

static void add_payload(struct out *out, yyjson_val *payload, size_t most)
{
	size_t len = 0;
	char *json = yyjson_val_write(payload, YYJSON_WRITE_ALLOW_INVALID_UNICODE, &len);

	if (json)
		add_cut(out, (struct text){json, len}, most);
	free(json);
}

static struct text who_of(yyjson_val *root, const struct show_names *names)
{
	struct text correlation = json_text_at(root, "correlationId"), name = {0};

	if (names && correlation.len)
		name = names->name(names->self, correlation);
	return name.len ? name : json_text_at(root, "source");
}

static void show_parts(struct out *out, yyjson_val *root, unsigned columns,
                       const struct show_names *names)
{
	struct text type = json_text_at(root, "type"), who = who_of(root, names);
	size_t used = 24 + who.len + type.len;

	out_paint(out, DIM);
	add_time(out, yyjson_get_num(yyjson_obj_get(root, "timestamp")));
	out_print(out, " %7llu ", (unsigned long long)yyjson_get_uint(yyjson_obj_get(root, "seq")));
	add_cut(out, who, NAME_MAX_SHOWN);
	out_paint(out, PLAIN);
	out_add(out, TEXT("  "));
	out_paint(out, color_of(type));
	add_cut(out, type, NAME_MAX_SHOWN);
	out_paint(out, PLAIN);
	out_add(out, TEXT("  "));
	add_payload(out, yyjson_obj_get(root, "payload"),
	            columns > used + 20 ? columns - used : 20);
}

void show_signal(struct out *out, struct text envelope, unsigned columns,
                 const struct show_names *names)
{
	yyjson_doc *doc = yyjson_read(envelope.at, envelope.len, YYJSON_READ_ALLOW_INVALID_UNICODE);
	yyjson_val *root = yyjson_doc_get_root(doc);

	if (yyjson_is_obj(root))
		show_parts(out, root, columns, names);
	else
		add_cut(out, envelope, columns);
	out_add(out, TEXT("\n"));
	yyjson_doc_free(doc);
}
