/* prompts.c - the prompts of the box: open, being closed, closed.
 *
 * A prompt that is over waits in `closing` until that is on the disk; then its agent may
 * know, and it is kept in `closed` for who answers too late.
 */
#include "run/prompts.h"

#include <assert.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdlib.h>

#include "base/must.h"
#include "bus/bus.h"
#include "bus/folds.h"
#include "run/inside.h"
#include "run/prompts_inside.h"

struct prompts *prompts_create(const struct prompts_options *options)
{
	struct prompts *all = must_zero(1, sizeof(*all));

	all->options = *options;
	memcpy(all->key, options->key, PROMPTS_KEY);
	json_reader_init(&all->json, PROMPTS_LINE_MAX);
	map_init(&all->by_id);
	map_init(&all->by_own);
	list_init(&all->open);
	list_init(&all->closing);
	list_init(&all->closed);
	list_init(&all->waiters);
	return all;
}

void prompts_destroy(struct prompts *all)
{
	size_t at = 0;
	struct text key;
	void *prompt;

	if (!all)
		return;
	saving_finish(&all->saving);
	while (map_next(&all->by_id, &at, &key, &prompt))
		prompt_destroy(prompt);
	prompts_drop_waiters(all);
	map_finish(&all->by_id);
	map_finish(&all->by_own);
	json_reader_finish(&all->json);
	OPENSSL_cleanse(all->key, sizeof(all->key));
	free(all);
}

/* --- finding --------------------------------------------------------------- */

const struct prompt *prompts_find(const struct prompts *all, struct text id)
{
	return map_get(&all->by_id, id);
}

static char *own_key(struct text run, struct text own, struct text *key)
{
	char *at = must_alloc(run.len + own.len + 1);

	memcpy(at, run.at, run.len);
	at[run.len] = '\0';
	memcpy(at + run.len + 1, own.at, own.len);
	*key = (struct text){at, run.len + own.len + 1};
	return at;
}

const struct prompt *prompts_find_own(const struct prompts *all, struct text run, struct text own)
{
	struct text key;
	char *at = own_key(run, own, &key);
	const struct prompt *p = map_get(&all->by_own, key);

	free(at);
	return p;
}

static const struct prompt *newer(const struct prompt *a, const struct prompt *b,
                                  struct text source, struct text own)
{
	bool is_meant = text_is(source, b->source) && text_equal(own, b->own_id);

	return is_meant && (!a || a->seq < b->seq) ? b : a;
}

const struct prompt *prompts_find_asked(const struct prompts *all, struct text source,
                                        struct text own)
{
	const struct prompt *found = NULL;

	list_each(&all->open, l)
		found = newer(found, list_of(l, struct prompt, in_open), source, own);
	list_each(&all->closing, l)
		found = newer(found, list_of(l, struct prompt, in_closed), source, own);
	list_each(&all->closed, l)
		found = newer(found, list_of(l, struct prompt, in_closed), source, own);
	return found;
}

struct link *prompts_open(struct prompts *all)
{
	return &all->open;
}

size_t prompts_open_count(const struct prompts *all)
{
	return all->open_count;
}

/* 128 bits in letters and digits that nobody mistakes for others. */
static void make_id(const struct prompts *all, const struct signal *s, char id[PROMPT_ID_LEN + 1])
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
	unsigned char mac[EVP_MAX_MD_SIZE];
	struct buf place;
	unsigned bits = 0, held = 0, in = 0;

	buf_init(&place, s->id.len + 32);
	buf_add_u64(&place, s->seq);
	buf_add_char(&place, ' ');
	buf_add(&place, s->id);
	if (!HMAC(EVP_sha256(), all->key, PROMPTS_KEY, (const unsigned char *)place.at, place.len,
	          mac, NULL))
		must_give_up("libcrypto gives no SHA-256");
	buf_finish(&place);
	for (unsigned i = 0; i < PROMPT_ID_LEN; i++) {
		if (held < 5) {
			bits = bits << 8 | mac[in++];
			held += 8;
		}
		held -= 5;
		id[i] = letters[bits >> held & 31];
	}
	id[PROMPT_ID_LEN] = '\0';
	assert(in <= EVP_MAX_MD_SIZE);
}

/* --- opening and closing --------------------------------------------------- */

static void set_own(struct prompts *all, struct prompt *p)
{
	const struct prompt *newest;
	struct text key;
	char *at;

	if (!p->own_id.at)
		return;
	at = own_key(text_of(p->run), p->own_id, &key);
	newest = map_get(&all->by_own, key);
	if (!newest || newest->seq < p->seq)
		map_set(&all->by_own, key, p);
	free(at);
}

static void forget_prompt(struct prompts *all, struct prompt *p)
{
	struct text key;
	char *at;

	assert(p->state != PROMPT_OPEN && all->closed_bytes >= p->bytes);
	assert(all->closed_count > 0);
	saving_change(&all->saving, &p->to_save);
	all->closed_count--;
	all->closed_bytes -= p->bytes;
	map_remove(&all->by_id, text_of(p->id));
	if (p->own_id.at) {
		at = own_key(text_of(p->run), p->own_id, &key);
		if (map_get(&all->by_own, key) == p)
			map_remove(&all->by_own, key);
		free(at);
	}
	prompt_destroy(p);
}

static void close_prompt(struct prompts *all, struct prompt *p, enum prompt_state state,
                         uint64_t seq)
{
	assert(p->state == PROMPT_OPEN && state != PROMPT_OPEN);
	p->state = state;
	p->end_seq = seq;
	p->claimed = false;
	list_remove(&p->in_open);
	list_add(&all->closing, &p->in_closed);
	assert(all->open_count > 0);
	all->open_count--;
	all->closed_count++;
	assert(all->open_bytes >= p->bytes);
	all->open_bytes -= p->bytes;
	all->closed_bytes += prompt_weigh(p);
	if (all->options.changed)
		all->options.changed(all->options.self, p);
}

/* No signal says so: every fold of the same signals comes to it here. */
static void expire_oldest(struct prompts *all, uint64_t seq)
{
	struct prompt *p = list_of(all->open.next, struct prompt, in_open);

	assert(all->open_count > 0);
	saving_change(&all->saving, &p->to_save);
	free(p->why);
	p->why = must_dup("too many prompts are open");
	free(p->value);
	p->value = must_dup(p->other);
	close_prompt(all, p, PROMPT_EXPIRED, seq);
}

void prompts_trim(struct prompts *all, uint64_t seq)
{
	while (all->open_count > PROMPTS_OPEN_MAX ||
	       (all->open_bytes > PROMPTS_BYTES_MAX / 2 && all->open_count > 1))
		expire_oldest(all, seq);
	while ((all->closed_count > PROMPTS_KEPT_MAX ||
	        all->closed_bytes > PROMPTS_BYTES_MAX / 2) &&
	       !list_is_empty(&all->closed))
		forget_prompt(all, list_of(all->closed.next, struct prompt, in_closed));
	assert(all->open_count <= PROMPTS_OPEN_MAX);
}

static void add_open(struct prompts *all, struct prompt *p)
{
	assert(p->state == PROMPT_OPEN && !prompts_find(all, text_of(p->id)));
	map_set(&all->by_id, text_of(p->id), p);
	set_own(all, p);
	list_add(&all->open, &p->in_open);
	all->open_count++;
	all->open_bytes += p->bytes;
}

/* --- hearing --------------------------------------------------------------- */

static struct prompt *read_prompt(struct prompts *all, const struct signal *s, yyjson_val *envelope,
                                  const char *id)
{
	struct prompt *p = prompt_create(s, yyjson_obj_get(envelope, "payload"), id);
	bool is_dialect;
	struct text frame = translate_origin(&all->json, s->line, envelope, &is_dialect);

	if (frame.len)
		p->frame = text_dup(frame);
	prompt_weigh(p);
	return p;
}

static void hear_prompt(struct prompts *all, const struct signal *s, yyjson_val *envelope)
{
	char id[PROMPT_ID_LEN + 1];
	struct prompt *p, *old = NULL;

	make_id(all, s, id);
	if (map_get(&all->by_id, text_of(id)))
		return;
	p = read_prompt(all, s, envelope, id);
	if (p->own_id.at)
		old = (struct prompt *)prompts_find_own(all, text_of(p->run), p->own_id);
	if (old && old->state == PROMPT_OPEN) {
		if (prompt_is_like(old, p)) {
			prompt_destroy(p);
			return;
		}
		saving_change(&all->saving, &old->to_save);
		free(old->why);
		old->why = must_dup("it was asked again");
		old->told = true;
		close_prompt(all, old, PROMPT_CANCELLED, s->seq);
	}
	add_open(all, p);
	if (all->options.changed)
		all->options.changed(all->options.self, p);
	prompts_trim(all, s->seq);
}

static char *json_copy(yyjson_val *value)
{
	struct buf out;
	char *copy = NULL;

	buf_init(&out, PROMPTS_LINE_MAX);
	if (value && json_add(&out, value))
		copy = text_dup(buf_text(&out));
	buf_finish(&out);
	return copy;
}

static void hear_answer(struct prompts *all, struct prompt *p, uint64_t seq, yyjson_val *payload)
{
	if (p->state != PROMPT_OPEN)
		return;
	p->value = json_copy(yyjson_obj_get(payload, "value"));
	p->by = json_copy(yyjson_obj_get(payload, "by"));
	close_prompt(all, p, p->value ? PROMPT_ANSWERED : PROMPT_CANCELLED, seq);
}

static void hear_closed(struct prompts *all, struct prompt *p, uint64_t seq, yyjson_val *payload)
{
	struct text state = json_text(yyjson_obj_get(payload, "state"));
	struct text why = json_text(yyjson_obj_get(payload, "why"));

	if (p->state != PROMPT_OPEN)
		return;
	p->value = json_copy(yyjson_obj_get(payload, "value"));
	free(p->why);
	p->why = why.len ? text_dup(why) : NULL;
	close_prompt(all, p, text_is(state, "expired") ? PROMPT_EXPIRED : PROMPT_CANCELLED, seq);
}

static void hear_told(struct prompts *all, struct prompt *p, uint64_t seq, yyjson_val *payload)
{
	if (p->state == PROMPT_OPEN)
		return;
	p->told = true;
	prompt_slim(p);
	all->closed_bytes -= p->bytes;
	all->closed_bytes += prompt_weigh(p);
}

static void hear_settled(struct prompts *all, struct prompt *p, uint64_t seq, yyjson_val *payload)
{
	char *by = json_copy(yyjson_obj_get(payload, "by"));
	char *decision = json_copy(yyjson_obj_get(payload, "decision"));

	if (p->state != PROMPT_OPEN && !p->settled && by && decision) {
		all->closed_bytes -= p->bytes;
		p->settled = must_print("{\"by\":%s,\"decision\":%s}", by, decision);
		all->closed_bytes += prompt_weigh(p);
		if (all->options.changed)
			all->options.changed(all->options.self, p);
	}
	free(by);
	free(decision);
}

static const struct {
	struct text type;
	void (*hear)(struct prompts *all, struct prompt *p, uint64_t seq, yyjson_val *payload);
} ends[] = {
	{{"answer", 6}, hear_answer},
	{{"prompt.closed", 13}, hear_closed},
	{{"prompt.told", 11}, hear_told},
	{{"prompt.settled", 14}, hear_settled},
};

#define ENDS (sizeof(ends) / sizeof(ends[0]))

static size_t end_of(const struct signal *s)
{
	size_t i = 0;

	while (i < ENDS && !text_equal(s->type, ends[i].type))
		i++;
	return i < ENDS && text_equal(s->source, SOURCE_OF_BOX) ? i : ENDS;
}

bool prompts_wants(const struct signal *s)
{
	return s->kind == KIND_OTHER && (text_is(s->type, "prompt") || end_of(s) < ENDS);
}

void prompts_hear(struct prompts *all, const struct signal *s)
{
	struct prompt *p;
	yyjson_val *envelope, *payload;
	size_t end;

	if (!prompts_wants(s))
		return;
	envelope = yyjson_doc_get_root(json_read(&all->json, s->line, NULL));
	payload = yyjson_obj_get(envelope, "payload");
	end = end_of(s);
	if (end == ENDS) {
		if (payload && run_of_signal(s).len)
			hear_prompt(all, s, envelope);
		return;
	}
	p = map_get(&all->by_id, json_text(yyjson_obj_get(payload, "prompt")));
	if (!p)
		return;
	saving_change(&all->saving, &p->to_save);
	ends[end].hear(all, p, s->seq, payload);
}

void prompts_take(struct prompts *all, struct prompt *p)
{
	if (p->state == PROMPT_OPEN) {
		add_open(all, p);
		return;
	}
	map_set(&all->by_id, text_of(p->id), p);
	set_own(all, p);
	list_add(&all->closing, &p->in_closed);
	all->closed_count++;
	all->closed_bytes += p->bytes;
}

/* --- as a fold --------------------------------------------------------------- */

/* Few lines have the word, and an escape could spell it. */
static bool may_want(struct text line)
{
	return memmem(line.at, line.len, "prompt", 6) || memmem(line.at, line.len, "\\u", 2);
}

static void fold_hears(void *self, const struct signal *s)
{
	prompts_hear(self, s);
}

static void fold_is_durable(void *self, uint64_t seq)
{
	prompts_durable(self, seq);
}

static void fold_begins_save(void *self)
{
	prompts_save_begin(self);
}

static bool fold_saves_more(void *self, struct buf *out)
{
	return prompts_save_more(self, out);
}

static bool fold_loads(void *self, struct text saved, uint64_t *seq)
{
	return prompts_load(self, saved);
}

const struct fold_kind prompts_fold = {
	.name = "prompts",
	.pace = FOLD_AT_ONCE,
	.back = PROMPTS_BACK,
	.may_want = may_want,
	.wants = prompts_wants,
	.hear = fold_hears,
	.durable = fold_is_durable,
	.save_begin = fold_begins_save,
	.save_more = fold_saves_more,
	.load = fold_loads,
};
