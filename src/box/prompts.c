/* prompts.c - what agents ask, in a box: kept over a restart, told to
 * every screen, and its answer to whoever asked.
 */
#include "run/prompts.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/must.h"
#include "base/random.h"
#include "base/whole.h"
#include "box/dialects.h"
#include "box/parts.h"
#include "bus/bus.h"
#include "bus/folds.h"
#include "config/config.h"
#include "source/claude/approve.h"
#include "source/source.h"

#define TICK_MS 1000 /* from one look at the deadlines to the next */
#define KEY_FILE_MAX (8 * KIB)

struct prompt_desk {
	struct box *box;
	struct deadline tick;
};

/* ---- the key ---- */

/* False with errno ENOENT: there is none. */
static bool read_key(const char *path, char key[PROMPTS_KEY], struct error *why)
{
	struct buf bytes;
	int failure;
	bool good;

	buf_init(&bytes, KEY_FILE_MAX);
	good = whole_load(path, WHOLE_PRIVATE | WHOLE_NO_LINK, &bytes, why);
	failure = errno;
	if (good && bytes.len < PROMPTS_KEY) {
		failure = EPERM;
		good = error_set(why, "%s holds no key", path);
	}
	if (good)
		memcpy(key, bytes.at, PROMPTS_KEY);
	whole_forget(&bytes);
	errno = failure;
	return good;
}

/* DATA/prompt-key: who has it can tell the ids of prompts. */
static bool load_key(const char *data, char key[PROMPTS_KEY], struct error *why)
{
	char *path = must_print("%s/prompt-key", data);
	bool good = read_key(path, key, why);

	if (!good && errno == ENOENT) {
		random_bytes(key, PROMPTS_KEY);
		good = whole_replace(path, 0600, (struct text){key, PROMPTS_KEY}, why);
	}
	free(path);
	return good;
}

bool box_check_key(const char *data, struct error *why)
{
	char *path = must_print("%s/prompt-key", data);
	char key[PROMPTS_KEY];
	bool good = read_key(path, key, why) || errno == ENOENT;

	OPENSSL_cleanse(key, sizeof(key));
	free(path);
	return good;
}

/* ---- deadlines ---- */

static void ticks(struct deadline *deadline)
{
	struct prompt_desk *desk = list_of(deadline, struct prompt_desk, tick);

	prompts_tick(desk->box->prompts, clock_wall_ms());
	backs_tick(desk->box->backs);
	deadline_set(desk->box->loop, &desk->tick, TICK_MS);
}

/* ---- screens ---- */

static void changed(void *self, const struct prompt *prompt)
{
	struct prompt_desk *desk = self;

	box_tell_prompt(desk->box, prompt);
}

/* ---- agents ---- */

void box_withdraw_prompt(void *self, struct text source, struct text id, const char *why)
{
	struct box *box = self;

	list_each(prompts_open(box->prompts), l) {
		const struct prompt *p = list_of(l, struct prompt, in_open);

		if (!text_is(source, p->source) || !text_equal(id, p->own_id))
			continue;
		prompts_cancel(box->prompts, text_of(p->id), why);
		return;
	}
}

void box_settle_prompt(void *self, struct text run, struct text id, bool is_agents,
                       const char *decision)
{
	struct box *box = self;
	const struct prompt *p = prompts_find_own(box->prompts, run, id);

	struct prompt_settlement settlement = {.is_agents = is_agents, .decision = decision};

	if (p)
		prompts_settle(box->prompts, text_of(p->id), &settlement);
}

void box_decide_prompt(void *self, struct text source, const struct source_decision *d)
{
	struct box *box = self;
	const struct prompt *p = prompts_find_asked(box->prompts, source, d->id);
	struct prompt_settlement settlement = {
		.is_agents = d->is_elsewhere,
		.who = {.user = d->by, .screen = source},
		.decision = d->decision,
	};

	if (p && p->state == PROMPT_OPEN)
		prompts_cancel(box->prompts, text_of(p->id), "it was decided there");
	if (p)
		prompts_settle(box->prompts, text_of(p->id), &settlement);
}

void box_each_prompt(void *self, struct text source, void (*each)(void *of, struct text id),
                     void *of)
{
	list_each(prompts_open(((struct box *)self)->prompts), l) {
		const struct prompt *p = list_of(l, struct prompt, in_open);

		if (text_is(source, p->source) && p->own_id.len)
			each(of, p->own_id);
	}
}

void box_withdraw_prompts(struct box *box, bool (*is_meant)(struct text source), const char *why)
{
	list_each(prompts_open(box->prompts), l) {
		const struct prompt *p = list_of(l, struct prompt, in_open);

		if (is_meant(text_of(p->source)))
			prompts_cancel(box->prompts, text_of(p->id), why);
	}
}

void box_tell_prompts(void *self, struct text run)
{
	prompts_untold(((struct box *)self)->prompts, run);
}

/* ---- from start to end ---- */

bool box_make_prompts(struct box *box, struct error *why)
{
	struct prompt_desk *desk = must_zero(1, sizeof(*desk));
	struct prompts_options o = {
		.bus = box->bus, .self = desk, .changed = changed, .backs = box->backs};
	char key[PROMPTS_KEY];

	box->desk = desk;
	desk->box = box;
	if (!load_key(box->config->data, key, why))
		return false;
	o.key = key;
	box->prompts = prompts_create(&o);
	OPENSSL_cleanse(key, sizeof(key));
	folds_add(bus_folds(box->bus), &prompts_fold, box->prompts);
	desk->tick.fire = ticks;
	deadline_set(box->loop, &desk->tick, TICK_MS);
	return true;
}

void box_stop_prompts(struct box *box)
{
	if (!box->desk)
		return;
	backs_stop(box->backs);
	deadline_clear(&box->desk->tick);
}

void box_destroy_prompts(struct box *box)
{
	prompts_destroy(box->prompts);
	free(box->desk);
}
