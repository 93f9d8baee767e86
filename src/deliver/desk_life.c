/* desk_life.c - the desk from its beginning to its end, and what routes ask of it. */
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "base/random.h"
#include "config/config.h"
#include "deliver/automations.h"
#include "deliver/desk_crowd.h"
#include "deliver/desk_files.h"
#include "deliver/desk_live.h"
#include "deliver/desk_prompts.h"
#include "deliver/desk_rest.h"
#include "deliver/desk_routes.h"
#include "deliver/desk_uploads.h"
#include "deliver/media.h"
#include "deliver/routes.h"
#include "deliver/stages.h"
#include "signal/signal.h"

#define SHOWN_TEXT_MAX (256 * KIB)
#define BRIEF_MAX 200 /* bytes of a text in a list */

static void custody_changed(void *self)
{
	struct desk *d = self;

	desk_stir_unsaved(d);
	if (d->live_count || custody_open_count(d->options.custody))
		desk_wake(d);
}

static void desk_hear_letter(void *self, struct letter *l)
{
	struct desk *d = self;

	outbox_hear(d->outbox, l);
	desk_stir_letter(d, l);
}

struct desk *desk_create(const struct desk_options *options)
{
	struct desk *d = must_zero(1, sizeof(*d));

	d->options = *options;
	d->config = options->config;
	list_init(&d->accounts);
	list_init(&d->live);
	list_init(&d->kept);
	list_init(&d->stirred);
	list_init(&d->unsaved);
	list_init(&d->pressed);
	map_init(&d->by_run);
	map_init(&d->by_id);
	map_init(&d->resting);
	map_init(&d->rates);
	d->crowd = desk_crowd_create();
	map_init(&d->asked);
	echoes_init(&d->echoes);
	known_init(&d->known);
	d->media = media_create(options->config->data);
	d->uploads = desk_uploads_create();
	d->reader = signal_reader_create();
	d->automations = automations_create(options->config);
	d->routes = routes_create(options->config);
	if (options->ends)
		desk_watch_ends(d);
	d->outbox = outbox_create(&(struct outbox_options){
		.custody = options->custody,
		.bus = options->bus,
		.again = options->config->deliver.again,
		.wall_ms = options->wall_ms,
		.self = d,
		.find = desk_find_line,
		.codes = options->codes,
		.edited = desk_stir_letter,
		.file = desk_find_upload,
	});
	custody_set_ear(options->custody,
	                &(struct custody_ear){d, custody_changed, desk_hear_letter});
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
	if (d->options.ends)
		d->options.ends->changed = NULL;
	custody_set_ear(d->options.custody, &(struct custody_ear){0});
	while (!list_is_empty(&d->live))
		desk_free_nexus(list_of(d->live.next, struct nexus, in_desk));
	while (!list_is_empty(&d->kept))
		desk_free_kept(d, list_of(d->kept.next, struct desk_kept, in_desk));
	desk_forget_presses(d);
	desk_free_rests(d);
	desk_close_accounts(d);
	while (map_next(&d->rates, &at, &key, &rate))
		free(rate);
	map_finish(&d->rates);
	desk_crowd_destroy(d->crowd);
	map_finish(&d->asked);
	echoes_finish(&d->echoes);
	map_finish(&d->by_run);
	known_finish(&d->known);
	free(d->people_path);
	map_finish(&d->by_id);
	dues_finish(&d->dues);
	desk_uploads_destroy(d->uploads);
	media_destroy(d->media);
	outbox_destroy(d->outbox);
	automations_destroy(d->automations);
	routes_destroy(d->routes);
	signal_reader_destroy(d->reader);
	free(d);
}

void desk_follow(struct desk *d, const struct config *config)
{
	d->config = config;
	automations_destroy(d->automations);
	d->automations = automations_create(config);
	routes_destroy(d->routes);
	d->routes = routes_create(config);
	outbox_set_again(d->outbox, config->deliver.again);
	if (d->has_begun)
		desk_open_accounts(d);
	desk_stir_all(d);
}

void desk_begin(struct desk *d, int64_t now_ms)
{
	d->now_ms = now_ms;
	d->has_begun = true;
	desk_open_accounts(d);
	desk_take_up(d);
	desk_drop_stale(d);
	desk_prompts_changed(d);
	desk_stir_all(d);
}

void desk_hush(struct desk *d)
{
	d->is_ending = true;
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
	burst_end(&x->burst);
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
	struct nexus *rested = desk_rouse(d, id);

	if (rested)
		desk_stir(rested);
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
		{"missed", LETTER_MISSED},
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
