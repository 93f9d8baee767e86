/* tool_words.c - a tool's input, member by member. */
#include "parse/tool_words.h"

#include "base/utf8.h"
#include "base/visible.h"
#include "signal/json.h"

#define DEPTH_MAX 8 /* what is deeper is shown as JSON */
#define NOTE_MAX 64 /* bytes of words that say what is missing */
#define PATH_MAX_BYTES 1024
#define PIECE (4 * KIB) /* of a text that is made visible at once */
#define JSON_MAX (64 * MIB)

struct tool_words {
	struct buf shown;
	size_t missing; /* bytes that were not */
	struct buf path;
};

static void tool_words_add(struct tool_words *w, struct text t)
{
	struct text fits = utf8_cut(t, w->missing ? 0 : w->shown.max - w->shown.len);

	buf_add(&w->shown, fits);
	w->missing += t.len - fits.len;
}

/* What is not shown any more is only counted. */
static void add_visible(struct tool_words *w, struct text t)
{
	struct buf out;

	buf_init(&out, VISIBLE_GROWTH * PIECE);
	while (t.len && !w->missing) {
		struct text piece = utf8_cut(t, PIECE);

		buf_clear(&out);
		visible_add(&out, piece, VISIBLE_MARK_LINES);
		tool_words_add(w, buf_text(&out));
		t = (struct text){t.at + piece.len, t.len - piece.len};
	}
	w->missing += t.len;
	buf_finish(&out);
}

static void add_lines(struct tool_words *w, struct text t)
{
	while (t.at) {
		struct text line = text_cut(t, '\n', &t);

		tool_words_add(w, TEXT("\n  | "));
		add_visible(w, line);
	}
}

static void add_json(struct tool_words *w, yyjson_val *value)
{
	struct buf json;

	buf_init(&json, JSON_MAX);
	json_add(&json, value);
	add_visible(w, buf_text(&json));
	buf_finish(&json);
}

/* Behind the name of a member. */
static void tool_words_add_value(struct tool_words *w, yyjson_val *value)
{
	struct text t = json_text(value);

	tool_words_add(w, TEXT(":"));
	if (t.len && text_find(t, '\n') >= 0) {
		add_lines(w, t);
		return;
	}
	tool_words_add(w, TEXT(" "));
	if (t.len)
		add_visible(w, t);
	else
		add_json(w, value);
}

/* ---- members ---- */

static bool tool_words_is_plain(struct text key)
{
	for (size_t i = 0; i < key.len; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-",
		            key.at[i]) ||
		    !key.at[i])
			return false;
	return key.len > 0;
}

static void tool_words_add_members(struct tool_words *w, yyjson_val *value, const yyjson_val *but,
                                   int depth);

/* One member or element, whose path is in w->path. */
static void tool_words_add_member(struct tool_words *w, yyjson_val *value, int depth)
{
	if (depth < DEPTH_MAX && yyjson_is_ctn(value) && unsafe_yyjson_get_len(value) > 0 &&
	    !w->path.full) {
		tool_words_add_members(w, value, NULL, depth + 1);
		return;
	}
	tool_words_add(w, TEXT("\n"));
	add_visible(w, buf_text(&w->path));
	if (w->path.full)
		tool_words_add(w, TEXT("..."));
	tool_words_add_value(w, value);
}

static void add_key(struct tool_words *w, yyjson_val *key)
{
	if (w->path.len)
		buf_add_char(&w->path, '.');
	if (tool_words_is_plain(json_text(key)))
		buf_add(&w->path, json_text(key));
	else
		buf_add_json(&w->path, json_text(key));
}

static void end_path(struct tool_words *w, size_t len)
{
	w->path.len = len;
	w->path.full = false;
}

static void tool_words_add_members(struct tool_words *w, yyjson_val *value, const yyjson_val *but,
                                   int depth)
{
	size_t len = w->path.len, i, max;
	yyjson_val *key, *one;

	yyjson_obj_foreach(value, i, max, key, one)
	{
		if (one == but)
			continue;
		add_key(w, key);
		tool_words_add_member(w, one, depth);
		end_path(w, len);
	}
	yyjson_arr_foreach(value, i, max, one)
	{
		buf_print(&w->path, "[%zu]", i);
		tool_words_add_member(w, one, depth);
		end_path(w, len);
	}
}

/* ---- all ---- */

static void add_all(struct tool_words *w, struct text tool, yyjson_val *input)
{
	yyjson_val *command = yyjson_obj_get(input, "command");
	struct text line = json_text(command);

	add_visible(w, tool);
	if (!line.len || text_find(line, '\n') >= 0)
		command = NULL;
	if (command)
		tool_words_add_value(w, command);
	if (yyjson_is_ctn(input))
		tool_words_add_members(w, input, command, 1);
	else if (input)
		tool_words_add_value(w, input);
}

void tool_words(struct buf *out, struct text tool, yyjson_val *input, size_t max)
{
	struct tool_words w = {.missing = 0};
	struct text shown;

	buf_init(&w.shown, max);
	buf_init(&w.path, PATH_MAX_BYTES);
	add_all(&w, tool, input);
	shown = buf_text(&w.shown);
	if (w.missing) {
		shown = utf8_cut(shown, max - NOTE_MAX);
		buf_add(out, shown);
		buf_print(out, "\n... AND %zu" VISIBLE_MISSING,
		          w.missing + w.shown.len - shown.len);
	} else {
		buf_add(out, shown);
	}
	buf_finish(&w.shown);
	buf_finish(&w.path);
}
