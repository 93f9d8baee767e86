/* approve.c - holding hooks, and letting them go. */
#include "source/approve.h"

#include <stdlib.h>
#include <yyjson.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/list.h"
#include "base/must.h"
#include "base/random.h"
#include "net/loop.h"
#include "signal/json.h"
#include "source/approve_ask.h"
#include "source/hook.h"

#define SOURCE "adapter:tap"
#define HELD_MAX 256 /* hooks; one more is not held */
#define SESSION_MAX 256
#define HELD_MS (55 * 60 * 1000u) /* Claude Code's own patience is an hour */
#define PAYLOAD_MAX (16 * MIB)
#define INPUTS_MAX (64 * MIB) /* of tools that are asked about; then none is held */

struct held {
	struct link in_all; /* approve.held, the oldest first */
	struct approve *approve;
	char *run;
	char *id;          /* of its prompt */
	struct buf input;  /* of the tool, as JSON */
	char *suggestions; /* rules that `always` makes, as JSON; NULL: none */
	approve_decided_fn *decided;
	void *of;
	struct deadline patience;
};

struct approve {
	struct approve_options options;
	struct link held;
	size_t held_count;
	size_t input_bytes; /* of all that are held */
	struct json_reader reader;
	bool is_stopped;
};

bool approve_is_ours(struct text source)
{
	return text_is(source, SOURCE);
}

/* ---- held hooks ---- */

static void free_held(struct held *h)
{
	list_remove(&h->in_all);
	h->approve->held_count--;
	h->approve->input_bytes -= h->input.len;
	deadline_clear(&h->patience);
	free(h->run);
	buf_finish(&h->input);
	free(h->id);
	free(h->suggestions);
	free(h);
}

static void let_go(struct held *h, struct text json)
{
	approve_decided_fn *decided = h->decided;
	void *of = h->of;

	free_held(h);
	decided(of, json);
}

static void withdraw(struct held *h, const char *why)
{
	struct approve *a = h->approve;

	a->options.withdrew(a->options.self, TEXT(SOURCE), text_of(h->id), why);
}

static void ran_out(struct deadline *deadline)
{
	struct held *h = list_of(deadline, struct held, patience);

	withdraw(h, "nobody answered in time");
	let_go(h, TEXT(""));
}

void approve_forget(struct held *h)
{
	if (!h)
		return;
	withdraw(h, "Claude Code does not wait any more");
	free_held(h);
}

static struct held *hold(struct approve *a, const struct approve_request *r)
{
	struct held *h = must_zero(1, sizeof(*h));

	h->approve = a;
	h->run = text_dup(r->session);
	buf_init(&h->input, PAYLOAD_MAX);
	h->patience.fire = ran_out;
	deadline_set(a->options.loop, &h->patience, HELD_MS);
	list_add(&a->held, &h->in_all);
	a->held_count++;
	return h;
}

/* ---- asking ---- */

static void ask(struct held *h, const struct approve_request *r)
{
	char id[RANDOM_UUID_LEN + 1] = "";
	struct buf out;

	random_uuid(id);
	h->id = must_dup(id);
	if (yyjson_arr_size(r->suggestions))
		h->suggestions = yyjson_val_write(r->suggestions, YYJSON_WRITE_NOFLAG, NULL);
	if (r->input)
		json_add(&h->input, r->input);
	h->approve->input_bytes += h->input.len;
	hook_begin(&out, "prompt", r->session);
	buf_print(&out, "\"id\":\"%s\",\"type\":\"select\",\"prompt\":", id);
	approve_ask(&out, r, buf_text(&h->input));
	buf_print(&out, ",\"deadline\":%lld,\"invokeid\":", (long long)clock_wall_ms() + HELD_MS);
	buf_add_json(&out, r->agent.len ? r->agent : TEXT("claude"));
	buf_add(&out, TEXT("}}"));
	hook_end(h->approve->options.hook, &out);
}

/* ---- answers ---- */

static struct held *find_asked(const struct approve *a, struct text id)
{
	list_each(&a->held, l) {
		struct held *h = list_of(l, struct held, in_all);

		if (text_is(id, h->id))
			return h;
	}
	return NULL;
}

struct text approve_input(const struct approve *a, struct text id)
{
	const struct held *h = find_asked(a, id);

	return h ? buf_text(&h->input) : (struct text){NULL, 0};
}

bool approve_reply(struct approve *a, const struct source_reply *reply)
{
	struct held *h = find_asked(a, reply->id);
	struct buf out;
	yyjson_doc *doc;

	if (!h)
		return false;
	buf_init(&out, PAYLOAD_MAX);
	doc = reply->value.len ? json_read(&a->reader, reply->value, NULL) : NULL;
	approve_decide(&out, yyjson_doc_get_root(doc), h->suggestions);
	let_go(h, out.full ? TEXT("") : buf_text(&out));
	buf_finish(&out);
	return true;
}

/* ---- payloads ---- */

struct held *approve_hold(struct approve *a, struct text payload, approve_decided_fn *decided,
                          void *of)
{
	struct approve_request r;
	struct held *h;

	if (a->is_stopped || a->held_count == HELD_MAX || a->input_bytes > INPUTS_MAX ||
	    !approve_read(&r, &a->reader, payload) || r.session.len > SESSION_MAX ||
	    !text_is(r.event, "PermissionRequest"))
		return NULL;
	h = hold(a, &r);
	h->decided = decided;
	h->of = of;
	ask(h, &r);
	return h;
}

/* ---- life ---- */

struct approve *approve_create(const struct approve_options *options)
{
	struct approve *a = must_zero(1, sizeof(*a));

	a->options = *options;
	list_init(&a->held);
	json_reader_init(&a->reader, PAYLOAD_MAX);
	return a;
}

void approve_stop(struct approve *a)
{
	a->is_stopped = true;
	while (!list_is_empty(&a->held)) {
		struct held *h = list_of(a->held.next, struct held, in_all);

		withdraw(h, "the box stopped");
		let_go(h, TEXT(""));
	}
}

void approve_destroy(struct approve *a)
{
	if (!a)
		return;
	while (!list_is_empty(&a->held))
		free_held(list_of(a->held.next, struct held, in_all));
	json_reader_finish(&a->reader);
	free(a);
}
