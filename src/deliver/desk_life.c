/* desk_life.c - the desk from its beginning to its end, and what routes ask of it. */
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "base/random.h"
#include "config/config.h"
#include "deliver/desk_live.h"
#include "deliver/desk_prompts.h"
#include "deliver/stages.h"
#include "signal/signal.h"

#define STALL_MS 1000 /* before what the disk did not take is tried again */
#define SHOWN_TEXT_MAX (256 * KIB)
#define BRIEF_MAX 200 /* bytes of a text in a list */

static void custody_changed(void *self)
{
	struct desk *d = self;

	if (d->live_count || custody_open_count(d->options.custody))
		desk_wake(d);
}

struct desk *desk_create(const struct desk_options *options)
{
	struct desk *d = must_zero(1, sizeof(*d));

	d->options = *options;
	d->config = options->config;
	list_init(&d->accounts);
	list_init(&d->live);
	list_init(&d->kept);
	map_init(&d->by_run);
	map_init(&d->rates);
	known_init(&d->known);
	d->reader = signal_reader_create();
	d->outbox = outbox_create(&(struct outbox_options){
		.custody = options->custody,
		.bus = options->bus,
		.again = options->config->deliver.again,
		.wall_ms = options->wall_ms,
		.self = d,
		.find = desk_find_line,
		.codes = options->codes,
	});
	custody_set_ear(options->custody, &(struct custody_ear){d, custody_changed});
	return d;
}

void desk_destroy(struct desk *d)
{
	struct text key;
	size_t at = 0;
	void *rate;

	if (!d)
		return;
	d->is_ending = true;
	custody_set_ear(d->options.custody, &(struct custody_ear){NULL, NULL});
	while (!list_is_empty(&d->live))
		desk_free_nexus(list_of(d->live.next, struct nexus, in_desk));
	while (!list_is_empty(&d->kept))
		desk_free_kept(d, list_of(d->kept.next, struct desk_kept, in_desk));
	desk_close_accounts(d);
	while (map_next(&d->rates, &at, &key, &rate))
		free(rate);
	map_finish(&d->rates);
	map_finish(&d->by_run);
	known_finish(&d->known);
	free(d->people_path);
	outbox_destroy(d->outbox);
	signal_reader_destroy(d->reader);
	free(d);
}

void desk_follow(struct desk *d, const struct config *config)
{
	d->config = config;
	outbox_set_again(d->outbox, config->deliver.again);
	if (d->has_begun)
		desk_open_accounts(d);
	desk_wake(d);
}

void desk_begin(struct desk *d, int64_t now_ms)
{
	d->now_ms = now_ms;
	d->has_begun = true;
	desk_open_accounts(d);
	list_each(custody_requests(d->options.custody), l)
		desk_take_up(d, list_of(l, struct received, in_all));
	desk_drop_stale(d);
	desk_prompts_changed(d);
	desk_wake(d);
}

void desk_hush(struct desk *d)
{
	d->is_ending = true;
}

/* ---- time ---- */

void desk_hear(struct desk *d, const struct signal *s, int64_t now_ms)
{
	struct nexus *x = s->correlation.len ? map_get(&d->by_run, s->correlation) : NULL;
	struct signal whole;

	if (!x || d->is_ending || !signal_read(d->reader, s->line, &whole, NULL))
		return;
	d->now_ms = now_ms;
	reply_hear(x->reply, &whole, s->correlation, now_ms);
	desk_wake(d);
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Its agent is not there yet. */
static bool is_asking(const struct nexus *x)
{
	return x->request.stage == NEXUS_RUN && x->asked_ms && !x->request.words[NEXUS_TURN];
}

/* When a request wants to be looked at again, if nothing happens. */
static int64_t nexus_due(const struct nexus *x, int64_t now_ms)
{
	int64_t due = x->reply ? reply_due(x->reply) : INT64_MAX;

	if (x->request.stage == NEXUS_RECEIVE && x->gather_until_ms > now_ms)
		return x->gather_until_ms;
	if (x->request.stage == NEXUS_FINALIZE || is_asking(x) || (x->notice && !x->letter))
		due = earlier(due, now_ms + STALL_MS);
	return due;
}

static int64_t work_requests(struct desk *d)
{
	int64_t due = INT64_MAX;

	list_each(&d->live, l) {
		struct nexus *x = list_of(l, struct nexus, in_desk);

		desk_look_at_letter(x);
		desk_look_at_live(x);
		if (x->reply)
			reply_work(x->reply, d->now_ms);
		if (stages_go_on(x, d->now_ms)) {
			desk_keep(x);
			desk_free_nexus(x);
			desk_wake(d); /* another may have waited for it */
			continue;
		}
		due = earlier(due, nexus_due(x, d->now_ms));
	}
	return due;
}

int64_t desk_work(struct desk *d, int64_t now_ms)
{
	int64_t due;

	if (d->is_ending)
		return INT64_MAX;
	d->now_ms = now_ms;
	desk_tick_accounts(d);
	due = work_requests(d);
	if (d->options.prompts)
		due = earlier(due, desk_work_prompts(d));
	outbox_work(d->outbox, now_ms);
	due = earlier(due, outbox_due(d->outbox, now_ms));
	return earlier(due, desk_accounts_due(d));
}

/* ---- routes ---- */

static bool check_post(const struct desk_post *post, const struct desk_account *account,
                       struct error *why)
{
	if (!account || account->is_gone)
		return error_set(why, "there is no such channel");
	if (!text_trim(post->text).len)
		return error_set(why, "a text is needed");
	if (post->text.len > BACK_PROMPT_MAX)
		return error_set(why, "the text is longer than %d KiB", BACK_PROMPT_MAX / 1024);
	if (post->peer.len > CHANNEL_ID_MAX || post->agent.len > CHANNEL_ID_MAX ||
	    post->session.len > CHANNEL_ID_MAX)
		return error_set(why, "a name is longer than %d bytes", CHANNEL_ID_MAX);
	return true;
}

enum back_answer desk_take_post(struct desk *d, const struct desk_post *post,
                                const struct back_ear *ear, char id[CUSTODY_ID_LEN + 1],
                                struct error *why)
{
	struct text name = post->channel.len ? post->channel : TEXT("terminal");
	struct desk_account *account = desk_find_account(d, name);
	char message[RANDOM_UUID_LEN];
	struct channel_inbound inbound = {
		.message = {message, sizeof(message)},
		.sender = post->user,
		.peer = post->peer.len ? post->peer : post->user,
		.text = post->text,
		.is_owner = true,
		.agent = post->agent,
		.session = post->session,
	};
	struct nexus *x = NULL;

	if (!check_post(post, account, why))
		return BACK_INVALID;
	if (d->is_ending) {
		error_set(why, "the box stops");
		return BACK_CONFLICT;
	}
	random_uuid(message);
	if (!desk_take(account, &inbound, &x) || !x) {
		error_set(why, "too many messages wait, or the disk fails");
		return BACK_CONFLICT;
	}
	x->gather_until_ms = 0;
	x->may = post->may;
	x->ear = *ear;
	memcpy(id, x->request.id, sizeof(x->request.id));
	return BACK_TAKEN;
}

void desk_forget(struct desk *d, const void *of)
{
	list_each(&d->live, l) {
		struct nexus *x = list_of(l, struct nexus, in_desk);

		if (x->ear.of == of)
			x->ear.told = NULL;
	}
	desk_forget_checks(d, of);
}

bool desk_look(struct desk *d, struct text id, struct buf *out)
{
	list_each(&d->live, l) {
		const struct nexus *x = list_of(l, struct nexus, in_desk);

		if (text_is(id, x->request.id)) {
			nexus_put(&x->request, SHOWN_TEXT_MAX, out);
			return true;
		}
	}
	list_each(&d->kept, l) {
		const struct desk_kept *kept = list_of(l, struct desk_kept, in_desk);

		if (text_is(id, kept->id)) {
			buf_add_char(out, ',');
			buf_add(out, text_of(kept->json));
			return true;
		}
	}
	return false;
}

static void put_delivery(const struct letter *l, struct buf *out)
{
	static const struct {
		const char *name;
		enum letter_word word;
	} shown[] = {
		{"id", LETTER_ID},           {"request", LETTER_REQUEST}, {"run", LETTER_RUN},
		{"channel", LETTER_CHANNEL}, {"account", LETTER_ACCOUNT}, {"peer", LETTER_PEER},
		{"thread", LETTER_THREAD},   {"kind", LETTER_KIND},       {"why", LETTER_WHY},
	};
	struct text text = letter_word(l, LETTER_TEXT);

	put_object(out, NULL);
	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++)
		if (l->words[shown[i].word])
			put_text(out, shown[i].name, letter_word(l, shown[i].word));
	put_word(out, "state", letter_state_name(l->state));
	put_u64(out, "accepted", l->accepted);
	put_i64(out, "at", (int64_t)l->at_ms);
	put_list(out, "messages");
	for (struct text rest = letter_word(l, LETTER_MESSAGES); rest.at;)
		put_text(out, NULL, text_cut(rest, ' ', &rest));
	put_list_end(out);
	if (text.len) {
		text.len = chunk_reach(CHUNK_BYTES, text, BRIEF_MAX);
		put_text(out, "text", text);
	}
	put_end(out);
}

void desk_deliveries(struct desk *d, bool failed, struct text run, struct buf *out)
{
	struct link *const lists[] = {custody_over(d->options.custody),
	                              custody_letters(d->options.custody)};

	put_list(out, "deliveries");
	for (unsigned i = 0; i < 2; i++)
		list_each(lists[i], l) {
			const struct letter *one = list_of(l, struct letter, in_all);

			if (failed && one->state != LETTER_FAILED)
				continue;
			if (!run.len || text_equal(run, letter_word(one, LETTER_RUN)))
				put_delivery(one, out);
		}
	put_list_end(out);
}

bool desk_retry(struct desk *d, struct text id, struct error *why)
{
	bool good = outbox_retry(d->outbox, id, why);

	desk_wake(d);
	return good;
}
