/* reload.c - SIGHUP: the configuration is read again, and the box follows it.
 *
 * First all that can fail, and only then all that cannot, so that a configuration that is
 * bad in any of its parts changes nothing.  Nobody is dropped: who is connected stays, and
 * listeners, certificates, credentials, limits and sources are the new ones from then on.
 * What was built into memory at the start cannot follow; the log names it.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/must.h"
#include "box/attend.h"
#include "box/deliver.h"
#include "box/parts.h"
#include "bus/bus.h"
#include "config/config.h"
#include "deliver/desk.h"
#include "hub/hub.h"
#include "journal/journal.h"
#include "net/account.h"
#include "web/credentials.h"
#include "web/listens.h"
#include "web/web.h"

/* What another configuration needs, ready to be used. */
struct prepared {
	struct config *config;
	struct credentials *credentials;
	struct listen_plan *listens;
};

static void drop(struct prepared *p)
{
	if (p->config)
		config_finish(p->config);
	free(p->config);
	credentials_destroy(p->credentials);
	listens_drop(p->listens);
}

static bool prepare(struct box *box, struct prepared *p, struct error *why)
{
	const struct box_options *o = box->options;
	struct config *fresh = must_zero(1, sizeof(*fresh));

	if (!o->reload(o->self, fresh, why)) {
		free(fresh);
		return false;
	}
	p->config = fresh;
	/* Where we are cannot be changed under way, and all paths begin there. */
	if (strcmp(fresh->data, box->config->data) != 0)
		return error_set(why, "data is %s now: that needs a restart", fresh->data);
	p->credentials = credentials_load(fresh, why);
	if (!p->credentials || !box_check_sources(box, fresh, why) || !desk_can_follow(fresh, why))
		return false;
	p->listens = listens_plan(box->listens, fresh, why);
	return p->listens != NULL;
}

/* What is decided once, when memory is laid out. */
static void name_what_stays(const struct config *old, const struct config *fresh)
{
	const struct config_limits *a = &old->limits, *b = &fresh->limits;
	const struct {
		const char *key;
		bool differs;
	} fixed[] = {
		{"journal.segment", old->journal.segment != fresh->journal.segment},
		{"limits.message", a->message != b->message},
		{"limits.fragments", a->fragments != b->fragments},
		{"limits.behind", a->behind != b->behind},
		{"limits.depth", a->depth != b->depth},
		{"limits.connections", a->connections != b->connections},
		{"limits.silence", a->silence_ms != b->silence_ms},
		{"demo.speed", old->demo.speed != fresh->demo.speed},
		{"discover", old->discover.interval_ms != fresh->discover.interval_ms ||
	                             old->discover.connect != fresh->discover.connect},
		{"transcripts", old->transcripts != fresh->transcripts},
		{"phone.push", old->phone.push != fresh->phone.push ||
	                               strcmp(old->phone.contact, fresh->phone.contact) != 0},
		{"crew.silent", old->crew.silent_ms != fresh->crew.silent_ms},
	};

	for (size_t i = 0; i < sizeof(fixed) / sizeof(*fixed); i++)
		if (fixed[i].differs)
			log_warn("box", "%s is another one, which needs a restart", fixed[i].key);
}

void box_follow_log(const struct config_log *log)
{
	log_set_format(log->format);
	log_set_rooms(log->rooms, log->room_count);
	log_set_level(log->level);
}

static void follow(struct box *box, struct prepared *p)
{
	const struct config *old = box->config;
	struct config *before = box->reloaded;
	struct journal_options journal;
	struct account_limits limits;
	const struct config_limits *times = &p->config->limits;
	struct error why;

	name_what_stays(old, p->config);
	box->config = box->reloaded = p->config;
	box_follow_log(&box->config->log);
	bus_set_mode(box->bus, box_admit_mode(box->config));
	hub_set_times(box->hub, times->ping_ms, times->pong_ms, times->message_ms);
	limits = box_account_limits(box->config);
	accounts_set_limits(box->accounts, &limits);
	journal = box_journal_options(box);
	journal_adjust(box->journal, &journal);
	web_reload(box->web, box->config, p->credentials);
	listens_follow(box->listens, p->listens);
	box_follow_dialects(box);
	box_follow_sources(box, old);
	box_follow_attend(box);
	box_follow_desk(box);
	if (!listens_write(box->listens, &why))
		log_warn("box", "%s", why.words);
	if (before)
		config_finish(before);
	free(before);
}

void box_reload(struct box *box)
{
	uint64_t begun_ns = clock_mono_ns();
	struct prepared p = {0};
	struct error why;

	supervisor_tell_reload();
	if (prepare(box, &p, &why)) {
		follow(box, &p);
		log_info("box", "the configuration was read again, in %.1f ms",
		         (double)(clock_mono_ns() - begun_ns) / 1e6);
	} else {
		drop(&p);
		log_error("box", "the configuration is not good, all stays as it was: %s",
		          why.words);
	}
	supervisor_tell("READY=1");
}

void box_forget_config(struct box *box)
{
	if (box->reloaded)
		config_finish(box->reloaded);
	free(box->reloaded);
}
