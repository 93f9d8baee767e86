/* import_told.c - sums of what was read. */
#include "cli/import_told.h"

#include "base/put.h"
#include "crew/ledger.h"
#include "signal/json.h"

static void add_response(struct import_told *told, const struct ledger_response *r,
                         const struct prices *prices)
{
	const struct price_call call = {text_of(r->model), r->size, r->fast};
	double cost;

	for (int i = 0; i < SPENT_COUNTS; i++)
		told->counts.n[i] += r->counts.n[i];
	if (prices_cost(prices, &call, &r->counts, &cost))
		told->cost += cost;
	else
		told->has_unknown = true;
}

void import_told_add(struct import_told *told, const struct ledger *ledger)
{
	struct prices *prices = prices_own();
	uint32_t session = UINT32_MAX;

	told->responses = ledger->response_count;
	for (uint32_t i = 0; i < ledger->response_count; i++) {
		const struct ledger_response *r = &ledger->responses[i];

		told->sessions += r->session != session;
		session = r->session;
		told->known += r->is_known;
		if (!r->is_known)
			add_response(told, r, prices);
	}
	prices_destroy(prices);
}

static void show_json(const struct import_told *t, struct buf *out)
{
	put_object(out, NULL);
	put_bool(out, "ok", t->is_good);
	put_bool(out, "dryRun", t->is_trial);
	put_u64(out, "files", t->files);
	put_u64(out, "unread", t->unread);
	put_u64(out, "bytes", t->bytes);
	put_u64(out, "lines", t->lines);
	put_u64(out, "badLines", t->bad);
	put_u64(out, "sessions", t->sessions);
	put_u64(out, "calls", t->responses);
	put_u64(out, "known", t->known);
	put_u64(out, "new", t->responses - t->known);
	put_object(out, "tokens");
	for (int i = 0; i < SPENT_CALLS; i++)
		put_u64(out, spent_names[i], t->counts.n[i]);
	put_end(out);
	put_key(out, "cost");
	json_add_number(out, t->cost);
	put_bool(out, "unknown", t->has_unknown);
	put_u64(out, "ms", t->ms);
	put_end(out);
	buf_add_char(out, '\n');
}

static void show_words(const struct import_told *t, struct out *out)
{
	const uint64_t *n = t->counts.n;
	unsigned long long fresh = t->responses - t->known;
	unsigned long long written = n[SPENT_CACHE_WRITE] + n[SPENT_CACHE_WRITE_1H];

	out_print(out, "%llu files, %.1f MB, %llu lines in %.1f s\n", (unsigned long long)t->files,
	          (double)t->bytes / 1e6, (unsigned long long)t->lines, (double)t->ms / 1e3);
	if (t->bad)
		out_print(out, "%llu lines could not be read\n", (unsigned long long)t->bad);
	out_print(out, "%llu responses in %llu sessions: %llu new, %llu counted before\n",
	          (unsigned long long)t->responses, (unsigned long long)t->sessions, fresh,
	          (unsigned long long)t->known);
	if (!fresh)
		return;
	out_print(out,
	          "%s: %llu tokens in, %llu from caches, %llu into caches, %llu out; %s$%.2f\n",
	          t->is_trial ? "would be counted" : "counted", (unsigned long long)n[SPENT_INPUT],
	          (unsigned long long)n[SPENT_CACHE_READ], written,
	          (unsigned long long)n[SPENT_OUTPUT], t->has_unknown ? "at least " : "", t->cost);
}

void import_told_show(const struct import_told *told, struct out *out, bool as_json)
{
	if (as_json)
		show_json(told, &out->bytes);
	else
		show_words(told, out);
}
