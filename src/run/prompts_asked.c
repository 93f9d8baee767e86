/* prompts_asked.c - prompts as whoever asked knows them: by a source or a run, and the id that
 * it gave them itself. */
#include "run/prompts.h"

void prompts_withdraw(struct prompts *prompts, struct text source, struct text id, const char *why)
{
	list_each(prompts_open(prompts), l) {
		const struct prompt *p = list_of(l, struct prompt, in_open);

		if (!text_is(source, p->source) || !text_equal(id, p->own_id))
			continue;
		prompts_cancel(prompts, text_of(p->id), why);
		return;
	}
}

void prompts_withdraw_all(struct prompts *prompts, bool (*is_meant)(struct text source),
                          const char *why)
{
	list_each(prompts_open(prompts), l) {
		const struct prompt *p = list_of(l, struct prompt, in_open);

		if (is_meant(text_of(p->source)))
			prompts_cancel(prompts, text_of(p->id), why);
	}
}

void prompts_settle_own(struct prompts *prompts, struct text run, struct text id,
                        const struct prompt_settlement *settlement)
{
	const struct prompt *p = prompts_find_own(prompts, run, id);

	if (p)
		prompts_settle(prompts, text_of(p->id), settlement);
}

void prompts_decide(struct prompts *prompts, struct text source, struct text id,
                    const struct prompt_settlement *settlement)
{
	const struct prompt *p = prompts_find_asked(prompts, source, id);

	if (p && p->state == PROMPT_OPEN)
		prompts_cancel(prompts, text_of(p->id), "it was decided there");
	if (p)
		prompts_settle(prompts, text_of(p->id), settlement);
}

void prompts_each_asked(struct prompts *prompts, struct text source,
                        void (*each)(void *of, struct text id), void *of)
{
	list_each(prompts_open(prompts), l) {
		const struct prompt *p = list_of(l, struct prompt, in_open);

		if (text_is(source, p->source) && p->own_id.len)
			each(of, p->own_id);
	}
}
