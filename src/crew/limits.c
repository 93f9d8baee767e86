/* limits.c - windows of accounts, and what is left of them. */
#include "crew/limits.h"

#include <math.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "base/utf8.h"
#include "bus/folds.h"
#include "signal/json.h"

#define HOUR_MS 3600e3
#define SAME_MS (10 * 60e3)     /* two times of one reset: it is told in seconds from now, too */
#define USED_MAX 1000.0         /* per cent; beyond it is no such figure */
#define MINUTES_MAX 1000000     /* two years */
#define LAST_MS 4102444800000.0 /* the year 2100 */
#define SAVED_MAX MIB

struct limit_account {
	char *harness, *account, *plan; /* "": not told */
	double at_ms;
	struct limit_window windows[LIMITS_WINDOWS_MAX];
	unsigned count;
};

struct limits {
	struct limit_account *accounts[LIMITS_ACCOUNTS_MAX]; /* the one that was heard last at the
	                                                        end */
	unsigned count;
	struct json_reader reader;
};

/* ---- what is known ---- */

static char *keep_name(struct text name)
{
	const char *nul = name.len ? memchr(name.at, '\0', name.len) : NULL;

	if (nul)
		name.len = (size_t)(nul - name.at);
	return text_dup(utf8_cut(name, LIMITS_NAME_MAX));
}

static void free_account(struct limit_account *a)
{
	for (unsigned i = 0; i < a->count; i++)
		free(a->windows[i].name);
	free(a->harness);
	free(a->account);
	free(a->plan);
	free(a);
}

static void take_out(struct limits *l, unsigned at)
{
	l->count--;
	memmove(&l->accounts[at], &l->accounts[at + 1],
	        (l->count - at) * sizeof(struct limit_account *));
}

/* It is at the end then.  Takes both names. */
static struct limit_account *need_account(struct limits *l, char *harness, char *account)
{
	struct limit_account *found = NULL;

	for (unsigned i = 0; i < l->count && !found; i++)
		if (strcmp(l->accounts[i]->harness, harness) == 0 &&
		    strcmp(l->accounts[i]->account, account) == 0) {
			found = l->accounts[i];
			take_out(l, i);
		}
	if (found) {
		free(harness);
		free(account);
	} else {
		found = must_zero(1, sizeof(*found));
		found->harness = harness;
		found->account = account;
		found->plan = must_dup("");
	}
	if (l->count == LIMITS_ACCOUNTS_MAX) {
		free_account(l->accounts[0]);
		take_out(l, 0);
	}
	l->accounts[l->count++] = found;
	return found;
}

/* NULL: it has too many. */
static struct limit_window *need_window(struct limit_account *a, struct text long_name,
                                        uint32_t minutes)
{
	char *name = keep_name(long_name);
	struct limit_window *w;

	for (unsigned i = 0; i < a->count; i++) {
		w = &a->windows[i];
		if (w->minutes == minutes && strcmp(w->name, name) == 0) {
			free(name);
			return w;
		}
	}
	if (a->count == LIMITS_WINDOWS_MAX) {
		free(name);
		return NULL;
	}
	w = &a->windows[a->count++];
	*w = (struct limit_window){.name = name, .minutes = minutes};
	return w;
}

static void drop_first(struct limit_window *w)
{
	w->count--;
	memmove(&w->samples[0], &w->samples[1], w->count * sizeof(*w->samples));
}

static void add_sample(struct limit_window *w, double at_ms, double used)
{
	const struct limit_sample *s = w->samples;

	if (w->count >= 2 && s[w->count - 1].at_ms - s[w->count - 2].at_ms < LIMITS_APART_MS)
		w->count--;
	while (w->count >= 2 && s[1].at_ms <= at_ms - HOUR_MS)
		drop_first(w);
	if (w->count == LIMITS_SAMPLES_MAX)
		drop_first(w);
	w->samples[w->count++] = (struct limit_sample){at_ms, used};
}

/* ---- hearing ---- */

struct window_news {
	double at_ms, used, resets_ms;
};

static bool is_other_window(const struct limit_window *w, const struct window_news *news)
{
	if (w->resets_ms > 0 && w->resets_ms <= news->at_ms)
		return true;
	return w->resets_ms > 0 && news->resets_ms > 0 &&
	       fabs(w->resets_ms - news->resets_ms) > SAME_MS;
}

/* So long that it is the other that is wrong. */
static bool is_long_before(double at_ms, double last_ms)
{
	return at_ms < last_ms - LIMITS_LATE_MS;
}

static void take_news(struct limit_window *w, const struct window_news *news)
{
	const struct limit_sample *last = w->count ? &w->samples[w->count - 1] : NULL;

	if (last && is_long_before(news->at_ms, last->at_ms)) {
		w->count = 0;
		w->resets_ms = 0;
		last = NULL;
	}
	if ((last && news->at_ms < last->at_ms) ||
	    (news->resets_ms > 0 && news->resets_ms <= news->at_ms))
		return; /* older than what is known, or over when it was told */
	if (last && is_other_window(w, news)) {
		w->count = 0;
		w->resets_ms = 0;
	} else if (last && news->used < last->used) {
		if (news->at_ms - last->at_ms < HOUR_MS)
			return;
		w->count = 0;
	}
	if (news->resets_ms > 0)
		w->resets_ms = news->resets_ms;
	add_sample(w, news->at_ms, news->used);
}

/* Of this century. */
static bool is_moment(double at_ms)
{
	return at_ms > 0 && at_ms < LAST_MS;
}

static void hear_window(struct limit_account *a, yyjson_val *told, double at_ms)
{
	struct window_news news = {.at_ms = at_ms};
	struct text name = json_text_at(told, "name");
	struct limit_window *w;
	double minutes = 0;

	if (!json_number(yyjson_obj_get(told, "used"), &news.used) || !(news.used >= 0) ||
	    news.used > USED_MAX)
		return;
	if (!json_number(yyjson_obj_get(told, "minutes"), &minutes) || !(minutes >= 0) ||
	    minutes > MINUTES_MAX)
		minutes = 0;
	if (!json_number(yyjson_obj_get(told, "resetsAt"), &news.resets_ms) ||
	    !is_moment(news.resets_ms))
		news.resets_ms = 0;
	w = need_window(a, name, (uint32_t)minutes);
	if (w)
		take_news(w, &news);
}

static bool limits_wants(const struct signal *s)
{
	return text_is(s->type, LIMITS_SIGNAL) && !text_starts(s->source, TEXT("local/"));
}

static bool limits_may_want(struct text line)
{
	return memmem(line.at, line.len, LIMITS_SIGNAL, strlen(LIMITS_SIGNAL)) != NULL;
}

void limits_hear(struct limits *l, const struct signal *s)
{
	yyjson_val *payload = yyjson_obj_get(s->envelope, "payload");
	yyjson_val *windows = yyjson_obj_get(payload, "windows"), *one;
	yyjson_arr_iter each = yyjson_arr_iter_with(windows);
	struct text harness = json_text_at(payload, "harness"),
		    plan = json_text_at(payload, "plan");
	struct limit_account *a;

	if (!limits_wants(s) || !is_moment(s->at_ms) || yyjson_arr_size(windows) == 0)
		return;
	if (harness.len == 0)
		harness = json_text_at(payload, "agentId");
	a = need_account(l, keep_name(harness), keep_name(json_text_at(payload, "account")));
	if (is_long_before(s->at_ms, a->at_ms))
		a->at_ms = s->at_ms;
	if (s->at_ms >= a->at_ms && plan.len) {
		free(a->plan);
		a->plan = keep_name(plan);
	}
	a->at_ms = fmax(a->at_ms, s->at_ms);
	for (unsigned i = 0; i < LIMITS_WINDOWS_MAX && (one = yyjson_arr_iter_next(&each)); i++)
		hear_window(a, one, s->at_ms);
}

/* ---- telling ---- */

static void put_number(struct buf *out, const char *key, double number)
{
	put_key(out, key);
	json_add_number(out, number);
}

/* Hundredths are enough for a figure that people read. */
static double rounded(double number)
{
	return round(number * 100) / 100;
}

static void put_window(struct buf *out, const struct limit_window *w, double now_ms)
{
	struct limit_outlook look;

	limits_look(w, now_ms, &look);
	put_object(out, NULL);
	if (w->name[0])
		put_word(out, "name", w->name);
	if (w->minutes)
		put_u64(out, "minutes", w->minutes);
	put_number(out, "used", rounded(look.used));
	put_number(out, "left", rounded(fmax(0, 100 - look.used)));
	if (w->resets_ms > 0)
		put_u64(out, "resetsAt", (uint64_t)w->resets_ms);
	put_bool(out, "isReset", look.is_reset);
	if (look.has_rate)
		put_number(out, "perHour", rounded(look.rate));
	if (look.used_up_ms > 0)
		put_u64(out, "usedUpAt", (uint64_t)look.used_up_ms);
	put_end(out);
}

static void put_account(struct buf *out, const struct limit_account *a, double now_ms)
{
	put_object(out, NULL);
	put_word(out, "harness", a->harness);
	if (a->account[0])
		put_word(out, "account", a->account);
	if (a->plan[0])
		put_word(out, "plan", a->plan);
	put_u64(out, "at", (uint64_t)a->at_ms);
	put_bool(out, "stale", now_ms - a->at_ms > LIMITS_STALE_MS);
	put_list(out, "windows");
	for (unsigned i = 0; i < a->count; i++)
		if (a->windows[i].count)
			put_window(out, &a->windows[i], now_ms);
	put_list_end(out);
	put_end(out);
}

static int by_name(const void *one, const void *other)
{
	const struct limit_account *a = *(struct limit_account *const *)one;
	const struct limit_account *b = *(struct limit_account *const *)other;
	int order = strcmp(a->harness, b->harness);

	return order ? order : strcmp(a->account, b->account);
}

void limits_json(const struct limits *l, double now_ms, struct buf *out)
{
	struct limit_account *sorted[LIMITS_ACCOUNTS_MAX] = {0};

	for (unsigned i = 0; i < l->count; i++)
		sorted[i] = l->accounts[i];
	qsort(sorted, l->count, sizeof(*sorted), by_name);
	put_list(out, "limits");
	for (unsigned i = 0; i < l->count; i++)
		put_account(out, sorted[i], now_ms);
	put_list_end(out);
}

/* ---- the fold ---- */

static void limits_hears(void *self, const struct signal *s)
{
	limits_hear(self, s);
}

static void save_window(struct buf *out, const struct limit_window *w)
{
	put_list(out, NULL);
	put_word(out, NULL, w->name);
	put_u64(out, NULL, w->minutes);
	put_number(out, NULL, w->resets_ms);
	for (unsigned i = 0; i < w->count; i++) {
		put_number(out, NULL, w->samples[i].at_ms);
		put_number(out, NULL, w->samples[i].used);
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
		put_number(out, NULL, a->at_ms);
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

	if (w->count == LIMITS_SAMPLES_MAX || !json_number(at, &s.at_ms) || !is_moment(s.at_ms) ||
	    !json_number(used, &s.used) || !(s.used >= 0) || s.used > USED_MAX ||
	    (w->count && s.at_ms < w->samples[w->count - 1].at_ms))
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
	    yyjson_get_uint(minutes) > MINUTES_MAX ||
	    !json_number(yyjson_arr_get(saved, 2), &resets_ms) ||
	    (resets_ms != 0 && !is_moment(resets_ms)) || (size - WINDOW_HEAD) % 2)
		return false;
	w = need_window(a, json_text(yyjson_arr_get(saved, 0)), (uint32_t)yyjson_get_uint(minutes));
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
	if (!json_number(yyjson_arr_get(saved, 3), &at_ms) || !is_moment(at_ms))
		return false;
	a = need_account(l, keep_name(json_text(yyjson_arr_get(saved, 0))),
	                 keep_name(json_text(yyjson_arr_get(saved, 1))));
	free(a->plan);
	a->plan = keep_name(json_text(yyjson_arr_get(saved, 2)));
	a->at_ms = at_ms;
	for (size_t i = ACCOUNT_HEAD; i < yyjson_arr_size(saved); i++)
		if (!load_window(a, yyjson_arr_get(saved, i)))
			return false;
	return true;
}

static void limits_clear(struct limits *l)
{
	while (l->count)
		free_account(l->accounts[--l->count]);
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
	.saved_max = SAVED_MAX,
	.newest_alone = true,
	.may_want = limits_may_want,
	.wants = limits_wants,
	.hear = limits_hears,
	.save = limits_save,
	.load = limits_load,
};

/* ---- life ---- */

struct limits *limits_create(void)
{
	struct limits *l = must_zero(1, sizeof(*l));

	json_reader_init(&l->reader, SAVED_MAX);
	return l;
}

void limits_destroy(struct limits *l)
{
	if (!l)
		return;
	limits_clear(l);
	json_reader_finish(&l->reader);
	free(l);
}
