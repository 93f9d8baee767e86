/* limits.c - windows of accounts, and what is left of them. */
#include <math.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "base/utf8.h"
#include "crew/limits_inside.h"

#define HOUR_MS 3600e3
#define SAME_MS (10 * 60e3)     /* two times of one reset: it is told in seconds from now, too */
#define LAST_MS 4102444800000.0 /* the year 2100 */

/* ---- what is known ---- */

char *limits_keep_name(struct text name)
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

struct limit_account *limits_add(struct limits *l, char *harness, char *account, char *plan)
{
	struct limit_account *added = must_zero(1, sizeof(*added));

	added->harness = harness;
	added->account = account;
	added->plan = plan;
	if (l->count == LIMITS_ACCOUNTS_MAX) {
		free_account(l->accounts[0]);
		take_out(l, 0);
	}
	return l->accounts[l->count++] = added;
}

/* Who tells, as far as it can be known. */
struct limits_teller {
	char *harness, *account, *plan; /* "": not told */
	bool is_named;                  /* it says itself which account it is */
};

/* Two plans at a time are two accounts, unless their name says that they are one. */
static bool is_of(const struct limit_account *a, const struct limits_teller *t)
{
	return strcmp(a->harness, t->harness) == 0 && strcmp(a->account, t->account) == 0 &&
	       (t->is_named || !t->plan[0] || !a->plan[0] || strcmp(a->plan, t->plan) == 0);
}

/* It is at the end then; the one that was heard last, where several could be meant. */
static struct limit_account *need_account(struct limits *l, const struct limits_teller *t)
{
	for (unsigned i = l->count; i-- > 0;)
		if (is_of(l->accounts[i], t)) {
			struct limit_account *found = l->accounts[i];

			take_out(l, i);
			return l->accounts[l->count++] = found;
		}
	return limits_add(l, must_dup(t->harness), must_dup(t->account), must_dup(""));
}

struct limit_window *limits_window(struct limit_account *a, struct text long_name, uint32_t minutes)
{
	char *name = limits_keep_name(long_name);
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

bool limits_is_moment(double at_ms)
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
	    news.used > LIMITS_USED_MAX)
		return;
	if (!json_number(yyjson_obj_get(told, "minutes"), &minutes) || !(minutes >= 0) ||
	    minutes > LIMITS_MINUTES_MAX)
		minutes = 0;
	if (!json_number(yyjson_obj_get(told, "resetsAt"), &news.resets_ms) ||
	    !limits_is_moment(news.resets_ms))
		news.resets_ms = 0;
	w = limits_window(a, name, (uint32_t)minutes);
	if (w)
		take_news(w, &news);
}

/* Whoever does not name its account is known by its user and machine, or by its source. */
static char *account_of(const struct signal *s, yyjson_val *payload, struct text harness)
{
	struct text told = json_text_at(payload, "account"), host = json_text_at(payload, "host");
	struct text user = json_text_at(payload, "user");
	struct text source = json_text_at(yyjson_obj_get(s->envelope, "metadata"), "sourceId");
	struct buf name;
	char *kept;

	if (told.len)
		return limits_keep_name(told);
	if (!host.len && !user.len)
		return limits_keep_name(text_equal(source, harness) ? TEXT("") : source);
	buf_init(&name, 8 * LIMITS_NAME_MAX);
	buf_add(&name, utf8_cut(user, LIMITS_NAME_MAX));
	if (host.len)
		buf_print(&name, "@%.*s", TEXT_ARG(utf8_cut(host, LIMITS_NAME_MAX)));
	kept = limits_keep_name(buf_text(&name));
	buf_finish(&name);
	return kept;
}

static void teller_init(struct limits_teller *t, const struct signal *s, yyjson_val *payload)
{
	struct text harness = json_text_at(payload, "harness");

	if (harness.len == 0)
		harness = json_text_at(payload, "agentId");
	t->harness = limits_keep_name(harness);
	t->account = account_of(s, payload, harness);
	t->plan = limits_keep_name(json_text_at(payload, "plan"));
	t->is_named = json_text_at(payload, "account").len > 0;
}

static void teller_finish(struct limits_teller *t)
{
	free(t->harness);
	free(t->account);
	free(t->plan);
}

/* What is dated ahead was told now. */
static double moment_of(const struct limits *l, const struct signal *s)
{
	return l->now_ms ? fmin(s->at_ms, (double)l->now_ms()) : s->at_ms;
}

/* From when the clock of this machine, or ours of before, was wrong. */
static void forget_ahead(const struct limits *l, struct limit_account *a)
{
	double last_ms = l->now_ms ? (double)l->now_ms() + LIMITS_SPAN_MS : INFINITY;

	if (a->at_ms > last_ms)
		a->at_ms = 0;
	for (unsigned i = 0; i < a->count; i++) {
		struct limit_window *w = &a->windows[i];

		if (w->count && w->samples[w->count - 1].at_ms > last_ms)
			w->count = 0;
	}
}

void limits_hear(struct limits *l, const struct signal *s)
{
	yyjson_val *payload = yyjson_obj_get(s->envelope, "payload");
	yyjson_val *windows = yyjson_obj_get(payload, "windows"), *one;
	yyjson_arr_iter each = yyjson_arr_iter_with(windows);
	double at_ms = moment_of(l, s);
	struct limit_account *a;
	struct limits_teller teller;

	if (!limits_wants(s) || !limits_is_moment(at_ms) || yyjson_arr_size(windows) == 0)
		return;
	teller_init(&teller, s, payload);
	a = need_account(l, &teller);
	forget_ahead(l, a);
	if (is_long_before(at_ms, a->at_ms))
		a->at_ms = at_ms;
	if (at_ms >= a->at_ms && teller.plan[0]) {
		free(a->plan);
		a->plan = must_dup(teller.plan);
	}
	a->at_ms = fmax(a->at_ms, at_ms);
	for (unsigned i = 0; i < LIMITS_WINDOWS_MAX && (one = yyjson_arr_iter_next(&each)); i++)
		hear_window(a, one, at_ms);
	teller_finish(&teller);
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

	if (order == 0)
		order = strcmp(a->account, b->account);
	return order ? order : strcmp(a->plan, b->plan);
}

static bool are_windows_over(const struct limit_account *a, double now_ms)
{
	for (unsigned i = 0; i < a->count; i++)
		if (!(a->windows[i].resets_ms > 0 && a->windows[i].resets_ms <= now_ms))
			return false;
	return true;
}

/* Its windows are over, and the account has another plan now. */
static bool is_left(const struct limits *l, const struct limit_account *a, double now_ms)
{
	if (!are_windows_over(a, now_ms))
		return false;
	for (unsigned i = 0; i < l->count; i++) {
		const struct limit_account *other = l->accounts[i];

		if (other != a && other->at_ms > a->at_ms &&
		    strcmp(other->harness, a->harness) == 0 &&
		    strcmp(other->account, a->account) == 0)
			return true;
	}
	return false;
}

void limits_json(const struct limits *l, double now_ms, struct buf *out)
{
	struct limit_account *sorted[LIMITS_ACCOUNTS_MAX] = {0};

	for (unsigned i = 0; i < l->count; i++)
		sorted[i] = l->accounts[i];
	qsort(sorted, l->count, sizeof(*sorted), by_name);
	put_list(out, "limits");
	for (unsigned i = 0; i < l->count; i++)
		if (!is_left(l, sorted[i], now_ms))
			put_account(out, sorted[i], now_ms);
	put_list_end(out);
}

/* ---- life ---- */

void limits_clear(struct limits *l)
{
	while (l->count)
		free_account(l->accounts[--l->count]);
}

void limits_set_clock(struct limits *l, int64_t (*now_ms)(void))
{
	l->now_ms = now_ms;
}

struct limits *limits_create(void)
{
	struct limits *l = must_zero(1, sizeof(*l));

	json_reader_init(&l->reader, LIMITS_SAVED_MAX);
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
