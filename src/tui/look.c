/* look.c - sessions, their names and states, drawn. */
#include "tui/look.h"

#include "crew/words.h"
#include "signal/json.h"

#define WORDS_MAX (16 * KIB)

struct session_look look_of_group(enum crew_group group)
{
	static const struct session_look looks[GROUPS] = {
		[GROUP_WAITS] = {"◷", STYLE_WAITING},  [GROUP_FAILED] = {"✗", STYLE_ERROR},
		[GROUP_WORK] = {"▸", STYLE_STREAMING}, [GROUP_IDLE] = {"·", STYLE_DIM},
		[GROUP_OVER] = {"✓", STYLE_DIM},
	};

	return looks[group];
}

struct session_look look_of_state(yyjson_val *state)
{
	enum crew_state known;

	if (!state_of_name(json_text_at(state, "name"), &known))
		return look_of_group(GROUP_IDLE);
	return look_of_group(state_group(known));
}

void look_put_words(struct pen *pen, void (*say)(struct buf *out, yyjson_val *of), yyjson_val *of,
                    int cols)
{
	struct buf words;

	buf_init(&words, WORDS_MAX);
	say(&words, of);
	pen_fit(pen, buf_text(&words), cols);
	pen_put(pen, TEXT(" "));
	buf_finish(&words);
}

void look_put_state(struct pen *pen, yyjson_val *state, int64_t now_ms, int cols)
{
	uint8_t chosen = pen->style & STYLE_CHOSEN;
	struct buf clock;

	pen->style = look_of_state(state).style | chosen;
	look_put_words(pen, words_state, state, cols);
	buf_init(&clock, KIB);
	words_clock(&clock, state, (double)now_ms);
	pen->style = STYLE_TIME | chosen;
	pen_fit(pen, buf_text(&clock), LOOK_CLOCK_COLS);
	pen_put(pen, TEXT(" "));
	pen->style = STYLE_PLAIN | chosen;
	buf_finish(&clock);
}

void look_put_name(struct pen *pen, struct text name, int cols)
{
	const char *sub =
		name.len ? memmem(name.at, name.len, NAMED_BETWEEN, strlen(NAMED_BETWEEN)) : NULL;
	struct text handle = {name.at, sub ? (size_t)(sub - name.at) : name.len};

	if (wide_width(handle) > cols && cols > 1) {
		pen_put(pen, TEXT("…"));
		cols--;
		name = wide_end(handle, cols);
	}
	pen_fit(pen, name, cols);
}

enum crew_state look_state_of(const struct invocation *one)
{
	switch (one->status) {
	case INVOCATION_STREAMING:
		return one->thinking ? CREW_THINKING : CREW_ANSWERING;
	case INVOCATION_WAITING:
		return CREW_THINKING;
	case INVOCATION_ERROR:
		return CREW_FAILED;
	case INVOCATION_DONE:
		break;
	}
	return CREW_FINISHED;
}
