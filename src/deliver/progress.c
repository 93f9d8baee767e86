/* progress.c - agent, tool, plan and question, in lines. */
#include "deliver/progress.h"

#include <stdlib.h>

#include "base/must.h"
#include "deliver/chunk.h"
#include "signal/json.h"

#define KEPT_MAX 1024 /* bytes of a text */

void progress_init(struct progress_note *p, struct text agent)
{
	*p = (struct progress_note){.agent = text_dup(agent.len ? agent : TEXT("The agent"))};
}

static void forget_steps(struct progress_note *p)
{
	while (p->count) {
		p->count--;
		free(p->steps[p->count].id);
		free(p->steps[p->count].text);
	}
}

void progress_finish(struct progress_note *p)
{
	forget_steps(p);
	free(p->agent);
	free(p->tool);
	free(p->question);
	free(p->asked);
}

/* ---- what is heard ---- */

static char *keep_text(struct text t)
{
	const char *nul = t.len ? memchr(t.at, '\0', t.len) : NULL;

	if (nul)
		t.len = (size_t)(nul - t.at);
	t.len = chunk_reach(CHUNK_BYTES, t, KEPT_MAX);
	return t.len ? text_dup(t) : NULL;
}

static void replace(char **word, struct text value)
{
	free(*word);
	*word = keep_text(value);
}

static void begin_work(struct progress_note *p, int64_t now_ms)
{
	if (!p->has_work)
		p->since_ms = now_ms;
	p->has_work = true;
}

void progress_tool(struct progress_note *p, struct text tool, int64_t now_ms)
{
	if (tool.len)
		begin_work(p, now_ms);
	replace(&p->tool, tool);
}

static struct progress_step *find_step(struct progress_note *p, struct text id)
{
	for (unsigned i = 0; id.len && i < p->count; i++)
		if (p->steps[i].id && text_is(id, p->steps[i].id))
			return &p->steps[i];
	return NULL;
}

static void take_step(struct progress_note *p, yyjson_val *from)
{
	struct text id = json_text_at(from, "id"), words = json_text_at(from, "text");
	struct text status = json_text_at(from, "status");
	struct progress_step *step = find_step(p, id);

	if (!step && p->count < PROGRESS_STEPS_MAX && words.len) {
		step = &p->steps[p->count++];
		*step = (struct progress_step){.id = keep_text(id)};
	}
	if (!step)
		return;
	if (words.len)
		replace(&step->text, words);
	step->status = text_is(status, "completed")     ? PROGRESS_DONE
	               : text_is(status, "in_progress") ? PROGRESS_CURRENT
	                                                : PROGRESS_PENDING;
}

void progress_plan(struct progress_note *p, yyjson_val *payload, int64_t now_ms)
{
	yyjson_arr_iter it = yyjson_arr_iter_with(yyjson_obj_get(payload, "items"));
	yyjson_val *one;

	if (yyjson_is_true(yyjson_obj_get(payload, "whole")))
		forget_steps(p);
	while ((one = yyjson_arr_iter_next(&it)))
		take_step(p, one);
	if (p->count)
		begin_work(p, now_ms);
}

void progress_ask(struct progress_note *p, struct text id, struct text words, int64_t now_ms)
{
	begin_work(p, now_ms);
	replace(&p->asked, id);
	replace(&p->question, words.len ? words : TEXT("a question"));
}

void progress_answered(struct progress_note *p, struct text id)
{
	if (p->asked && id.len && !text_is(id, p->asked))
		return;
	replace(&p->asked, TEXT(""));
	replace(&p->question, TEXT(""));
}

/* ---- what is shown ---- */

/* On one line, and no longer than a line is. */
static void put_line(struct buf *out, const char *before, struct text words)
{
	struct buf line;
	struct text all;
	size_t kept;

	buf_init(&line, 2 * KEPT_MAX);
	buf_add(&line, text_of(before));
	for (size_t i = 0; i < words.len; i++)
		buf_add_char(&line, (unsigned char)words.at[i] < ' ' || words.at[i] == 0x7f
		                            ? ' '
		                            : words.at[i]);
	all = buf_text(&line);
	kept = chunk_reach(CHUNK_POINTS, all, PROGRESS_CHARS);
	if (out->len)
		buf_add_char(out, '\n');
	if (kept < all.len) {
		all.len = chunk_reach(CHUNK_POINTS, all, PROGRESS_CHARS - 1);
		buf_add(out, all);
		buf_add(out, TEXT("\xE2\x80\xA6"));
	} else {
		buf_add(out, all);
	}
	buf_finish(&line);
}

/* The first step to show, so that the one that is being done is among them. */
static unsigned first_step(const struct progress_note *p, unsigned room)
{
	unsigned at = 0;

	while (at < p->count && p->steps[at].status == PROGRESS_DONE)
		at++;
	at = at ? at - 1 : 0;
	return p->count > room && at > p->count - room ? p->count - room : p->count > room ? at : 0;
}

static void put_head(const struct progress_note *p, struct buf *out)
{
	unsigned done = 0;
	struct buf head;

	for (unsigned i = 0; i < p->count; i++)
		done += p->steps[i].status == PROGRESS_DONE;
	buf_init(&head, 2 * KEPT_MAX);
	buf_add(&head, text_of(p->agent));
	buf_add(&head, p->question ? TEXT(" asks") : TEXT(" works"));
	if (p->count)
		buf_print(&head, ", %u of %u steps are done", done, p->count);
	put_line(out, "", buf_text(&head));
	buf_finish(&head);
}

void progress_put(const struct progress_note *p, struct buf *out)
{
	static const char *const marks[] = {[PROGRESS_PENDING] = "\xE2\x97\x8B ",
	                                    [PROGRESS_CURRENT] = "\xE2\x96\xB6 ",
	                                    [PROGRESS_DONE] = "\xE2\x9C\x93 "};
	unsigned room = PROGRESS_LINES - 1 - (p->tool != NULL) - (p->question != NULL);
	unsigned from = first_step(p, room);

	put_head(p, out);
	if (p->tool)
		put_line(out, "tool: ", text_of(p->tool));
	for (unsigned i = from; i < p->count && i < from + room; i++)
		put_line(out, marks[p->steps[i].status], text_of(p->steps[i].text));
	if (p->question)
		put_line(out, "? ", text_of(p->question));
}
