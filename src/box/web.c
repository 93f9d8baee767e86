/* web.c - the doors of web: what requests want of rooms that web may not know. */
#include "web/web.h"

#include "base/clock.h"
#include "base/put.h"
#include "box/bare.h"
#include "box/deliver.h"
#include "box/pairing.h"
#include "box/parts.h"
#include "box/push.h"
#include "box/usage.h"
#include "box/voice.h"
#include "config/config.h"
#include "crew/crew.h"
#include "hub/hub.h"
#include "hub/stats.h"
#include "journal/journal.h"
#include "net/conn.h"
#include "net/http.h"
#include "net/listen.h"
#include "play/house/playhouse.h"
#include "run/prompts.h"
#include "run/runs.h"
#include "source/claude/hook.h"
#include "source/claude/porch.h"
#include "source/source.h"
#include "source/transcript/transcripts.h"
#include "web/listens.h"

static const char *pinned_at(const struct box *box, const struct http *http)
{
	const struct config_listen *row = listens_row(box->listens, listen_of(http_conn(http)));

	return row ? row->dialect : NULL;
}

static bool web_joins(void *self, struct http *http, const struct caller *caller)
{
	struct box *box = self;

	return hub_join(box->hub, http, caller, pinned_at(box, http));
}

static bool web_is_pin(void *self, const struct http *http, unsigned *open)
{
	struct box *box = self;

	return hub_is_pin(box->hub, http, pinned_at(box, http), open);
}

static bool web_shows_page(void *self, struct http *http)
{
	struct box *box = self;

	return hub_show_page(box->hub, http, pinned_at(box, http));
}

static bool web_gives_away(void *self, struct conn *conn)
{
	return box_take_bare(self, conn);
}

static unsigned long web_counts(void *self)
{
	return hub_clients(((struct box *)self)->hub);
}

static void web_wants_status(void *self, struct buf *out)
{
	struct box *box = self;

	put_object(out, "runs");
	put_u64(out, "known", runs_count(box->runs));
	put_u64(out, "seq", runs_seq(box->runs));
	put_end(out);
	crew_status(box->crew, (double)clock_wall_ms(), out);
	put_object(out, "prompts");
	put_u64(out, "open", prompts_open_count(box->prompts));
	put_end(out);
	put_key(out, "hooks");
	porch_json(box->hook, box->config->data, out);
	put_key(out, "hub");
	hub_status(box->hub, out);
	playhouse_status(box->playhouse, out);
}

static void web_wants_metrics(void *self, struct buf *out)
{
	struct box *box = self;

	hub_metrics(box->hub, out);
	listens_metrics(box->listens, out);
	sources_metrics(box->sources, out);
	hook_metrics(box->hook, out);
	transcripts_metrics(box->transcripts, out);
	playhouse_metrics(box->playhouse, out);
}

static const char *web_wants_trouble(void *self)
{
	struct box *box = self;

	const char *trouble = journal_trouble(box->journal);

	if (box->stopping)
		return "stopping";
	return trouble ? trouble : box_usage_trouble(box);
}

enum caller_answer box_find_caller(void *self, struct conn *conn, struct text secret,
                                   struct caller *out, unsigned *wait_s)
{
	return web_find_caller(((struct box *)self)->web, conn, secret, out, wait_s);
}

bool box_make_web(struct box *box, struct error *why)
{
	struct web_options o = {
		.loop = box->loop,
		.bus = box->bus,
		.journal = box->journal,
		.accounts = box->accounts,
		.config = box->config,
		.back = box_back(box),
		.runs = box->runs,
		.crew = box->crew,
		.prompts = box->prompts,
		.spending = box_spending(box),
		.toil = box->toil,
		.limits = box->limits,
		.prices = box_prices(box),
		.sources = box->sources,
		.discovery = box_discovery(box),
		.tap = box_tap(box),
		.show =
			{
				.self = box->playhouse,
				.document = playhouse_document,
				.tag = playhouse_tag,
				.use = playhouse_use,
				.forget = playhouse_forget_use,
				.run = playhouse_run,
			},
		.stage =
			{
				.self = box->playhouse,
				.reach = playhouse_reach,
				.seq = playhouse_seq,
				.watch = playhouse_watch,
				.look = playhouse_show,
			},
		.push = box_web_push(box),
		.pairing = box_web_pairing(box),
		.transcripts = box_web_transcripts(box),
		.chat = box_web_chat(box),
		.voice = box_web_voice(box),
		.doors =
			{
				.self = box,
				.join = web_joins,
				.pin = web_is_pin,
				.page = web_shows_page,
				.take = web_gives_away,
				.clients = web_counts,
				.status = web_wants_status,
				.metrics = web_wants_metrics,
				.trouble = web_wants_trouble,
			},
	};

	box->web = web_create(&o, why);
	return box->web != NULL;
}
