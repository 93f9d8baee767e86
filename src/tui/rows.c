/* rows.c - moving about in a list. */
#include "tui/rows.h"

#include <assert.h>

void rows_fit(struct rows *rows, size_t count, struct area area)
{
	size_t room = area.rows > 0 ? (size_t)area.rows : 1;

	rows->at = area;
	rows->count = count;
	if (rows->chosen >= count)
		rows->chosen = count ? count - 1 : 0;
	if (rows->chosen < rows->top)
		rows->top = rows->chosen;
	if (rows->chosen >= rows->top + room)
		rows->top = rows->chosen - room + 1;
	assert(rows->top <= rows->chosen);
}

uint8_t rows_style(const struct rows *rows, int row)
{
	return STYLE_PLAIN | (rows->top + (size_t)row == rows->chosen ? STYLE_CHOSEN : 0);
}

static void rows_move(struct rows *rows, long by)
{
	long to = (long)rows->chosen + by;

	if (to >= (long)rows->count)
		to = (long)rows->count - 1;
	rows->chosen = to > 0 ? (size_t)to : 0;
	assert(rows->chosen < rows->count || rows->chosen == 0);
}

static void point_at(struct rows *rows, const struct press *press)
{
	if (area_has(rows->at, press->row, press->col))
		rows->chosen = rows->top + (size_t)(press->row - rows->at.top);
	rows_move(rows, 0);
}

bool rows_press(struct rows *rows, const struct press *press)
{
	switch (press->code) {
	case 'j':
	case PRESS_DOWN:
	case PRESS_WHEEL_DOWN:
		rows_move(rows, 1);
		return true;
	case 'k':
	case PRESS_UP:
	case PRESS_WHEEL_UP:
		rows_move(rows, -1);
		return true;
	case PRESS_PAGE_DOWN:
		rows_move(rows, rows->at.rows);
		return true;
	case PRESS_PAGE_UP:
		rows_move(rows, -rows->at.rows);
		return true;
	case 'g':
	case PRESS_HOME:
		rows->chosen = 0;
		return true;
	case 'G':
	case PRESS_END:
		rows_move(rows, (long)rows->count);
		return true;
	case PRESS_CLICK:
		point_at(rows, press);
		return true;
	case PRESS_DOUBLE:
		point_at(rows, press);
		return false;
	default:
		return false;
	}
}
