/* table.h - rows of columns for people, each as wide as it needs to be.
 *
 * What stands in a cell may come from agents: no control sequence of theirs reaches
 * the terminal.
 */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include <yyjson.h>

#include "base/buf.h"
#include "cli/out.h"

#define TABLE_COLUMNS 9

struct table {
	unsigned columns;
	size_t rows;
	struct buf cells; /* one after the other, each with a NUL */
	size_t width[TABLE_COLUMNS];
};

void table_init(struct table *table, unsigned columns);
void table_finish(struct table *table);

/* Row by row; the first row is the heading.  What is longer than most is cut. */
void table_add(struct table *table, struct text cell, size_t most);
/* The same with an end behind a space, which stays whole however much of the cell is cut. */
void table_add_ended(struct table *table, struct text cell, struct text end, size_t most);
void table_add_time(struct table *table, int64_t wall_ms); /* here, to the second */
void table_add_list(struct table *table, yyjson_val *texts, size_t most);

void table_show(const struct table *table, struct out *out);

#endif
