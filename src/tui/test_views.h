/* test_views.h - a screen without a terminal, for the tests of its views. */
#ifndef TUI_TEST_VIEWS_H
#define TUI_TEST_VIEWS_H

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/must.h"
#include "tui/inside.h"

static struct tui *tui;
static char sent[1024], copied[4096], watched[64];
static bool follows;

static inline bool keep_sent(void *self, struct text frame)
{
	snprintf(sent, sizeof(sent), "%.*s", TEXT_ARG(frame));
	return true;
}

static inline void keep_copied(void *self, struct text text)
{
	snprintf(copied, sizeof(copied), "%.*s", TEXT_ARG(text));
}

static inline void keep_follows(void *self, bool signals)
{
	follows = signals;
}

static inline void keep_watched(void *self, struct text session)
{
	snprintf(watched, sizeof(watched), "%.*s", TEXT_ARG(session));
}

static inline int make(void **state)
{
	tui = must_alloc(sizeof(*tui));
	tui_init(tui);
	tui->now_ms = 1780798860000;
	tui->line = (struct tui_line){
		.send = keep_sent, .name = "box", .follow = keep_follows, .watch = keep_watched};
	tui->copy = keep_copied;
	sent[0] = copied[0] = watched[0] = '\0';
	return 0;
}

static inline int drop(void **state)
{
	tui_finish(tui);
	free(tui);
	return 0;
}

static inline void hear(const char *raw)
{
	struct error why;

	assert_true(tui_hear(tui, text_of(raw), &why));
}

static inline void press(uint32_t code)
{
	tui_press(tui, &(struct press){.code = code});
}

static inline void type(const char *words)
{
	for (; *words; words++)
		press((unsigned char)*words);
}

/* All of the screen, with line ends; some time passed. */
static inline const char *drawn(int rows, int cols)
{
	static char all[256 * 1024];
	struct buf out;

	tui_draw(tui, rows, cols);
	tui->now_ms += 1000;
	buf_init(&out, sizeof(all));
	for (int row = 0; row < tui->canvas.rows; row++) {
		canvas_row(&tui->canvas, row, &out);
		buf_add_char(&out, '\n');
	}
	snprintf(all, sizeof(all), "%.*s", TEXT_ARG(buf_text(&out)));
	buf_finish(&out);
	return all;
}

#define assert_shows(words) assert_non_null(strstr(drawn(30, 100), words))
#define assert_lacks(words) assert_null(strstr(drawn(30, 100), words))
#define one(f) cmocka_unit_test_setup_teardown(f, make, drop)

/* The box says which run is meant. */
static inline void which(const char *rest)
{
	yyjson_doc *doc;
	char frame[512];

	snprintf(frame, sizeof(frame), "{\"kind\":\"which\",%s}", rest);
	doc = yyjson_read(frame, strlen(frame), 0);
	assert_non_null(doc);
	steer_hear(tui, yyjson_doc_get_root(doc));
	yyjson_doc_free(doc);
}

#endif
