/* report.c - a page of figures: words instead of names, one column of values.
 *
 * What a figure is follows from its name: ...Ms and ...Ns are durations, bytes
 * are sizes.  So one that a newer box adds is readable without a change here.
 */
#include "cli/report.h"

#include <stdlib.h>
#include <yyjson.h>

#include "base/must.h"
#include "crew/words.h"

#define BOLD "\033[1m"
#define ALARM "\033[1;31m"
#define PLAIN "\033[0m"
#define COLUMN 26
#define NESTING_MAX 4

struct label {
	const char *path;
	const char *words; /* NULL: it is said elsewhere */
	bool always;       /* also when it is 0 */
};

static const struct label labels[] = {
	{"ok", NULL},
	{"name", NULL},
	{"version", NULL},
	{"uptimeMs", NULL},
	{"seq", "last signal", true},
	{"durableSeq", "on the disk up to", true},
	{"clients", "clients now", true},
	{"crew", NULL},
	{"refusedCredentials", "credentials refused"},
	{"listeners", "listening on"},
	{"bus", "signals since the start"},
	{"bus.accepted", "accepted", true},
	{"bus.repeated", "sent again, stored once"},
	{"bus.idReused", "with the id of another"},
	{"bus.breaksSchema", "against their schema"},
	{"bus.liveOnly", "shown but not stored"},
	{"bus.full", "turned away, too many"},
	{"bus.refused", "refused"},
	{"limits", "beyond the limits"},
	{"limits.tooFast", "signals refused"},
	{"limits.held", "producers not read"},
	{"limits.connections", "connections refused"},
	{"limits.subscriptions", "subscriptions refused"},
	{"journal.trouble", NULL},
	{"journal.firstSeq", "first signal", true},
	{"journal.bytes", "size", true},
	{"journal.segments", "files", true},
	{"journal.commitNs", "a commit takes"},
	{"journal.syncFailures", "failed syncs"},
	{"journal.waiting", "bytes not yet written"},
	{"hub", "clients since the start"},
	{"hub.clients", NULL},
	{"hub.joined", "came", true},
	{"hub.frames", "messages sent"},
	{"hub.gaps", "gaps told"},
	{"hub.dropped", "signals let go"},
	{"hub.slowClosed", "closed, too slow"},
	{"hub.reading", "catching up now"},
	{"hub.lagBytes", "the last is behind"},
};

static const struct label *label_of(const char *path)
{
	for (size_t i = 0; i < sizeof(labels) / sizeof(*labels); i++)
		if (strcmp(labels[i].path, path) == 0)
			return &labels[i];
	return NULL;
}

static bool ends_in(struct text t, const char *end)
{
	size_t n = strlen(end);

	return t.len >= n && memcmp(t.at + t.len - n, end, n) == 0;
}

/* ---- values ---- */

static void add_duration(struct out *out, uint64_t ns)
{
	unsigned long long s = ns / 1000000000;

	if (ns < 1000000)
		out_print(out, "%.3g us", (double)ns / 1e3);
	else if (s == 0)
		out_print(out, "%.3g ms", (double)ns / 1e6);
	else if (s < 60)
		out_print(out, "%llu s", s);
	else if (s < 3600)
		out_print(out, "%llu m %llu s", s / 60, s % 60);
	else if (s < 86400)
		out_print(out, "%llu h %llu m", s / 3600, s / 60 % 60);
	else
		out_print(out, "%llu d %llu h", s / 86400, s / 3600 % 24);
}

static void add_size(struct out *out, uint64_t bytes)
{
	static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
	double n = (double)bytes / 1024;
	size_t unit = 0;

	for (; n >= 1024 && unit < 3; unit++)
		n /= 1024;
	if (bytes < 1024)
		out_print(out, "%llu bytes", (unsigned long long)bytes);
	else
		out_print(out, "%.1f %s", n, units[unit]);
}

static void add_count(struct out *out, struct text name, uint64_t n)
{
	if (ends_in(name, "Ms"))
		add_duration(out, n < UINT64_MAX / 1000000 ? n * 1000000 : UINT64_MAX);
	else if (ends_in(name, "Ns"))
		add_duration(out, n);
	else if (ends_in(name, "bytes") || ends_in(name, "Bytes"))
		add_size(out, n);
	else
		out_print(out, "%llu", (unsigned long long)n);
}

static void add_value(struct out *out, struct text name, yyjson_val *value)
{
	size_t at, count;
	yyjson_val *one;

	if (yyjson_is_str(value))
		out_add_shown(out, (struct text){yyjson_get_str(value), yyjson_get_len(value)});
	else if (yyjson_is_uint(value))
		add_count(out, name, yyjson_get_uint(value));
	else if (yyjson_is_num(value))
		out_print(out, "%.6g", yyjson_get_num(value));
	else if (yyjson_is_bool(value))
		out_print(out, "%s", yyjson_get_bool(value) ? "yes" : "no");
	yyjson_arr_foreach(value, at, count, one)
	{
		out_print(out, "%s", at ? ", " : "");
		if (!yyjson_is_ctn(one))
			add_value(out, name, one);
	}
}

/* ---- names ---- */

/* "fellBehindMs" as "fell behind": words, without the unit that the value has.
 * The caller frees it. */
static char *words_of(struct text name)
{
	struct buf words;
	char *dup;

	if (name.len > 2 && (ends_in(name, "Ms") || ends_in(name, "Ns")))
		name.len -= 2;
	buf_init(&words, 8 * KIB);
	for (size_t i = 0; i < name.len; i++) {
		char c = name.at[i];

		if (c >= 'A' && c <= 'Z')
			buf_print(&words, " %c", c - 'A' + 'a');
		else
			buf_add_char(&words, c == '_' || c == '-' ? ' ' : c);
	}
	dup = text_dup(buf_text(&words));
	buf_finish(&words);
	return dup;
}

/* ---- the page ---- */

/* Is there something in it that is not 0, empty or null?  As deep as it would be shown. */
static bool has_news(yyjson_val *value, unsigned nesting)
{
	size_t at, count;
	yyjson_val *name, *one;

	if (yyjson_is_obj(value)) {
		yyjson_obj_foreach(value, at, count, name, one)
		{
			if (!yyjson_is_arr(one) && nesting < NESTING_MAX &&
			    has_news(one, nesting + 1))
				return true;
		}
		return false;
	}
	if (yyjson_is_arr(value)) {
		yyjson_arr_foreach(value, at, count, one)
		{
			if (!yyjson_is_ctn(one))
				return true;
		}
		return false;
	}
	return !yyjson_is_null(value) && !(yyjson_is_num(value) && yyjson_get_num(value) == 0);
}

static void add_name(struct out *out, const char *words, unsigned nesting, bool is_group)
{
	size_t used = 2 * nesting + strlen(words);

	if (is_group && nesting == 0)
		out_print(out, "\n");
	out_print(out, "%*s", (int)nesting * 2, "");
	if (is_group)
		out_paint(out, BOLD);
	out_add_shown(out, text_of(words));
	if (is_group)
		out_paint(out, PLAIN);
	else
		out_print(out, "%*s", used < COLUMN ? (int)(COLUMN - used) : 1, "");
}

static void add_members(struct out *out, yyjson_val *object, const char *above, unsigned nesting);

static void report_member(struct out *out, struct text name, yyjson_val *value, const char *path,
                          unsigned nesting)
{
	const struct label *label = label_of(path);
	bool is_group = yyjson_is_obj(value);
	char *words;

	if ((label && !label->words) || (!has_news(value, nesting) && !(label && label->always)))
		return;
	words = label ? must_dup(label->words) : words_of(name);
	add_name(out, words, nesting, is_group);
	if (!is_group)
		add_value(out, name, value);
	out_print(out, "\n");
	if (is_group && nesting < NESTING_MAX)
		add_members(out, value, path, nesting + 1);
	free(words);
}

static void add_members(struct out *out, yyjson_val *object, const char *above, unsigned nesting)
{
	yyjson_obj_iter members = yyjson_obj_iter_with(object); /* none if it is no object */
	yyjson_val *name;

	while ((name = yyjson_obj_iter_next(&members))) {
		struct text key = {yyjson_get_str(name), yyjson_get_len(name)};
		yyjson_val *value = yyjson_obj_iter_get_val(name);
		char *path = must_print("%s%s%.*s", above, *above ? "." : "", TEXT_ARG(key));

		report_member(out, key, value, path, nesting);
		free(path);
	}
}

static void add_trouble(struct out *out, yyjson_val *root)
{
	yyjson_val *trouble = yyjson_obj_get(yyjson_obj_get(root, "journal"), "trouble");

	if (!yyjson_is_str(trouble))
		return;
	out_paint(out, ALARM);
	out_print(out, "TROUBLE: the journal stores nothing: ");
	add_value(out, TEXT("trouble"), trouble);
	out_paint(out, PLAIN);
	out_print(out, "\n\n");
}

/* Who waits for a person is said first, by name. */
static void add_crew(struct out *out, yyjson_val *crew)
{
	yyjson_val *waiting = yyjson_obj_get(crew, "waiting"), *handle;
	size_t counts[GROUPS], at, count;
	struct buf words;

	for (unsigned i = 0; i < GROUPS; i++)
		counts[i] =
			yyjson_get_uint(yyjson_obj_get(crew, state_group_name((enum crew_group)i)));
	buf_init(&words, KIB);
	words_groups(&words, counts);
	if (words.len)
		out_print(out, "%.*s\n", TEXT_ARG(buf_text(&words)));
	yyjson_arr_foreach(waiting, at, count, handle)
	{
		out_print(out, "%s", at ? ", " : "waiting for you: ");
		out_add_shown(out, (struct text){yyjson_get_str(handle), yyjson_get_len(handle)});
	}
	if (yyjson_arr_size(waiting))
		out_print(out, "\n");
	if (words.len)
		out_print(out, "\n");
	buf_finish(&words);
}

void report_show(struct out *out, struct text status)
{
	yyjson_doc *doc = yyjson_read(status.at, status.len, 0);
	yyjson_val *root = yyjson_doc_get_root(doc);

	add_trouble(out, root);
	add_value(out, TEXT("name"), yyjson_obj_get(root, "name"));
	out_print(out, " ");
	add_value(out, TEXT("version"), yyjson_obj_get(root, "version"));
	out_print(out, ", up ");
	add_value(out, TEXT("uptimeMs"), yyjson_obj_get(root, "uptimeMs"));
	out_print(out, "\n\n");
	add_crew(out, yyjson_obj_get(root, "crew"));
	add_members(out, root, "", 0);
	yyjson_doc_free(doc);
}
