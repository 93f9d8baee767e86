/* channel_adapter.c - a chat that a program outside of the box connects.
 *
 * `info` is asked first; what it says decides what the channel can do.  Then `monitor`
 * (adapter_in.c) and `stream` (adapter_calls.c) run for as long as the account is open.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/must.h"
#include "config/chat.h"
#include "deliver/adapter/adapter_inside.h"
#include "deliver/channels.h"

#define INFO_MS 15000
#define HEALTH_MS 15000
#define AGAIN_MS 250 /* before a message is offered again that could not be taken */
#define IDLE_MS 300000
#define DRAFT_MS 1000
#define DRAFT_CHARS 30
#define TEXT_CHARS 4000 /* of a message, where nobody says */

int64_t adapter_now(const struct adapter *a)
{
	return (int64_t)loop_now_ms(a->options.loop);
}

/* ---- kinds ---- */

/* What is usual there; a name that is not known is the last. */
static const struct adapter_usual {
	const char *name;
	enum channel_mode mode;
	bool shows_typing;
	unsigned chars;
} usual[] = {
	{"imessage", CHANNEL_ACCUMULATES, false, TEXT_CHARS},
	{"signal", CHANNEL_ACCUMULATES, true, TEXT_CHARS},
	{"whatsapp", CHANNEL_ACCUMULATES, true, TEXT_CHARS},
	{"xmpp", CHANNEL_DRAFTS, true, TEXT_CHARS},
	{"", CHANNEL_BLOCKS, true, TEXT_CHARS},
};

static enum channel_mode mode_of(const struct adapter_info *info)
{
	if (info && info->can[ADAPTER_EDIT])
		return CHANNEL_DRAFTS;
	return info && info->can[ADAPTER_STREAM] ? CHANNEL_STREAMS : CHANNEL_BLOCKS;
}

struct channel_traits adapter_traits(const char *name, const struct adapter_info *info)
{
	const struct adapter_usual *u = usual;

	while (u->name[0] && strcmp(u->name, name) != 0)
		u++;
	return (struct channel_traits){
		.limit = {CHUNK_POINTS, info && info->text_max ? info->text_max : u->chars, 0},
		.mode = u->mode == CHANNEL_BLOCKS ? mode_of(info) : u->mode,
		.can_type = u->shows_typing && info && info->can[ADAPTER_TYPING],
		.can_edit = info && info->can[ADAPTER_EDIT],
		.can_media = info && info->shows_media && info->can[ADAPTER_SEND],
		.can_stream = info && info->can[ADAPTER_STREAM] && !info->can[ADAPTER_EDIT],
		/* Until it is known, it is not known that it cannot. */
		.can_recognise = !info || info->can[ADAPTER_RECONCILE],
		.nobody = "!",
		.gathers = true,
		.draft_ms = DRAFT_MS,
		.draft_chars = DRAFT_CHARS,
	};
}

/* ---- commands ---- */

bool adapter_argv(const struct adapter *a, enum adapter_ability ability, const char *const *words,
                  struct adapter_argv *out)
{
	const char *const account[] = {adapter_command(&a->info, ability), "--account", a->account};
	size_t n = 0;

	for (char **word = a->command; *word && n < ADAPTER_ARGS_MAX - 4; word++)
		out->words[n++] = *word;
	for (size_t i = 0; i < 3; i++)
		out->words[n++] = account[i];
	for (; *words && n < ADAPTER_ARGS_MAX - 1; words++)
		out->words[n++] = *words;
	out->words[n] = NULL;
	return !*words;
}

struct adapter_child_options adapter_child_of(struct adapter *a, const struct adapter_argv *argv)
{
	return (struct adapter_child_options){.loop = a->options.loop,
	                                      .processes = a->options.processes,
	                                      .account = a->account,
	                                      .argv = argv->words,
	                                      .env = (const char *const *)a->env,
	                                      .directory = a->directory,
	                                      .self = a};
}

/* ---- health ---- */

static unsigned health_rest_ms(const struct adapter *a)
{
	if (!a->was_told)
		return 15000;
	if (!a->is_connected)
		return 10000;
	return adapter_now(a) - a->heard_ms > IDLE_MS ? 30000 : 60000;
}

static void health_over(void *self, struct text answer, const char *why)
{
	struct adapter *a = self;
	bool was_told = a->was_told, was = a->is_connected || !was_told;
	struct error words;

	a->was_told = adapter_read_health(&a->reader, answer, &a->is_connected, &words);
	if (a->was_told && !a->is_connected)
		a->why = words;
	if (a->was_told && !a->is_connected && was)
		log_warn("deliver", "the adapter %s is not connected: %s", a->account, words.words);
	else if (a->was_told && a->is_connected && !was)
		log_info("deliver", "the adapter %s is connected", a->account);
	if (a->is_connected && (!was || !was_told))
		adapter_fill(a); /* what came while it connected */
	deadline_set(a->options.loop, &a->check, health_rest_ms(a));
}

static void ask_health(struct deadline *deadline)
{
	static const char *const none[] = {NULL};
	struct adapter *a = list_of(deadline, struct adapter, check);
	struct adapter_child_options o;
	struct adapter_argv argv;

	adapter_child_destroy(a->health);
	a->health = NULL;
	if (!adapter_argv(a, ADAPTER_HEALTH, none, &argv))
		return;
	o = adapter_child_of(a, &argv);
	o.ms = HEALTH_MS;
	o.over = health_over;
	a->health = adapter_child_create(&o);
}

/* ---- info ---- */

static void take_info(struct adapter *a)
{
	struct channel_traits traits = adapter_traits(a->channel, &a->info);

	a->is_known = true;
	a->info_fails = 0;
	error_set(&a->why, "the adapter can send nothing");
	log_info("deliver", "the adapter %s is %s", a->account,
	         a->info.name[0] ? a->info.name : a->command[0]);
	a->options.learned(a->options.self, &traits);
	if (a->info.can[ADAPTER_STREAM])
		adapter_open_stream(a);
	if (a->info.can[ADAPTER_MONITOR])
		adapter_open_monitor(a);
	if (a->info.can[ADAPTER_HEALTH])
		deadline_set(a->options.loop, &a->check, 10000);
	adapter_watch_accounts(a);
}

static void info_over(void *self, struct text answer, const char *why)
{
	struct adapter *a = self;
	struct error fault;

	if (!why && !text_trim(answer).len)
		why = "it says nothing";
	if (!why && adapter_read_info(&a->reader, answer, &a->info, &fault)) {
		take_info(a);
		a->options.wake(a->options.self);
		return;
	}
	if (!a->is_asked_anew) {
		error_set(&a->why, "info: %s", why ? why : fault.words);
		a->is_asked_anew = true;
		deadline_set(a->options.loop, &a->again, 1);
		return;
	}
	a->is_asked_anew = false;
	if (a->info_fails == 0)
		log_warn("deliver", "the adapter %s is not there: %s", a->account, a->why.words);
	deadline_set(a->options.loop, &a->again, adapter_rest_ms(a->info_fails));
	if (a->info_fails < ADAPTER_RESTARTS_MAX)
		a->info_fails++;
}

/* Whoever says what it can do needs no credential for it.  The renamed contract calls it
 * adapter.info. */
static void ask_info(struct deadline *deadline)
{
	struct adapter *a = list_of(deadline, struct adapter, again);
	struct adapter_argv argv = {{0}};
	struct adapter_child_options o;
	size_t n = 0;

	adapter_child_destroy(a->asked);
	for (char **word = a->command; *word && n < ADAPTER_ARGS_MAX - 2; word++)
		argv.words[n++] = *word;
	argv.words[n] = a->is_asked_anew ? "adapter.info" : "info";
	o = adapter_child_of(a, &argv);
	o.env = NULL;
	o.ms = INFO_MS;
	o.over = info_over;
	a->asked = adapter_child_create(&o);
}

/* ---- open and close ---- */

static char **copy_command(const struct config_adapter *config)
{
	char **all = must_zero(config->command_count + 1, sizeof(*all));

	for (size_t i = 0; i < config->command_count; i++)
		all[i] = must_dup(config->command[i]);
	return all;
}

static char *join_rooms(const struct config_adapter *config)
{
	struct buf all;
	char *made;

	buf_init(&all, 64 * KIB);
	for (size_t i = 0; i < config->room_count; i++) {
		if (i)
			buf_add_char(&all, ' ');
		buf_add(&all, text_of(config->rooms[i]));
	}
	made = text_dup(buf_text(&all));
	buf_finish(&all);
	return made;
}

/* What the configuration says beside the command; a credential stands nowhere else. */
static char **make_env(const struct adapter *a, const struct config_adapter *config,
                       struct text credential)
{
	char **all = must_zero(8, sizeof(*all));
	char *rooms = join_rooms(config);
	size_t n = 0;

	all[n++] = must_print("SIGNALBOX_CHANNEL=%s", a->channel);
	all[n++] = must_print("SIGNALBOX_ACCOUNT=%s", a->account);
	all[n++] = must_print("SIGNALBOX_MEDIA=%s", a->media);
	if (config->url)
		all[n++] = must_print("SIGNALBOX_URL=%s", config->url);
	if (config->nick)
		all[n++] = must_print("SIGNALBOX_NICK=%s", config->nick);
	if (rooms[0])
		all[n++] = must_print("SIGNALBOX_ROOMS=%s", rooms);
	if (credential.len)
		all[n++] = must_print("SIGNALBOX_CREDENTIAL=%.*s", TEXT_ARG(credential));
	free(rooms);
	return all;
}

static void free_words(char **words)
{
	for (char **word = words; *word; word++) {
		explicit_bzero(*word, strlen(*word));
		free(*word);
	}
	free(words);
}

static void adapter_close(void *self)
{
	struct adapter *a = self;

	deadline_clear(&a->again);
	deadline_clear(&a->check);
	adapter_calls_finish(a);
	adapter_child_destroy(a->asked);
	adapter_child_destroy(a->stream);
	adapter_child_destroy(a->health);
	adapter_check_finish(a);
	deadline_clear(&a->accounts_due);
	adapter_child_destroy(a->asks_accounts);
	free(a->accounts);
	adapter_in_finish(a);
	adapter_files_finish(a);
	json_reader_finish(&a->reader);
	free_words(a->command);
	free_words(a->env);
	free(a->channel);
	free(a->account);
	free(a->directory);
	free(a);
}

static void *adapter_open(const struct channel_options *options, struct error *why)
{
	const struct config_adapter *config = options->config;
	struct adapter *a;

	if (!options->processes || !options->loop) {
		error_set(why, "programs cannot be run here");
		return NULL;
	}
	if (memchr(options->credential.at ? options->credential.at : "", '\0',
	           options->credential.len)) {
		error_set(why, "the credential has a NUL in it");
		return NULL;
	}
	a = must_zero(1, sizeof(*a));
	a->options = *options;
	a->account = must_dup(config->name);
	a->channel = must_dup(config->channel ? config->channel : config->name);
	a->directory = must_dup(options->data);
	a->command = copy_command(config);
	adapter_files_init(a);
	a->env = make_env(a, config, options->credential);
	adapter_in_init(a, options->place);
	a->options.config = NULL;
	a->options.credential = a->options.place = TEXT("");
	json_reader_init(&a->reader, 2 * ADAPTER_LINE_MAX);
	adapter_calls_init(a);
	a->again.fire = ask_info;
	a->check.fire = ask_health;
	error_set(&a->why, "the adapter has not begun yet");
	deadline_set(options->loop, &a->again, 1);
	return a;
}

static enum channel_state adapter_state(void *self, struct error *why)
{
	const struct adapter *a = self;
	bool runs = (!a->info.can[ADAPTER_STREAM] || adapter_child_runs(a->stream)) &&
	            (!a->info.can[ADAPTER_MONITOR] || adapter_child_runs(a->monitor));

	why->words[0] = '\0';
	if (a->is_known && runs && (!a->was_told || a->is_connected))
		return CHANNEL_CONNECTED;
	error_set(why, "%s", a->why.words);
	return a->is_known || a->info_fails ? CHANNEL_GONE : CHANNEL_CONNECTING;
}

static int64_t adapter_tick(void *self, int64_t now_ms)
{
	struct adapter *a = self;
	int64_t due = adapter_calls_tick(a, now_ms), sweep = adapter_files_tick(a, now_ms);

	due = sweep < due ? sweep : due;
	if (!adapter_hand_on(a) && now_ms + AGAIN_MS < due)
		due = now_ms + AGAIN_MS;
	return due;
}

struct channel_kind channel_outside(const char *name)
{
	return (struct channel_kind){
		.name = name,
		.traits = adapter_traits(name, NULL),
		.open = adapter_open,
		.close = adapter_close,
		.send = adapter_send,
		.look = adapter_look,
		.type = adapter_type,
		.edit = adapter_edit,
		.remove = adapter_remove,
		.stream = adapter_stream,
		.ready = adapter_ready,
		.state = adapter_state,
		.accounts = adapter_accounts,
		.check = adapter_check,
		.fetch = adapter_fetch,
		.tick = adapter_tick,
	};
}
