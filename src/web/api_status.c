/* api_status.c - how it is going: for a watchdog, for people, for the page. */
#include "base/clock.h"
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

void api_ready(struct call *call)
{
	const char *trouble = trouble_of(call->web);

	if (trouble)
		web_refuse(call->http, 503, trouble, NULL);
	else
		api_health(call);
}

static void add_bus(struct buf *out, const struct bus_stats *s)
{
	buf_print(out,
	          ",\"bus\":{\"accepted\":%llu,\"repeated\":%llu,\"idReused\":%llu,"
	          "\"breaksSchema\":%llu,\"liveOnly\":%llu,\"full\":%llu,\"refused\":{",
	          (unsigned long long)s->accepted, (unsigned long long)s->repeated,
	          (unsigned long long)s->id_reused, (unsigned long long)s->breaks_schema,
	          (unsigned long long)s->live_only, (unsigned long long)s->full);
	for (int i = ADMIT_OK + 1; i < ADMIT_REASONS; i++)
		buf_print(out, "%s\"%s\":%llu", i == ADMIT_OK + 1 ? "" : ",",
		          admit_reason_name((enum admit_reason)i),
		          (unsigned long long)s->refused[i]);
	buf_add(out, TEXT("}}"));
}

static void add_limits(struct buf *out, const struct account_stats *s)
{
	buf_print(out,
	          ",\"limits\":{\"tooFast\":%llu,\"held\":%llu,\"connections\":%llu,"
	          "\"subscriptions\":%llu}",
	          (unsigned long long)s->too_fast, (unsigned long long)s->held,
	          (unsigned long long)s->connections, (unsigned long long)s->subscriptions);
}

static void add_journal(struct buf *out, const struct journal *journal)
{
	struct journal_stats s = journal_stats(journal);
	const char *trouble = journal_trouble(journal);

	buf_print(out,
	          ",\"journal\":{\"firstSeq\":%llu,\"bytes\":%llu,\"segments\":%llu,"
	          "\"commits\":%llu,\"commitNs\":%llu,\"syncFailures\":%llu,\"waiting\":%zu,"
	          "\"trouble\":",
	          (unsigned long long)journal_first_seq(journal), (unsigned long long)s.bytes,
	          (unsigned long long)s.segments, (unsigned long long)s.commits,
	          (unsigned long long)(s.commits ? s.commit_ns_total / s.commits : 0),
	          (unsigned long long)s.sync_failures, s.waiting);
	if (trouble)
		buf_add_json(out, text_of(trouble));
	else
		buf_add(out, TEXT("null"));
	buf_add_char(out, '}');
}

static void add_listeners(struct buf *out, const struct web *web)
{
	buf_add(out, TEXT(",\"listeners\":["));
	for (size_t i = 0; i < web->listen_count; i++) {
		if (i)
			buf_add_char(out, ',');
		buf_add_json(out, text_of(listen_address(web->listens[i])));
	}
	buf_add_char(out, ']');
}

void api_status(struct call *call)
{
	const struct web *web = call->web;
	const struct web_doors *doors = &web->options.doors;
	const struct journal *journal = web->options.journal;
	struct buf out;

	buf_init(&out, STATUS_MAX);
	buf_print(&out,
	          "{\"ok\":true,\"name\":\"signalbox\",\"version\":\"" SIGNALBOX_VERSION "\","
	          "\"epoch\":\"%s\",\"seq\":%llu,\"durableSeq\":%llu,\"uptimeMs\":%llu,"
	          "\"clients\":%lu,\"refusedCredentials\":%llu",
	          journal_epoch(journal), (unsigned long long)journal_last_seq(journal),
	          (unsigned long long)journal_durable_seq(journal),
	          (unsigned long long)((clock_mono_ns() - web->started_ns) / 1000000),
	          doors->clients(doors->self), (unsigned long long)web->throttle.failures);
	add_listeners(&out, web);
	add_bus(&out, bus_stats(web->options.bus));
	add_limits(&out, &web->options.accounts->counts);
	add_journal(&out, journal);
	doors->status(doors->self, &out);
	buf_add(&out, TEXT("}\n"));
	web_answer(call->http, &out);
	buf_finish(&out);
}
