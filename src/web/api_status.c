/* api_status.c - how it is going: for a watchdog, for people, for the page. */
#include "base/clock.h"
#include "base/put.h"
#include "bus/bus.h"
#include "journal/journal.h"
#include "net/account.h"
#include "net/listen.h"
#include "web/inside.h"

#define STATUS_MAX (16 * MIB) /* the largest show has many wires */

void api_health(struct call *call)
{
	http_answer(call->http, 200, "application/json", TEXT("{\"ok\":true}\n"), NULL);
}

void api_version(struct call *call)
{
	http_answer(call->http, 200, "application/json",
	            TEXT("{\"ok\":true,\"name\":\"signalbox\",\"version\":\"" SIGNALBOX_VERSION
	                 "\"}\n"),
	            NULL);
}

/* Made from schema/openapi.yaml when the program is built. */
extern const char web_openapi_json[];
extern const size_t web_openapi_json_len;

void api_openapi(struct call *call)
{
	http_answer(call->http, 200, "application/json",
	            (struct text){web_openapi_json, web_openapi_json_len}, NULL);
}

static const char *trouble_of(const struct web *web)
{
	const struct web_doors *doors = &web->options.doors;
	const char *words = journal_trouble(web->options.journal);

	return words ? words : doors->trouble(doors->self);
}

/* It does its work; what it cannot reach is named. */
static void answer_ready(struct call *call)
{
	const struct web_chat *chat = &call->web->options.chat;
	struct buf out, degraded;

	buf_init(&out, STATUS_MAX);
	buf_init(&degraded, STATUS_MAX);
	chat->degraded(chat->self, &degraded);
	put_object(&out, NULL);
	put_bool(&out, "ok", true);
	if (degraded.len) {
		put_list(&out, "degraded");
		buf_add(&out, buf_text(&degraded));
		put_list_end(&out);
	}
	buf_finish(&degraded);
	web_answer_object(call, &out);
}

void api_ready(struct call *call)
{
	const char *trouble = trouble_of(call->web);

	if (trouble)
		web_refuse(call->http, 503, trouble, NULL);
	else
		answer_ready(call);
}

static void add_bus(struct buf *out, const struct bus_stats *s)
{
	put_object(out, "bus");
	put_u64(out, "accepted", s->accepted);
	put_u64(out, "repeated", s->repeated);
	put_u64(out, "idReused", s->id_reused);
	put_u64(out, "breaksSchema", s->breaks_schema);
	put_u64(out, "liveOnly", s->live_only);
	put_u64(out, "full", s->full);
	put_object(out, "refused");
	for (int i = ADMIT_OK + 1; i < ADMIT_REASONS; i++)
		put_u64(out, admit_reason_name((enum admit_reason)i), s->refused[i]);
	put_end(out);
	put_end(out);
}

static void add_limits(struct buf *out, const struct account_stats *s)
{
	put_object(out, "limits");
	put_u64(out, "tooFast", s->too_fast);
	put_u64(out, "held", s->held);
	put_u64(out, "connections", s->connections);
	put_u64(out, "subscriptions", s->subscriptions);
	put_end(out);
}

static void add_journal(struct buf *out, const struct journal *journal)
{
	struct journal_stats s = journal_stats(journal);
	const char *trouble = journal_trouble(journal);

	put_object(out, "journal");
	put_u64(out, "firstSeq", journal_first_seq(journal));
	put_u64(out, "bytes", s.bytes);
	put_u64(out, "segments", s.segments);
	put_u64(out, "commits", s.commits);
	put_u64(out, "commitNs", s.commits ? s.commit_ns_total / s.commits : 0);
	put_u64(out, "syncFailures", s.sync_failures);
	put_u64(out, "waiting", s.waiting);
	put_key(out, "trouble");
	if (trouble)
		buf_add_json(out, text_of(trouble));
	else
		buf_add(out, TEXT("null"));
	buf_add_char(out, '}');
}

static void add_listeners(struct buf *out, const struct web *web)
{
	put_list(out, "listeners");
	for (size_t i = 0; i < web->listen_count; i++)
		put_word(out, NULL, listen_address(web->listens[i]));
	buf_add_char(out, ']');
}

void api_status(struct call *call)
{
	const struct web *web = call->web;
	const struct web_doors *doors = &web->options.doors;
	const struct journal *journal = web->options.journal;
	struct buf out;

	buf_init(&out, STATUS_MAX);
	put_object(&out, NULL);
	put_bool(&out, "ok", true);
	put_word(&out, "name", "signalbox");
	put_word(&out, "version", SIGNALBOX_VERSION);
	put_word(&out, "epoch", journal_epoch(journal));
	put_u64(&out, "seq", journal_last_seq(journal));
	put_u64(&out, "durableSeq", journal_durable_seq(journal));
	put_u64(&out, "uptimeMs", (clock_mono_ns() - web->started_ns) / 1000000);
	put_u64(&out, "clients", doors->clients(doors->self));
	put_u64(&out, "refusedCredentials", web->throttle.failures);
	add_listeners(&out, web);
	add_bus(&out, bus_stats(web->options.bus));
	add_limits(&out, &web->options.accounts->counts);
	add_journal(&out, journal);
	doors->status(doors->self, &out);
	buf_add(&out, TEXT("}\n"));
	web_answer(call->http, &out);
	buf_finish(&out);
}
