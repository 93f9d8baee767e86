/* view_transcript.c - the pager: what an invocation was sent, and what it replied.
 *
 * Opened with `RUN NUL INVOKEID NUL SESSION-ID`, of which any may be empty: then it has all
 * there are.  A run means the session that it is of, and the id of a subagent may stand for an
 * invokeid.  It is made of the events that the model keeps and of those that come; what streams
 * stands at its end.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "tui/inside.h"
#include "tui/log.h"
#include "tui/named.h"
#include "tui/paper.h"

#define HEAD_MAX 1024
#define VALUE_MAX (64 * KIB)
#define COPY_MAX (4 * MIB)

struct transcript_view {
	const struct tui *tui;
	struct paper paper;
	struct json_reader reader;
	char *run, *invoke, *session; /* "": any */
	char *sent;                   /* the last of what was sent, to tell it once */
	size_t end;                   /* of the paper without what streams */
	size_t reply;                 /* the line where the last reply begins */
};

/* ---- what is said ---- */

static yyjson_val *of(const struct frame *frame, const char *key)
{
	return yyjson_obj_get(frame->data, key);
}

/* The session that it is of, by its name, or else the name of the invocation. */
static void add_speakers_name(const struct transcript_view *view, const struct invoked *of,
                              struct buf *out)
{
	struct named who = named_find(&view->tui->board.sessions, of);

	if (who.member)
		named_add(out, &who);
	else if (of->invoke.len <= FOLD_NAME_MAX)
		buf_add(out, of->invoke);
}

static struct invoked whose_of(const struct transcript_view *view, const struct frame *frame)
{
	return (struct invoked){model_run_of(&view->tui->model, frame), frame->invoke,
	                        frame->subagent.len ? frame->subagent : frame->session};
}

static void head(struct transcript_view *view, const struct frame *frame, uint8_t style,
                 const char *words)
{
	struct invoked of = whose_of(view, frame);
	struct buf line;

	buf_init(&line, HEAD_MAX + 4 * FOLD_NAME_MAX);
	buf_print(&line, " %s", words);
	if (!*view->invoke) {
		buf_add(&line, TEXT("  "));
		add_speakers_name(view, &of, &line);
	}
	paper_head(&view->paper, style, buf_text(&line));
	buf_finish(&line);
}

static void view_transcript_add_value(struct transcript_view *view, uint8_t style,
                                      const char *before, yyjson_val *value)
{
	struct buf words;

	buf_init(&words, 2 * VALUE_MAX);
	buf_add(&words, text_of(before));
	if (yyjson_is_str(value))
		buf_add(&words, json_text(value));
	else if (value)
		log_add_value(&words, value, VALUE_MAX);
	paper_add(&view->paper, style, buf_text(&words));
	buf_finish(&words);
}

static void add_sent(struct transcript_view *view, const struct frame *frame, struct text text)
{
	if (text.len == 0 || (view->sent && text_is(text, view->sent)))
		return;
	free(view->sent);
	view->sent = text_dup(text);
	head(view, frame, STYLE_SENT, "SENT  user");
	paper_add(&view->paper, STYLE_PLAIN, text);
}

static void add_system(struct transcript_view *view, const struct frame *frame)
{
	struct text system = json_text(of(frame, "system"));
	char words[64];

	if (!system.len)
		system = json_text(of(frame, "system-preview"));
	if (!system.len)
		return;
	snprintf(words, sizeof(words), "SENT  system (%zu chars)", system.len);
	head(view, frame, STYLE_SENT, words);
	paper_add(&view->paper, STYLE_DIM, system);
}

static void add_request(struct transcript_view *view, const struct frame *frame)
{
	yyjson_val *block;
	size_t at, count;

	add_system(view, frame);
	yyjson_arr_foreach(of(frame, "user-blocks"), at, count, block)
	{
		if (yyjson_equals_str(yyjson_obj_get(block, "type"), "text"))
			add_sent(view, frame, json_text_at(block, "text"));
	}
}

static void add_user(struct transcript_view *view, const struct frame *frame)
{
	add_sent(view, frame, json_text(of(frame, "text")));
}

static void add_tool_result(struct transcript_view *view, const struct frame *frame)
{
	yyjson_val *content = of(frame, "content");
	struct text tool = json_text(of(frame, "tool"));
	char words[HEAD_MAX];

	snprintf(words, sizeof(words), "SENT  tool %.*s%s", (int)tool.len, tool.at ? tool.at : "",
	         yyjson_get_bool(of(frame, "is-error")) ? " (ERROR)" : "");
	head(view, frame, STYLE_SENT, words);
	view_transcript_add_value(view, STYLE_PLAIN, "",
	                          content ? content : of(frame, "content-preview"));
}

static void add_block(struct transcript_view *view, yyjson_val *block)
{
	struct text type = json_text_at(block, "type");
	struct text name = json_text_at(block, "name");
	char before[HEAD_MAX];

	if (text_is(type, "text")) {
		view_transcript_add_value(view, STYLE_PLAIN, "", yyjson_obj_get(block, "text"));
	} else if (text_is(type, "thinking")) {
		view_transcript_add_value(view, STYLE_DIM,
		                          "thinking: ", yyjson_obj_get(block, "thinking"));
	} else if (text_is(type, "tool_use")) {
		snprintf(before, sizeof(before), "⚙ %.*s ", (int)name.len, name.at ? name.at : "");
		view_transcript_add_value(view, STYLE_WAITING, before,
		                          yyjson_obj_get(block, "input"));
	}
}

static void print_reply(const struct frame *frame, struct buf *words)
{
	struct text stop = json_text(of(frame, "stop-reason"));
	yyjson_val *usage = of(frame, "usage");
	double in = 0, out = 0, tps = 0;

	buf_add(words, TEXT("REPLY assistant"));
	if (stop.len)
		buf_print(words, " · %.*s", TEXT_ARG(stop));
	json_number(yyjson_obj_get(usage, "input-tokens"), &in);
	json_number(yyjson_obj_get(usage, "output-tokens"), &out);
	if (usage)
		buf_print(words, " · in:%.0f out:%.0f", in, out);
	if (json_number(of(frame, "output-tps"), &tps))
		buf_print(words, " · %.1f t/s", tps);
	buf_add_char(words, '\0');
}

static void add_response(struct transcript_view *view, const struct frame *frame)
{
	yyjson_val *block;
	struct buf words;
	size_t at, count;

	buf_init(&words, HEAD_MAX);
	print_reply(frame, &words);
	view->reply = paper_end(&view->paper);
	head(view, frame, STYLE_REPLY, words.full ? "REPLY assistant" : words.at);
	buf_finish(&words);
	yyjson_arr_foreach(of(frame, "content"), at, count, block)
	{
		add_block(view, block);
	}
}

static void add_error(struct transcript_view *view, const struct frame *frame)
{
	view_transcript_add_value(view, STYLE_ERROR, "⚠ ", of(frame, "message"));
}

/* ---- events ---- */

static bool is_same_run(const struct transcript_view *view, struct text run)
{
	const struct sessions *sessions = &view->tui->board.sessions;
	yyjson_val *member = sessions_find(sessions, text_of(view->run));

	return text_is(run, view->run) || (member && member == sessions_find(sessions, run));
}

static bool view_transcript_is_ours(const struct transcript_view *view, const struct invoked *of)
{
	if (*view->run && !is_same_run(view, of->run))
		return false;
	if (*view->invoke && !text_is(of->invoke, view->invoke) &&
	    !text_is(of->session, view->invoke))
		return false;
	return !*view->session || !of->session.len || text_is(of->session, view->session);
}

static void view_transcript_take(struct transcript_view *view, const struct frame *frame)
{
	static const struct {
		const char *event;
		void (*add)(struct transcript_view *view, const struct frame *frame);
	} table[] = {
		{"llm/request", add_request},
		{"llm/user-message", add_user},
		{"llm/tool-result", add_tool_result},
		{"llm/response", add_response},
		{"llm/error", add_error},
		{"llm/model-down", add_error},
	};

	struct invoked of = whose_of(view, frame);

	if (frame->kind != FRAME_EVENT || !view_transcript_is_ours(view, &of))
		return;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (text_is(frame->event, table[i].event))
			table[i].add(view, frame);
}

static void transcript_hear(struct tui *tui, void *self, const struct text raw)
{
	struct transcript_view *view = self;
	struct frame frame;

	if (!frame_read(&frame, &view->reader, raw, NULL))
		return;
	paper_cut(&view->paper, view->end);
	view_transcript_take(view, &frame);
	view->end = paper_end(&view->paper);
}

static void transcript_open_view(struct tui *tui, void *self)
{
	struct transcript_view *view = self;
	struct text rest, session, run = text_cut(tui_argument(tui), '\0', &rest);

	view->tui = tui;
	paper_init(&view->paper);
	json_reader_init(&view->reader, FRAME_MAX);
	view->run = text_dup(run);
	view->invoke = text_dup(text_cut(rest, '\0', &session));
	view->session = text_dup(session);
	for (size_t i = 0; i < tui->model.event_count; i++)
		transcript_hear(tui, self, model_event(&tui->model, i));
}

static void transcript_close_view(struct tui *tui, void *self)
{
	struct transcript_view *view = self;

	paper_finish(&view->paper);
	json_reader_finish(&view->reader);
	free(view->run);
	free(view->invoke);
	free(view->session);
	free(view->sent);
}

/* ---- showing ---- */

static void add_streaming(struct transcript_view *view, const char *run,
                          const struct invocation *one)
{
	struct text tail = invocation_tail(one);
	struct frame of_it = {.run = text_of(run),
	                      .invoke = text_of(one->invoke),
	                      .session = text_of(one->session)};
	struct invoked of = whose_of(view, &of_it);
	struct buf words;

	if (one->status != INVOCATION_STREAMING || !view_transcript_is_ours(view, &of))
		return;
	head(view, &of_it, STYLE_REPLY,
	     one->thinking ? "REPLY assistant (thinking)" : "REPLY assistant");
	buf_init(&words, FOLD_TAIL_MAX + 8);
	buf_add(&words, tail);
	buf_add(&words, TEXT("▏"));
	paper_add(&view->paper, one->thinking ? STYLE_DIM : STYLE_STREAMING, buf_text(&words));
	buf_finish(&words);
}

static void transcript_draw(struct tui *tui, void *self, struct area area)
{
	struct transcript_view *view = self;

	paper_cut(&view->paper, view->end);
	list_each(&tui->model.runs, r) {
		const struct model_run *run = list_of(r, struct model_run, in_model);

		list_each(&run->fold.invocations, l)
			add_streaming(view, run->run, list_of(l, struct invocation, in_fold));
	}
	if (view->paper.count == 0)
		paper_add(&view->paper, STYLE_DIM, TEXT("nothing was sent or replied yet"));
	paper_draw(&view->paper, area);
}

/* Whose it is: a session by its name, else as it is named in the frames. */
static void transcript_note(struct tui *tui, void *self, struct buf *out)
{
	const struct transcript_view *view = self;
	struct invoked of = {text_of(view->run), text_of(view->invoke), text_of(view->session)};
	struct named who = named_find(&tui->board.sessions, &of);

	if (who.member)
		named_add(out, &who);
	else
		buf_print(out, "%s%s%s", *view->invoke ? view->invoke : "all",
		          *view->session ? " · " : "", view->session);
	if (view->paper.is_held)
		buf_add(out, TEXT(" · G follows"));
}

static void view_transcript_copy(struct tui *tui, const struct transcript_view *view, bool all)
{
	struct buf out;

	if (!tui->copy) {
		tui_say(tui, "there is no clipboard here");
		return;
	}
	buf_init(&out, COPY_MAX);
	paper_copy(&view->paper, all ? 0 : view->reply, !all, &out);
	tui->copy(tui->copy_self, buf_text(&out));
	tui_say(tui, all ? "all of it is copied" : "the last reply is copied");
	buf_finish(&out);
}

static bool transcript_press(struct tui *tui, void *self, const struct press *press)
{
	struct transcript_view *view = self;

	if (paper_press(&view->paper, press))
		return true;
	if (press->code == 'y' || press->code == 'Y')
		view_transcript_copy(tui, view, press->code == 'Y');
	else if (press->code == 'h' || press->code == 'q' || press->code == PRESS_BACKSPACE)
		tui_close(tui);
	else
		return false;
	return true;
}

const struct view view_transcript = {
	.name = "transcript",
	.title = "TRANSCRIPT",
	.hints = "j/k b PgUp/PgDn g/G scroll · y copy reply · Y all · h back · Esc close",
	.place = VIEW_OVERLAY,
	.size = sizeof(struct transcript_view),
	.open = transcript_open_view,
	.close = transcript_close_view,
	.draw = transcript_draw,
	.note = transcript_note,
	.press = transcript_press,
	.hear = transcript_hear,
};
