/* table.c - rows of columns for people. */
#include "cli/table.h"

#include <time.h>

#include "base/utf8.h"
#include "signal/json.h"

#define TABLE_MAX (16 * MIB)
#define BOLD "\033[1m"
#define PLAIN "\033[0m"

/* How many characters; good enough for a column. */
static size_t length(struct text t)
{
	size_t n = 0;

	for (size_t i = 0; i < t.len; i++)
		n += ((unsigned char)t.at[i] & 0xc0) != 0x80;
	return n;
}

void table_init(struct table *t, unsigned columns)
{
	*t = (struct table){.columns = columns};
	buf_init(&t->cells, TABLE_MAX);
}

void table_finish(struct table *t)
{
	buf_finish(&t->cells);
}

/* At most n characters, the last of them a dot or three when it is cut. */
static struct text cut(struct text t, size_t n)
{
	size_t at = 0;

	while (at < t.len && (n > 0 || ((unsigned char)t.at[at] & 0xc0) == 0x80)) {
		n -= ((unsigned char)t.at[at] & 0xc0) != 0x80;
		at++;
	}
	return (struct text){t.at, at};
}

static void add_cut(struct buf *out, struct text cell, size_t most)
{
	if (length(cell) <= most) {
		utf8_add_shown(out, cell);
		return;
	}
	utf8_add_shown(out, cut(cell, most - 3));
	buf_add(out, TEXT("..."));
}

void table_add_ended(struct table *t, struct text cell, struct text end, size_t most)
{
	size_t start = t->cells.len, n;
	unsigned column = (unsigned)(t->rows % t->columns);

	add_cut(&t->cells, cell, most);
	if (cell.len && end.len)
		buf_add_char(&t->cells, ' ');
	utf8_add_shown(&t->cells, end);
	if (!cell.len && !end.len)
		buf_add_char(&t->cells, '-');
	n = length((struct text){t->cells.at + start, t->cells.len - start});
	if (n > t->width[column])
		t->width[column] = n;
	buf_add_char(&t->cells, '\0');
	t->rows++;
}

void table_add(struct table *t, struct text cell, size_t most)
{
	table_add_ended(t, cell, TEXT(""), most);
}

void table_add_time(struct table *t, int64_t wall_ms)
{
	time_t at = (time_t)(wall_ms / 1000);
	char words[32];
	struct tm tm;

	localtime_r(&at, &tm);
	strftime(words, sizeof(words), "%Y-%m-%d %H:%M:%S", &tm);
	table_add(t, text_of(words), 20);
}

void table_add_list(struct table *t, yyjson_val *texts, size_t most)
{
	struct buf cell;
	yyjson_val *one;
	size_t at, count;

	buf_init(&cell, TABLE_MAX);
	yyjson_arr_foreach(texts, at, count, one)
	{
		if (at)
			buf_add_char(&cell, ',');
		buf_add(&cell, json_text(one));
	}
	table_add(t, buf_text(&cell), most);
	buf_finish(&cell);
}

void table_show(const struct table *t, struct out *out)
{
	struct text rest = buf_text(&t->cells);

	for (size_t i = 0; i < t->rows; i++) {
		unsigned column = (unsigned)(i % t->columns);
		struct text cell = text_cut(rest, '\0', &rest);
		size_t gap = t->width[column] + 2 - length(cell);

		if (i == 0)
			out_paint(out, BOLD);
		out_add(out, cell);
		if (column + 1 < t->columns)
			out_print(out, "%*s", (int)gap, "");
		else if (i + 1 == t->columns)
			out_paint(out, PLAIN);
		if (column + 1 == t->columns)
			out_print(out, "\n");
	}
}
