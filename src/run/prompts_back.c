/* prompts_back.c - the way back of a prompt: its answers from screens, its end to its agent. */
#include "base/put.h"
#include "bus/backs.h"
#include "run/inside.h"
#include "run/prompts_inside.h"

static enum back_answer reply(void *self, const struct back_reply *r, struct error *why)
{
	struct prompts *all = self;
	const struct prompt *p = prompts_find(all, r->prompt);

	if (p)
		backs_look(all->options.backs, text_of(p->source), p->own_id);
	return prompts_answer(all, r, why);
}

static void forget(void *self, void *of)
{
	prompts_forget(self, of);
}

static void list(void *self, enum answers may, struct buf *out)
{
	const char *between = "[";

	list_each(prompts_open(self), l) {
		const struct prompt *p = list_of(l, struct prompt, in_open);

		buf_add(out, text_of(between));
		prompt_json(p, may, out);
		between = ",";
	}
	buf_add(out, *between == '[' ? TEXT("[]") : TEXT("]"));
}

/* A long one that came by a hook is kept where the hook is held. */
static enum back_answer add_input(void *self, struct text id, struct buf *out, struct error *why)
{
	const struct prompts *all = self;
	const struct prompt *p = prompts_find(all, id);
	struct text input;

	if (!p || p->state != PROMPT_OPEN) {
		error_set(why, "there is no such open prompt");
		return BACK_UNKNOWN;
	}
	input = text_of(p->input);
	if (!input.len)
		input = backs_input(all->options.backs, text_of(p->source), p->own_id);
	if (!input.len) {
		error_set(why, "no tool's input belongs to it");
		return BACK_UNKNOWN;
	}
	if (p->tool.at) {
		put_text(out, "tool", p->tool);
		buf_add_char(out, ',');
	}
	put_json(out, "input", input);
	return BACK_DONE;
}

struct back_prompts prompts_back(struct prompts *prompts)
{
	return (struct back_prompts){.self = prompts,
	                             .reply = reply,
	                             .forget = forget,
	                             .list = list,
	                             .input = add_input};
}

bool prompts_deliver(const struct prompts *all, const struct prompt *p)
{
	struct back_outcome outcome = {
		.source = text_of(p->source),
		.run = text_of(p->run),
		.id = p->own_id,
		.value = text_of(p->value),
		.is_given = p->by != NULL,
		.prompt = p,
	};

	return all->options.backs && backs_settle(all->options.backs, &outcome, NULL) == BACK_DONE;
}
