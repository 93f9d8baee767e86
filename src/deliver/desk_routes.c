/* desk_routes.c - what runs of the box said last goes to chats that the configuration names.
 *
 * An end of a run is looked at when its run is folded.  A letter is called after the run, its last
 * message and the chat, and that an end was looked at is told after its letters: so a crash loses
 * none, and one that is looked at again has its letters already.
 */
#include "deliver/desk_routes.h"
#include "base/log.h"
#include "base/put.h"
#include "base/utf8.h"
#include "config/config.h"
#include "deliver/desk_inside.h"
#include "deliver/normal.h"
#include "deliver/routes.h"
#include "deliver/tell.h"
#include "run/recall.h"

#define WAIT_MS 50        /* for a run that is not folded yet */
#define STALL_MS 1000     /* before what the disk did not take is told again */
#define PATIENCE_MS 60000 /* then an end is passed over */
#define AT_ONCE 32        /* ends that are looked at in one turn */
#define FAILED_WORDS "It failed: "

/* ---- what a run said ---- */

/* The last message of the run itself since somebody gave it work. */
static const struct said_message *answer_of(const struct said *said, uint64_t seq)
{
	for (const struct link *l = said->messages.prev; l != &said->messages; l = l->prev) {
		const struct said_message *m = list_of(l, struct said_message, in_said);

		if (m->seq > seq || m->part)
			continue;
		if (m->role == SAID_USER)
			return NULL;
		if (text_trim(said_text(&m->text)).len)
			return m;
	}
	return NULL;
}

/* Is it the work of a subagent that is over? */
static bool is_of_part(const struct said *said, struct text task)
{
	list_each(&said->agents, l)
		if (text_is(task, list_of(l, struct said_agent, in_said)->id))
			return true;
	return false;
}

/* ---- the chat that asked ---- */

static bool find_letter(struct link *letters, struct text run, struct routes_seen *seen)
{
	list_each(letters, l) {
		const struct letter *one = list_of(l, struct letter, in_all);

		if (!one->words[LETTER_REQUEST] || !text_equal(letter_word(one, LETTER_RUN), run))
			continue;
		seen->account = letter_word(one, LETTER_ACCOUNT);
		seen->peer = letter_word(one, LETTER_PEER);
		return true;
	}
	return false;
}

/* A run is called as its request is, with a plus for each time that it was asked again. */
static void find_chat(const struct desk *d, struct routes_seen *seen)
{
	struct custody *custody = d->options.custody;
	struct text run = text_of(seen->end->run), id = run;
	const struct received *r;

	if (id.len > CUSTODY_ID_LEN)
		id.len = CUSTODY_ID_LEN;
	r = custody_request(custody, id);
	if (r) {
		seen->account = received_word(r, RECEIVED_ACCOUNT);
		seen->peer = received_word(r, RECEIVED_PEER);
	} else if (!find_letter(custody_letters(custody), run, seen)) {
		find_letter(custody_over(custody), run, seen);
	}
}

/* ---- letters ---- */

static void name_letter(const struct config_route *route, const struct run_end *end, uint64_t seq,
                        char id[CUSTODY_ID_LEN + 1])
{
	struct custody_key key = {.channel = text_of(end->run), .account = text_of(route->to)};
	struct buf where;

	buf_init(&where, 4 * KIB);
	buf_add(&where, text_of(route->thread));
	buf_add_char(&where, '\n');
	buf_add_u64(&where, seq);
	key.message = buf_text(&where);
	custody_id(&key, 0, id);
	buf_finish(&where);
}

static bool is_for_people(const struct desk_account *account, const struct routes_seen *seen,
                          struct buf *out)
{
	const struct config_adapter *adapter = desk_config(account);
	struct normal_options options = {
		.response_prefix = text_of(adapter ? adapter->response_prefix : NULL),
		.names = {.identity_name = seen->agent, .model = seen->model},
		.is_heartbeat = seen->end->is_heartbeat,
		.limit = account->line.kind->traits.limit,
	};
	struct payload payload = {.text = seen->text};
	struct buf words;
	bool good;

	buf_init(&words, 2 * REPLY_TEXT_MAX);
	if (seen->has_failed)
		buf_add(&words, TEXT(FAILED_WORDS));
	buf_add(&words, utf8_cut(seen->text, REPLY_TEXT_MAX));
	payload.text = buf_text(&words);
	good = normal_text(&options, &payload, out) == NORMAL_TAKEN;
	buf_finish(&words);
	return good;
}

/* False: not now. */
static bool send_to(struct desk *d, const struct config_route *route,
                    const struct routes_seen *seen, uint64_t message)
{
	struct text peer, name = text_cut(text_of(route->to), ':', &peer);
	const struct desk_account *account = desk_find_account(d, name);
	struct outbox_wish wish = {.run = text_of(seen->end->run),
	                           .account = name,
	                           .peer = peer,
	                           .thread = text_of(route->thread),
	                           .kind = seen->has_failed ? "notice" : "final"};
	char id[CUSTODY_ID_LEN + 1];
	struct buf text;
	bool good = true;

	if (!account || account->is_gone ||
	    (text_equal(name, seen->account) && text_equal(peer, seen->peer)))
		return true;
	name_letter(route, seen->end, message, id);
	if (custody_letter(d->options.custody, text_of(id)))
		return true;
	buf_init(&text, 4 * REPLY_TEXT_MAX);
	if (is_for_people(account, seen, &text)) {
		wish.id = text_of(id);
		wish.text = buf_text(&text);
		good = outbox_prepare(d->outbox, &wish);
	}
	buf_finish(&text);
	return good;
}

/* ---- ends ---- */

/* False: not now. */
static bool send_all(struct desk *d, const struct routes_seen *seen, uint64_t message)
{
	bool good = true;

	for (size_t i = 0; i < d->config->route_count; i++)
		if (routes_fit(d->routes, i))
			good = send_to(d, &d->config->routes[i], seen, message) && good;
	return good;
}

static bool route_end(struct desk *d, const struct run_end *end)
{
	struct routes_seen seen = {.end = end};
	struct runs *runs = d->options.runs;
	const struct said_message *m;
	const struct said *said;
	struct run *run;

	if (runs_seq(runs) < end->seq)
		runs_reach(runs);
	if (runs_seq(runs) < end->seq)
		return false;
	run = runs_find(runs, text_of(end->run));
	said = run ? run_said(runs, run) : NULL;
	if (!said)
		return !run;
	m = answer_of(said, end->seq);
	if (!m || is_of_part(said, text_of(end->task)))
		return true;
	seen.text = text_trim(said_text(&m->text));
	seen.agent = text_of(m->agent);
	seen.model = text_of(m->model);
	seen.has_failed = m->role == SAID_ERROR;
	find_chat(d, &seen);
	return !routes_see(d->routes, &seen) || send_all(d, &seen, m->seq);
}

/* An end that cannot be sent on for long is passed over. */
static bool look_at_end(struct desk *d, const struct run_end *end)
{
	if (route_end(d, end)) {
		d->routing_since_ms = 0;
		return true;
	}
	if (!d->routing_since_ms)
		d->routing_since_ms = d->now_ms;
	if (d->now_ms - d->routing_since_ms < PATIENCE_MS)
		return false;
	log_warn("deliver", "the end of run %s could not be sent on", end->run);
	d->routing_since_ms = 0;
	return true;
}

static bool tell_routed(struct desk *d, bool wants, uint64_t up_to)
{
	struct buf out;

	deliver_begin(&out, "nex.routed");
	if (up_to)
		put_u64(&out, "upTo", up_to);
	else
		put_bool(&out, "on", wants);
	return deliver_tell(d->options.bus, &out);
}

static void ends_have_one_more(void *self)
{
	desk_wake(self);
}

void desk_watch_ends(struct desk *d)
{
	d->options.ends->self = d;
	d->options.ends->changed = ends_have_one_more;
}

int64_t desk_work_routes(struct desk *d)
{
	const struct run_ends *ends = d->options.ends;
	const struct run_end *end = NULL;
	bool wants = d->config->route_count > 0;
	unsigned count = 0;

	if (!ends || !d->options.runs || !d->has_begun || (!wants && !ends->is_on))
		return INT64_MAX;
	if (ends->is_on != wants)
		return tell_routed(d, wants, 0) ? INT64_MAX : d->now_ms + STALL_MS;
	while (count++ < AT_ONCE && (end = ends_after(ends, d->routed)) && look_at_end(d, end))
		d->routed = end->seq;
	if (d->routed > d->routed_told && tell_routed(d, wants, d->routed))
		d->routed_told = d->routed;
	if (d->routed > d->routed_told)
		return d->now_ms + STALL_MS;
	return ends_after(ends, d->routed) ? d->now_ms + WAIT_MS : INT64_MAX;
}
