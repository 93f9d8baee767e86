/* limits_save.c - what is known of limits, folded from the journal, saved and loaded. */
#include <stdlib.h>

#include "base/put.h"
#include "bus/folds.h"
#include "crew/limits_inside.h"

bool limits_wants(const struct signal *s)
{
	return text_is(s->type, LIMITS_SIGNAL) && !text_starts(s->source, TEXT("local/"));
}

static bool limits_may_want(struct text line)
{
	return memmem(line.at, line.len, LIMITS_SIGNAL, strlen(LIMITS_SIGNAL)) != NULL;
}

static void save_number(struct buf *out, double number)
{
	put_key(out, NULL);
	json_add_number(out, number);
}

static void limits_hears(void *self, const struct signal *s)
{
	limits_hear(self, s);
}

static void save_window(struct buf *out, const struct limit_window *w)
{
	put_list(out, NULL);
	put_word(out, NULL, w->name);
	put_u64(out, NULL, w->minutes);
	save_number(out, w->resets_ms);
	for (unsigned i = 0; i < w->count; i++) {
		save_number(out, w->samples[i].at_ms);
		save_number(out, w->samples[i].used);
	}
	put_list_end(out);
}

static void limits_save(const void *self, struct buf *out)
{
	const struct limits *l = self;

	put_list(out, NULL);
	for (unsigned i = 0; i < l->count; i++) {
		const struct limit_account *a = l->accounts[i];

		put_list(out, NULL);
		put_word(out, NULL, a->harness);
		put_word(out, NULL, a->account);
		put_word(out, NULL, a->plan);
		save_number(out, a->at_ms);
		for (unsigned w = 0; w < a->count; w++)
			save_window(out, &a->windows[w]);
		put_list_end(out);
	}
	put_list_end(out);
}

#define WINDOW_HEAD 3 /* what is in front of the samples */
#define ACCOUNT_HEAD 4

static bool load_sample(struct limit_window *w, yyjson_val *at, yyjson_val *used)
{
	struct limit_sample s;

	if (w->count == LIMITS_SAMPLES_MAX || !json_number(at, &s.at_ms) ||
	    !limits_is_moment(s.at_ms) || !json_number(used, &s.used) || !(s.used >= 0) ||
	    s.used > LIMITS_USED_MAX || (w->count && s.at_ms < w->samples[w->count - 1].at_ms))
		return false;
	w->samples[w->count++] = s;
	return true;
}

static bool load_window(struct limit_account *a, yyjson_val *saved)
{
	yyjson_val *minutes = yyjson_arr_get(saved, 1);
	size_t size = yyjson_arr_size(saved);
	struct limit_window *w;
	double resets_ms;

	if (!yyjson_is_str(yyjson_arr_get(saved, 0)) || !yyjson_is_uint(minutes) ||
	    yyjson_get_uint(minutes) > LIMITS_MINUTES_MAX ||
	    !json_number(yyjson_arr_get(saved, 2), &resets_ms) ||
	    (resets_ms != 0 && !limits_is_moment(resets_ms)) || (size - WINDOW_HEAD) % 2)
		return false;
	w = limits_window(a, json_text(yyjson_arr_get(saved, 0)),
	                  (uint32_t)yyjson_get_uint(minutes));
	if (!w || w->count)
		return false;
	w->resets_ms = resets_ms;
	for (size_t i = WINDOW_HEAD; i < size; i += 2)
		if (!load_sample(w, yyjson_arr_get(saved, i), yyjson_arr_get(saved, i + 1)))
			return false;
	return true;
}

static bool load_account(struct limits *l, yyjson_val *saved)
{
	struct limit_account *a;
	double at_ms;

	for (size_t i = 0; i < 3; i++)
		if (!yyjson_is_str(yyjson_arr_get(saved, i)))
			return false;
	if (!json_number(yyjson_arr_get(saved, 3), &at_ms) || !limits_is_moment(at_ms))
		return false;
	a = limits_add(l, limits_keep_name(json_text(yyjson_arr_get(saved, 0))),
	               limits_keep_name(json_text(yyjson_arr_get(saved, 1))),
	               limits_keep_name(json_text(yyjson_arr_get(saved, 2))));
	a->at_ms = at_ms;
	for (size_t i = ACCOUNT_HEAD; i < yyjson_arr_size(saved); i++)
		if (!load_window(a, yyjson_arr_get(saved, i)))
			return false;
	return true;
}

static bool limits_load(void *self, struct text saved, uint64_t *seq)
{
	struct limits *l = self;
	yyjson_val *root = yyjson_doc_get_root(json_read(&l->reader, saved, NULL)), *one;
	yyjson_arr_iter each = yyjson_arr_iter_with(root);
	bool good = yyjson_is_arr(root);

	(void)seq;
	while (good && (one = yyjson_arr_iter_next(&each)))
		good = load_account(l, one);
	if (!good)
		limits_clear(l);
	return good;
}

const struct fold_kind limits_fold = {
	.name = "limits",
	.pace = FOLD_LATER,
	.saved_max = LIMITS_SAVED_MAX,
	.newest_alone = true,
	.may_want = limits_may_want,
	.wants = limits_wants,
	.hear = limits_hears,
	.save = limits_save,
	.load = limits_load,
};
