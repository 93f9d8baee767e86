/* box.c - the running program: makes every room, joins them, takes them down in
 * reverse.  Read it as the wiring diagram: whatever two rooms that do not know
 * each other have to say to one another passes through a function here, or in box/.
 */
#include "box.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/must.h"
#include "base/whole.h"
#include "box/attend.h"
#include "box/deliver.h"
#include "box/parts.h"
#include "box/push.h"
#include "box/usage.h"
#include "bus/bus.h"
#include "bus/deeds.h"
#include "bus/folds.h"
#include "config/config.h"
#include "crew/crew.h"
#include "escapement/escapement.h"
#include "hub/dialect.h"
#include "hub/hub.h"
#include "journal/journal.h"
#include "native/native.h"
#include "net/account.h"
#include "net/interrupt.h"
#include "net/listen.h"
#include "net/loop.h"
#include "net/request.h"
#include "net/supervisor.h"
#include "notify/push.h"
#include "play/house/playhouse.h"
#include "run/prompts.h"
#include "run/runs.h"
#include "source/claude/approve.h"
#include "source/claude/hook.h"
#include "source/claude/pauses.h"
#include "source/claude/porch.h"
#include "source/discover/discover.h"
#include "source/midi/midi_line.h"
#include "source/resume.h"
#include "source/source.h"
#include "source/transcript/transcripts.h"
#include "web/credentials.h"
#include "web/devices.h"
#include "web/listens.h"
#include "web/web.h"

#define BOX_DRAIN_MS 2000
#define BOX_MIDI_MS 2000        /* for JACK, which may be stuck */
#define BOX_WAIT_MAX (64 * MIB) /* for a disk that fails */

/* --- journal <-> bus, hub -------------------------------------------------- */

static void journal_wakes(void *self)
{
	struct box *box = self;

	if (box->journal_news)
		wake_up(box->journal_news);
}

static void journal_has_news(void *self)
{
	journal_poll(((struct box *)self)->journal);
}

static void journal_is_durable(void *self, uint64_t seq)
{
	bus_durable(((struct box *)self)->bus, seq);
}

static void journal_has_trouble(void *self, const char *why)
{
	if (why)
		log_error("journal", "%s", why);
	else
		log_info("journal", "the disk works again");
}

static bool journal_wants_state(void *self, struct saved_state *out)
{
	return folds_save(bus_folds(((struct box *)self)->bus), out);
}

/* What came in a turn is committed together, and before it is sent to anybody, so
 * that the disk works while we do. */
static bool commit_turn(struct turn *turn)
{
	journal_commit(list_of(turn, struct box, commits)->journal);
	return false;
}

static void journal_is_warm(void *self)
{
	struct box *box = self;

	if (box->hub)
		hub_warmed(box->hub);
}

struct journal_options box_journal_options(struct box *box)
{
	const struct config_journal *c = &box->config->journal;

	return (struct journal_options){
		.dir = box->config->data,
		.segment_bytes = c->segment,
		.keep_bytes = c->keep,
		.keep_days = c->days,
		.wait_max = BOX_WAIT_MAX,
		.commit_ms = c->commit_ms,
		.sync_ms = c->sync_ms,
		.wake = journal_wakes,
		.durable = journal_is_durable,
		.trouble = journal_has_trouble,
		.checkpoint = journal_wants_state,
		.warmed = journal_is_warm,
		.is_held = true,
		.held = box_await_usage,
		.self = box,
	};
}

static bool open_journal(struct box *box, struct error *why)
{
	struct journal_options o = box_journal_options(box);

	box->journal_news = wake_create(box->loop, journal_has_news, box);
	box->journal = journal_open(&o, why);
	if (!box->journal)
		return false;
	box->commits.end = commit_turn;
	loop_add_turn(box->loop, &box->commits);
	return true;
}

/* --- bus and hub -------------------------------------------------------------- */

enum admit_mode box_admit_mode(const struct config *config)
{
	static const enum admit_mode modes[] = {
		[CONFIG_VALIDATE_OFF] = ADMIT_OFF,
		[CONFIG_VALIDATE_WARN] = ADMIT_WARN,
		[CONFIG_VALIDATE_STRICT] = ADMIT_STRICT,
	};

	return modes[config->validation];
}

struct account_limits box_account_limits(const struct config *config)
{
	return (struct account_limits){
		.rate = config->limits.rate,
		.connections = config->limits.caller_connections,
		.subscriptions = config->limits.caller_subscriptions,
	};
}

static void make_bus(struct box *box)
{
	struct account_limits limits = box_account_limits(box->config);
	struct admit_options o = {
		.mode = box_admit_mode(box->config),
		.size_max = box->config->limits.message,
		.depth_max = box->config->limits.depth,
	};

	box->bus = bus_create(box->journal, &o);
	box->accounts = accounts_create(&limits);
}

static void make_hub(struct box *box)
{
	const struct config_limits *l = &box->config->limits;
	struct hub_dialect dialects[BOX_DIALECTS_MAX];
	struct hub_options o = {
		.loop = box->loop,
		.bus = box->bus,
		.journal = box->journal,
		.accounts = box->accounts,
		.ws = {.message_max = l->message, .fragments_max = (uint32_t)l->fragments},
		.behind_max = l->behind,
		.ping_ms = l->ping_ms,
		.message_ms = l->message_ms,
		.pong_ms = l->pong_ms,
		.back = box_back(box),
		.callers = {box, box_find_caller},
		.dialects = dialects,
		.dialect_count = box_make_dialects(box, dialects),
	};

	box->hub = hub_create(&o);
}

/* --- the show -> native ------------------------------------------------------ */

static unsigned long count_followers(void *self)
{
	struct box *box = self;

	return box->native ? native_followers(box->native) : 0;
}

static void tell_command(void *self, uint64_t version, double at_ms, struct text json)
{
	box_tell(self,
	         &(struct news){NEWS_COMMAND, .version = version, .at_ms = at_ms, .json = json});
}

static void tell_stage(void *self)
{
	box_tell(self, &(struct news){NEWS_STAGE});
}

static void tell_deeds(void *self)
{
	struct box *box = self;

	deeds_go_on(box->deeds);
}

static void make_playhouse(struct box *box)
{
	struct playhouse_options o = {
		.loop = box->loop,
		.journal = box->journal,
		.bus = box->bus,
		.data = box->config->data,
		.self = box,
		.followers = count_followers,
		.command = tell_command,
		.changed = tell_stage,
		.reached = tell_deeds,
	};

	box->playhouse = playhouse_create(&o);
}

static void hear_people(struct box *box)
{
	box->deeds = deeds_create(&(struct deeds_options){
		.bus = box->bus,
		.backs = box->backs,
		.self = box->playhouse,
		.concerned = playhouse_concerned,
	});
}

/* --- stopping ---------------------------------------------------------------- */

/* First what was accepted goes to the disk and is acknowledged, then everybody is
 * told, then the last of them leaves. */
static bool stop_step(struct turn *turn)
{
	struct box *box = list_of(turn, struct box, turn);

	if (!box->told) {
		if (journal_durable_seq(box->journal) < journal_last_seq(box->journal) &&
		    !journal_fails(box->journal))
			return false;
		box->told = true;
		hub_drain(box->hub);
		web_drain(box->web);
	}
	if (hub_is_empty(box->hub) && web_is_idle(box->web))
		loop_stop(box->loop);
	return false;
}

static void end_patience(struct deadline *deadline)
{
	struct box *box = list_of(deadline, struct box, last_call);

	loop_stop(box->loop);
}

static void interrupted(void *self, enum interrupt which)
{
	struct box *box = self;

	if (which == INTERRUPT_RELOAD) {
		if (!box->stopping)
			box_reload(box);
		return;
	}
	if (box->stopping) { /* asked twice: at once */
		loop_stop(box->loop);
		return;
	}
	log_info("box", "stopping");
	supervisor_tell("STOPPING=1");
	box->stopping = true;
	listens_stop(box->listens);
	approve_stop(box->approve);
	porch_flush(box->porch);
	box_hush_desk(box);
	sources_stop(box->sources);
	deeds_stop(box->deeds);
	hub_hush(box->hub);
	box->turn.end = stop_step;
	loop_add_turn(box->loop, &box->turn);
	box->last_call.fire = end_patience;
	deadline_set(box->loop, &box->last_call, BOX_DRAIN_MS);
}

static void take_down(struct box *box)
{
	watchdog_destroy(box->watchdog);
	box_stop_desk(box);
	box_stop_back(box);
	box_stop_crew(box);
	box_stop_attend(box);
	box_close_usage(box);
	box_close_folds(box);
	if (box->stopping) {
		loop_remove_turn(&box->turn);
		deadline_clear(&box->last_call);
	}
	discover_destroy(box->discover);
	transcripts_destroy(box->transcripts);
	box->transcripts = NULL;
	porch_close(box->porch);
	approve_destroy(box->approve);
	pauses_destroy(box->pauses);
	hook_destroy(box->hook);
	box->approve = box->hooks_end.approve = NULL;
	box->hook = NULL; /* web has yet to hear of those who leave */
	sources_destroy(box->sources);
	box_stop_push(box);
	requests_destroy(box->requests);
	hub_destroy(box->hub);
	box->hub = NULL; /* the journal still has callbacks to make */
	box_free_dialects(box);
	web_destroy(box->web);
	accounts_destroy(box->accounts);
	listens_destroy(box->listens);
	if (box->journal)
		loop_remove_turn(&box->commits);
	journal_close(box->journal);
	prompts_destroy(box->prompts);
	box_free_folds(box);
	crew_destroy(box->crew);
	box_free_usage(box);
	runs_destroy(box->runs);
	playhouse_destroy(box->playhouse);
	box->playhouse = NULL;
	deeds_destroy(box->deeds);
	backs_destroy(box->backs);
	bus_destroy(box->bus);
	wake_destroy(box->journal_news);
	interrupts_destroy(box->interrupts); /* until here they would end it in the middle */
	loop_destroy(box->loop);
	midi_line_farewell(BOX_MIDI_MS);
}

/* --- starting ---------------------------------------------------------------- */

/* DATA holds tokens and what agents said: it is ours alone. */
static bool make_data(const struct config *config, struct error *why)
{
	whole_make_dirs(config->data);
	return whole_dir_is_private(config->data, why);
}

/* Could the first start make it?  The nearest that is there above it is to be written. */
static bool can_be_made(const char *path, struct error *why)
{
	char *above = must_dup(path);
	bool good = false;

	for (char *slash; (slash = strrchr(above, '/'));) {
		slash[slash == above] = '\0';
		good = access(above, W_OK | X_OK) == 0;
		if (good || errno != ENOENT || slash == above)
			break;
	}
	if (!good)
		error_errno(why, "%s cannot be made: %s", path, above);
	free(above);
	return good;
}

static bool is_data_good(const char *data, struct error *why)
{
	return whole_dir_is_private(data, why) || (errno == ENOENT && can_be_made(data, why));
}

/* On a terminal the line has a single-use code in it; in a log it must not. */
static void announce(struct box *box)
{
	const struct listen *first = listens_first(box->listens);
	char *url = isatty(STDOUT_FILENO) ? web_open_url(box->web) : NULL;

	if (box->options->demo)
		printf("the demo keeps its data in %s (commands reach it with --data)\n",
		       box->config->data);
	if (url)
		printf("signalbox is at %s\n", url);
	else
		printf("signalbox is at http%s://%s (signalbox open gives the URL to open)\n",
		       listen_is_secure(first) ? "s" : "", listen_address(first));
	fflush(stdout);
	free(url);
}

static bool open_listens(struct box *box, struct error *why)
{
	box->listens = listens_open(box->web, box->loop, box->config, &box->handed, why);
	return box->listens != NULL;
}

static bool start(struct box *box, struct error *why)
{
	if (!make_data(box->config, why) || !open_journal(box, why))
		return false;
	make_bus(box);
	box_make_runs(box);
	box_make_back(box);
	box_make_folds(box);
	if (!box_make_usage(box, why) || !box_make_prompts(box, why))
		return false;
	box_make_crew(box);
	box_open_folds(box);
	box_open_usage(box);
	box_make_attend(box);
	make_hub(box);
	make_playhouse(box);
	hear_people(box);
	playhouse_open(box->playhouse);
	if (!box_make_sources(box, why))
		return false;
	box_join_backs(box);
	if (!box_make_desk(box, why))
		return false;
	box_make_hook(box);
	if (!box_make_push(box, why))
		return false;
	if (!box_make_web(box, why) || !open_listens(box, why) || !box_start_sources(box, why))
		return false;
	box->porch = porch_open(&(struct porch_options){
		.loop = box->loop,
		.journal = box->journal,
		.data = box->config->data,
		.hook = box->hook,
		.pauses = box->pauses,
		.approve = box->approve,
		.self = box,
		.told = box_note_hook,
	});
	box_make_transcripts(box);
	resume_end_asks(box->resume, box->sources, box->bus);
	box_begin_desk(box);
	box_make_discover(box);
	box->watchdog = watchdog_create(box->loop);
	announce(box);
	supervisor_tell("READY=1");
	return true;
}

bool box_check(const struct config *config, struct error *why)
{
	return is_data_good(config->data, why) && listens_check(config, why) &&
	       credentials_are_good(config, why) && prompts_check_key(config->data, why) &&
	       devices_check(config->data, why) &&
	       (config->phone.push == CONFIG_PUSH_OFF || push_check_key(config->data, why)) &&
	       box_are_sources_good(config, why);
}

int box_run(const struct box_options *options)
{
	struct box box = {.options = options, .config = options->config};
	struct error why;
	bool started;

	supervisor_take(&box.handed); /* before a descriptor of ours could be taken for one */
	umask(077);                   /* what we make is ours alone */
	tzset();                      /* the zone is read before there are threads */
	interrupt_ignore_pipe();
	prctl(PR_SET_DUMPABLE, 0); /* no core file holds a token */
	box_follow_log(&options->config->log);
	box.loop = loop_create();
	box.interrupts = interrupts_create(box.loop, interrupted, &box); /* heard after start() */
	started = start(&box, &why);
	if (started)
		loop_run(box.loop);
	else
		fprintf(stderr, "signalbox: %s\n", why.words);
	take_down(&box);
	box_forget_config(&box);
	return started ? 0 : 1;
}
