/* desk_accounts.c - the accounts of the configuration: opened, followed, closed. */
#include <stdlib.h>

#include "base/log.h"
#include "base/must.h"
#include "base/whole.h"
#include "config/config.h"
#include "deliver/channels.h"
#include "deliver/desk_files.h"
#include "deliver/desk_prompts.h"

#define RETRY_MS 10000 /* before a channel that could not be opened is tried again */
#define SECRET_MAX (8 * KIB)

/* ---- what channels say ---- */

static bool channel_came(void *self, const struct channel_inbound *inbound)
{
	return desk_take(self, inbound, NULL);
}

static bool channel_kept(void *self)
{
	const struct desk_account *a = self;

	return a->came_seq <= custody_durable(a->desk->options.custody) && !desk_has_pressed(a);
}

static void channel_wakes(void *self)
{
	struct desk_account *a = self;

	a->due_ms = 0;
	desk_wake(a->desk);
}

static void channel_learned(void *self, const struct channel_traits *traits)
{
	struct desk_account *a = self;

	a->own.traits = *traits;
}

static void channel_pressed(void *self, const struct channel_press *press)
{
	desk_press(self, press);
}

static bool channel_part(void *self, uint64_t number, struct text bytes)
{
	return desk_take_part(((struct desk_account *)self)->desk, number, bytes);
}

static void channel_fetched(void *self, uint64_t number, const struct error *why)
{
	desk_take_fetched(((struct desk_account *)self)->desk, number, why);
}

static void channel_answered(void *self, const struct channel_result *result)
{
	struct desk_account *a = self;

	outbox_answered(a->desk->outbox, result, a->desk->now_ms);
	desk_wake(a->desk);
}

/* ---- one account ---- */

static const char *channel_of(const struct config_adapter *config, const char *name)
{
	return config && config->channel ? config->channel : name;
}

static bool load_secret(const char *value, const char *file, struct buf *secret, struct error *why)
{
	if (file)
		return whole_load_secret(file, secret, why);
	buf_add(secret, text_of(value));
	return true;
}

static bool open_channel(struct desk_account *a, struct channel_options *options, struct error *why)
{
	static const struct config_adapter built_in;
	const struct config_adapter *c = options->config ? options->config : &built_in;
	struct buf secret, of_app;

	buf_init(&secret, SECRET_MAX);
	buf_init(&of_app, SECRET_MAX);
	if (load_secret(c->credential, c->credential_file, &secret, why) &&
	    load_secret(c->app_credential, c->app_credential_file, &of_app, why)) {
		options->credential = buf_text(&secret);
		options->app_credential = buf_text(&of_app);
		a->line.channel = a->line.kind->open(options, why);
	}
	whole_forget(&secret);
	whole_forget(&of_app);
	return a->line.channel != NULL;
}

static void open_account(struct desk_account *a)
{
	struct desk *d = a->desk;
	struct channel_options options = {
		.config = desk_config(a),
		.data = d->config->data,
		.place = custody_place(d->options.custody, text_of(a->line.account)),
		.loop = d->options.loop,
		.processes = d->options.processes,
		.self = a,
		.wake = channel_wakes,
		.came = channel_came,
		.kept = channel_kept,
		.learned = channel_learned,
		.pressed = channel_pressed,
		.part = channel_part,
		.fetched = channel_fetched,
		.answered = channel_answered,
	};
	outbox_stir(d->outbox);
	a->due_ms = d->now_ms;
	a->retry_ms = d->now_ms + RETRY_MS;
	if (!open_channel(a, &options, &a->unopened))
		log_warn("deliver", "the chat %s is not open: %s", a->line.account,
		         a->unopened.words);
}

static void close_account(struct desk_account *a)
{
	if (a->line.channel)
		a->line.kind->close(a->line.channel);
	a->line.channel = NULL;
	desk_end_check(a, "it was closed meanwhile");
	desk_lose_fetches(a);
}

struct desk_account *desk_find_account(const struct desk *d, struct text name)
{
	list_each(&d->accounts, l) {
		struct desk_account *a = list_of(l, struct desk_account, in_desk);

		if (text_is(name, a->line.account))
			return a;
	}
	return NULL;
}

static void add_words(struct buf *all, char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		buf_add(all, text_of(words[i]));
		buf_add_char(all, '\n');
	}
}

/* What a file of a credential says now; one that cannot be read says nothing. */
static void add_secret(struct buf *all, const char *file)
{
	struct buf secret;
	struct error why;

	buf_init(&secret, SECRET_MAX);
	if (file && whole_load_secret(file, &secret, &why))
		buf_add(all, buf_text(&secret));
	buf_add_char(all, '\n');
	whole_forget(&secret);
}

/* What a channel is opened with: where that changes it is opened anew. */
static char *words_of(const struct config_adapter *config)
{
	const char *const words[] = {
		config->channel,
		config->inbox,
		config->outbox,
		config->url,
		config->nick,
		config->topic,
		config->press_url,
		config->credential,
		config->credential_file,
		config->app_credential,
		config->app_credential_file,
	};
	struct buf all;
	char *made;

	buf_init(&all, 64 * KIB);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		buf_add(&all, text_of(words[i]));
		buf_add_char(&all, '\n');
	}
	add_secret(&all, config->credential_file);
	add_secret(&all, config->app_credential_file);
	add_words(&all, config->rooms, config->room_count);
	buf_add_char(&all, '\n');
	add_words(&all, config->command, config->command_count);
	made = text_dup(buf_text(&all));
	whole_forget(&all);
	return made;
}

static void keep_words(struct desk_account *a, char *words)
{
	if (a->words)
		explicit_bzero(a->words, strlen(a->words));
	free(a->words);
	a->words = words;
}

static struct desk_account *add_account(struct desk *d, const char *name)
{
	struct desk_account *a = must_zero(1, sizeof(*a));

	a->desk = d;
	a->line.account = must_dup(name);
	list_add(&d->accounts, &a->in_desk);
	return a;
}

/* That of its channel, or one of its own: a program outside connects it. */
static const struct channel_kind *follow_kind(struct desk_account *a,
                                              const struct config_adapter *config, const char *name)
{
	const char *channel = channel_of(config, name);

	if (!config || !config->command_count)
		return channel_find(text_of(channel));
	if (a->line.kind == &a->own && strcmp(a->own_name, channel) == 0)
		return &a->own;
	free(a->own_name);
	a->own_name = must_dup(channel);
	a->own = channel_outside(a->own_name);
	return &a->own;
}

struct desk_account *desk_account_of(struct desk *d, const struct received *r)
{
	struct desk_account *a = desk_find_account(d, received_word(r, RECEIVED_ACCOUNT));

	if (a)
		return a;
	a = add_account(d, r->words[RECEIVED_ACCOUNT] ? r->words[RECEIVED_ACCOUNT] : "");
	a->is_gone = true;
	a->own_name = text_dup(received_word(r, RECEIVED_CHANNEL));
	a->own = channel_outside(a->own_name);
	a->line.kind = channel_find(text_of(a->own_name));
	if (!a->line.kind)
		a->line.kind = &a->own;
	return a;
}

static void follow_account(struct desk *d, const char *name, const struct config_adapter *config)
{
	struct desk_account *a = desk_find_account(d, text_of(name));
	bool is_known = channel_find(text_of(channel_of(config, name))) != NULL;
	const struct channel_kind *kind;
	char *words;
	bool stays;

	if (!is_known && !(config && config->command_count))
		return;
	if (!a)
		a = add_account(d, name);
	kind = follow_kind(a, config, name);
	words = config ? words_of(config) : must_dup("");
	stays = a->line.channel && a->line.kind == kind && a->words && strcmp(a->words, words) == 0;
	keep_words(a, words);
	a->is_gone = false;
	a->line.leaves_unknown = config && config->on_unknown == CONFIG_UNKNOWN_LEAVE;
	if (stays)
		return;
	close_account(a);
	a->line.kind = kind;
	open_account(a);
}

/* ---- all of them ---- */

static bool is_readable(const char *file, struct error *why)
{
	struct buf secret;
	bool good;

	buf_init(&secret, SECRET_MAX);
	good = !file || whole_load_secret(file, &secret, why);
	whole_forget(&secret);
	return good;
}

bool desk_can_follow(const struct config *config, struct error *why)
{
	for (size_t i = 0; i < config->adapter_count; i++) {
		const struct config_adapter *adapter = &config->adapters[i];

		if (!is_readable(adapter->credential_file, why) ||
		    !is_readable(adapter->app_credential_file, why))
			return error_within(why, "adapters: '%s'", adapter->name);
	}
	return true;
}

void desk_open_accounts(struct desk *d)
{
	const struct config *config = d->config;

	list_each(&d->accounts, l)
		list_of(l, struct desk_account, in_desk)->is_gone = true;
	for (size_t i = 0; i < config->adapter_count; i++)
		follow_account(d, config->adapters[i].name, &config->adapters[i]);
	list_each(&d->accounts, l) {
		struct desk_account *a = list_of(l, struct desk_account, in_desk);

		if (a->is_gone)
			close_account(a);
	}
	outbox_stir(d->outbox); /* letters of those that are gone end */
	if (!desk_find_account(d, TEXT("terminal")) ||
	    desk_find_account(d, TEXT("terminal"))->is_gone)
		follow_account(d, "terminal", NULL);
}

void desk_close_accounts(struct desk *d)
{
	while (!list_is_empty(&d->accounts)) {
		struct desk_account *a = list_of(d->accounts.next, struct desk_account, in_desk);

		close_account(a);
		list_remove(&a->in_desk);
		keep_words(a, NULL);
		free((char *)a->line.account);
		free(a->own_name);
		free(a);
	}
}

void desk_tick_accounts(struct desk *d)
{
	list_each(&d->accounts, l) {
		struct desk_account *a = list_of(l, struct desk_account, in_desk);

		if (!a->line.channel && !a->is_gone && d->now_ms >= a->retry_ms)
			open_account(a);
		if (a->line.channel && a->line.kind->tick && d->now_ms >= a->due_ms)
			a->due_ms = a->line.kind->tick(a->line.channel, d->now_ms);
		a->check_ms = desk_go_on_checking(a);
	}
	desk_note_states(d);
}

int64_t desk_accounts_due(const struct desk *d)
{
	int64_t due = INT64_MAX;

	list_each(&d->accounts, l) {
		const struct desk_account *a = list_of(l, struct desk_account, in_desk);
		int64_t own = INT64_MAX;

		if (a->line.channel && a->line.kind->tick)
			own = a->due_ms;
		else if (!a->line.channel && !a->is_gone)
			own = a->retry_ms;
		own = a->check_ms && a->check_ms < own ? a->check_ms : own;
		if (own < due)
			due = own;
	}
	return due;
}
