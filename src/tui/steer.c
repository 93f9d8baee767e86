/* steer.c - what is done to a run.
 *
 * A screen of all runs is of many: a key means the session that is chosen, or the run that the
 * box takes for it.  The box says which (op `which`), and from then on it is named in what is
 * sent, whoever speaks meanwhile.  What stops an agent is asked for first, with the name of the
 * session.  Nothing is said to be done here: what cannot be is said, and what was done is seen
 * by what the run does.
 */
#include <stdio.h>

#include "base/put.h"
#include "base/utf8.h"
#include "tui/crew.h"

#define SURE_MS 10000 /* how long the question stands */
#define NAME_BYTES 80
#define FRAME_ROOM (4 * KIB)

static const struct {
	const char *op, *words;
	bool is_asked_for;
} deeds[] = {
	{"pause", "pause", false},
	{"step", "step", false},
	{"continue", "continue", false},
	{"arm", "arm", false},
	{"ui-interrupt", "interrupt", true},
	{"cancel", "cancel", true},
	{"ui-quit", "end", true},
};

static const char *words_of(const char *op)
{
	for (size_t i = 0; i < sizeof(deeds) / sizeof(*deeds); i++)
		if (strcmp(deeds[i].op, op) == 0)
			return deeds[i].words;
	return op;
}

/* Its handle, where it has one. */
static struct text steer_name(const struct tui *tui, const char *run)
{
	struct text handle =
		json_text_at(sessions_find(&tui->board.sessions, text_of(run)), "handle");
	struct text name = handle.len ? handle : text_of(run);

	return utf8_cut(name, NAME_BYTES);
}

static bool is_asked_for(const char *op)
{
	for (size_t i = 0; i < sizeof(deeds) / sizeof(*deeds); i++)
		if (strcmp(deeds[i].op, op) == 0)
			return deeds[i].is_asked_for;
	return false;
}

static void steer_forget(struct tui *tui)
{
	tui->steering = (struct steering){0};
	tui_redraw(tui);
}

static bool steer_is_over(const struct tui *tui)
{
	return tui->steering.stage == STEER_NOTHING || tui->steering.until_ms < tui->now_ms;
}

/* ---- sending ---- */

static void send(struct tui *tui, const struct steering *s)
{
	struct buf out;

	buf_init(&out, FRAME_ROOM);
	put_object(&out, NULL);
	put_word(&out, "kind", "control");
	put_word(&out, "op", s->op);
	if (s->n)
		put_u64(&out, "n", s->n);
	if (s->run[0]) {
		put_word(&out, "run", s->run);
	}
	buf_add_char(&out, '}');
	tui_send(tui, buf_text(&out));
	buf_finish(&out);
}

static void steer_finish(struct tui *tui)
{
	struct steering s = tui->steering;

	steer_forget(tui);
	send(tui, &s);
	if (s.leaves)
		tui_quit(tui);
}

/* The session that is chosen, or else whatever the box takes for the one that is meant. */
static bool ask_which(struct tui *tui, const struct steering *wanted)
{
	struct text chosen = view_crew_chosen(tui);
	struct buf out;
	bool is_sent;

	tui->steering = *wanted;
	tui->steering.stage = STEER_ASKED;
	tui->steering.until_ms = tui->now_ms + SURE_MS;
	buf_init(&out, FRAME_ROOM);
	put_object(&out, NULL);
	put_word(&out, "kind", "control");
	put_word(&out, "op", "which");
	if (chosen.len)
		put_text(&out, "run", chosen);
	buf_add_char(&out, '}');
	is_sent = tui_send(tui, buf_text(&out));
	buf_finish(&out);
	if (!is_sent)
		steer_forget(tui);
	return is_sent;
}

void steer(struct tui *tui, const char *op, uint64_t n)
{
	ask_which(tui, &(struct steering){.op = op, .n = n});
}

/* A screen of one run ends that with itself, as the reference does, also one that is over
 * and waits for that.  One that shows them all was not begun by any of them: it asks first,
 * and a second Ctrl-C always leaves. */
void steer_quit(struct tui *tui)
{
	struct steering quit = {.op = "ui-quit", .leaves = true};

	if (steer_is_over(tui))
		tui->steering = (struct steering){0};
	if (tui->steering.leaves && tui->steering.stage == STEER_SURE) {
		steer_finish(tui);
		return;
	}
	if (tui->line.send && !tui->steering.leaves) {
		if (tui->line.is_shared && ask_which(tui, &quit))
			return;
		if (!tui->line.is_shared)
			send(tui, &quit);
	}
	tui_quit(tui);
}

/* ---- what the box says ---- */

static bool has(yyjson_val *can, const char *op)
{
	yyjson_val *one;
	size_t at, count;

	yyjson_arr_foreach(can, at, count, one)
	{
		if (yyjson_equals_str(one, op))
			return true;
	}
	return false;
}

static void say_cannot(struct tui *tui, yyjson_val *which)
{
	struct text why = json_text_at(which, "why");
	const struct steering *s = &tui->steering;
	struct text name = steer_name(tui, s->run);

	if (!s->run[0])
		tui_say(tui, "there is no run to %s", words_of(s->op));
	else if (why.len)
		tui_say(tui, "%.*s: %.*s", TEXT_ARG(name), TEXT_ARG(why));
	else
		tui_say(tui, "%.*s: its source cannot %s it now", TEXT_ARG(name), words_of(s->op));
}

/* Who is over and waits for it ends without a question; who cannot be ended is left. */
static void hear_quit(struct tui *tui, yyjson_val *which, bool can)
{
	if (yyjson_is_true(yyjson_obj_get(which, "finished")) && can) {
		steer_finish(tui);
	} else if (can) {
		tui->steering.stage = STEER_SURE;
		tui->steering.until_ms = tui->now_ms + TUI_SAY_MS;
	} else {
		tui->steering.until_ms = tui->now_ms + TUI_SAY_MS;
		tui_say(tui, "Ctrl-C again leaves this screen; no run ends with it");
	}
}

void steer_hear(struct tui *tui, yyjson_val *which)
{
	struct text run = json_text_at(which, "run");
	yyjson_val *can = yyjson_obj_get(which, "can");
	struct steering *s = &tui->steering;

	if (s->stage != STEER_ASKED)
		return;
	if (run.len <= FOLD_NAME_MAX)
		snprintf(s->run, sizeof(s->run), "%.*s", TEXT_ARG(run));
	if (strcmp(s->op, "ui-interrupt") == 0 && !has(can, s->op) && has(can, "cancel"))
		s->op = "cancel";
	if (s->leaves) {
		hear_quit(tui, which, s->run[0] && has(can, s->op));
	} else if (!s->run[0] || !has(can, s->op)) {
		say_cannot(tui, which);
		steer_forget(tui);
	} else if (is_asked_for(s->op)) {
		s->stage = STEER_SURE;
		s->until_ms = tui->now_ms + SURE_MS;
	} else {
		steer_finish(tui);
	}
	tui_redraw(tui);
}

/* ---- the question ---- */

/* y does it; every other key leaves the run alone, and means what it always does. */
bool steer_press(struct tui *tui, const struct press *press)
{
	bool is_asked = tui->steering.stage == STEER_SURE && !tui->steering.leaves;

	if (steer_is_over(tui)) {
		tui->steering = (struct steering){0};
		return false;
	}
	if (tui->is_pasting || tui->steering.stage != STEER_SURE)
		return false;
	if (is_asked && (press->code == 'y' || press->code == 'Y')) {
		steer_finish(tui);
		return true;
	}
	steer_forget(tui);
	return press->code == PRESS_ESCAPE || press->code == 'n';
}

bool steer_draw(struct tui *tui, struct area area)
{
	const struct steering *s = &tui->steering;
	struct pen pen = pen_at(area, 0, 0, STYLE_PAUSED);
	struct text name = steer_name(tui, s->run);

	if (steer_is_over(tui) || s->stage != STEER_SURE)
		return false;
	if (s->leaves)
		pen_print(&pen, " Ctrl-C again ends %.*s, and leaves; q leaves it alone",
		          TEXT_ARG(name));
	else
		pen_print(&pen, " %c%s %.*s?  y does it · any other key leaves it alone",
		          words_of(s->op)[0] - 'a' + 'A', words_of(s->op) + 1, TEXT_ARG(name));
	pen_rest(&pen);
	return true;
}
