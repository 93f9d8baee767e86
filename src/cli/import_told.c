/* import_told.c - sums of what was read. */
#include "cli/import_told.h"

#include "base/put.h"
#include "crew/ledger.h"

static void add_response(struct import_told *told, const struct ledger_response *r)
{
	told->counted += r->is_taken;
	if (!told->is_trial && !r->is_taken)
		return;
	for (int i = 0; i < SPENT_COUNTS; i++)
		told->counts.n[i] += r->counts.n[i];
}

void import_told_add(struct import_told *told, const struct ledger *ledger)
{
	uint32_t session = UINT32_MAX;

	told->responses = ledger->response_count;
	for (uint32_t i = 0; i < ledger->response_count; i++) {
		const struct ledger_response *r = &ledger->responses[i];

		told->sessions += r->session != session;
		session = r->session;
		told->known += r->is_known;
		if (told->is_asked && !r->is_known)
			add_response(told, r);
	}
}

static void put_if_asked(struct buf *out, const char *name, const struct import_told *t, uint64_t n)
{
	put_key(out, name);
	if (t->is_asked)
		buf_print(out, "%llu", (unsigned long long)n);
	else
		buf_add(out, TEXT("null"));
}

static void show_json(const struct import_told *t, struct buf *out)
{
	put_object(out, NULL);
	put_bool(out, "ok", t->is_good);
	put_bool(out, "dryRun", t->is_trial);
	put_u64(out, "files", t->files);
	put_u64(out, "leftOut", t->left_out);
	put_u64(out, "unread", t->unread);
	put_u64(out, "bytes", t->bytes);
	put_u64(out, "lines", t->lines);
	put_u64(out, "badLines", t->bad);
	put_u64(out, "sessions", t->sessions);
	put_u64(out, "calls", t->responses);
	put_if_asked(out, "known", t, t->known);
	put_if_asked(out, "new", t, t->responses - t->known);
	put_u64(out, "counted", t->counted);
	put_object(out, "tokens");
	for (int i = 0; i < SPENT_CALLS; i++)
		put_u64(out, spent_names[i], t->counts.n[i]);
	put_end(out);
	put_u64(out, "ms", t->ms);
	put_end(out);
	buf_add_char(out, '\n');
}

static void show_tokens(const struct import_told *t, struct out *out)
{
	const uint64_t *n = t->counts.n;
	unsigned long long written = n[SPENT_CACHE_WRITE] + n[SPENT_CACHE_WRITE_1H];

	out_print(out, "%llu tokens in, %llu from caches, %llu into caches, %llu out\n",
	          (unsigned long long)n[SPENT_INPUT], (unsigned long long)n[SPENT_CACHE_READ],
	          written, (unsigned long long)n[SPENT_OUTPUT]);
}

static void show_counted(const struct import_told *t, struct out *out)
{
	uint64_t fresh = t->responses - t->known;

	out_print(out, ": %llu new, %llu counted before\n", (unsigned long long)fresh,
	          (unsigned long long)t->known);
	if (t->is_trial ? !fresh : !fresh && t->is_good)
		return;
	if (t->is_trial)
		out_print(out, "would be counted: ");
	else if (t->counted == fresh)
		out_print(out, "counted: ");
	else
		out_print(out, "not all is counted, %llu of %llu new ones: ",
		          (unsigned long long)t->counted, (unsigned long long)fresh);
	show_tokens(t, out);
}

static void show_words(const struct import_told *t, struct out *out)
{
	out_print(out, "%llu files, %.1f MB, %llu lines in %.1f s\n", (unsigned long long)t->files,
	          (double)t->bytes / 1e6, (unsigned long long)t->lines, (double)t->ms / 1e3);
	if (t->left_out)
		out_print(out, "%llu left out: not plain files of your own\n",
		          (unsigned long long)t->left_out);
	if (t->bad)
		out_print(out, "%llu lines could not be read\n", (unsigned long long)t->bad);
	out_print(out, "%llu responses in %llu sessions", (unsigned long long)t->responses,
	          (unsigned long long)t->sessions);
	if (t->is_asked)
		show_counted(t, out);
	else
		out_print(out, ": nothing is counted\n");
}

void import_told_show(const struct import_told *told, struct out *out, bool as_json)
{
	if (as_json)
		show_json(told, &out->bytes);
	else
		show_words(told, out);
}
