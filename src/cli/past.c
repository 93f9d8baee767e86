/* past.c - page after page of the history. */
#include "cli/past.h"

#include <stdlib.h>
#include <yyjson.h>

#include "base/must.h"
#include "signal/signal.h"

#define STATUS_MS 10000
#define PAGE_MS 60000
#define PAGE_SIGNALS 1000
#define PAGE_BYTES (1 * MIB) /* then the rest is asked for again */
#define PAGE_MAX (64 * MIB)  /* one line is always taken */

struct past {
	struct remote *remote;
	char epoch[EPOCH_LEN + 1]; /* that the box is in */
	char *after;               /* as it was given, for the first page */
	uint64_t first, last, to;  /* seqs: of the stretch, and the last that was given */
	struct buf page;
	size_t at; /* in the page: not given yet */
	bool has_begun;
};

static bool ask_extent(struct past *p, struct error *why)
{
	const struct remote_request request = {
		.method = "GET", .path = "/api/status", .timeout_ms = STATUS_MS};
	struct buf body;
	yyjson_doc *doc;
	yyjson_val *root;
	struct text epoch;
	uint64_t seq;

	if (!remote_ask(p->remote, &request, &body, why))
		return false;
	doc = yyjson_read(body.at, body.len, 0);
	root = yyjson_doc_get_root(doc);
	seq = yyjson_get_uint(yyjson_obj_get(root, "seq"));
	epoch = text_of(yyjson_get_str(yyjson_obj_get(root, "epoch")));
	if (position_is_epoch(epoch))
		memcpy(p->epoch, epoch.at, EPOCH_LEN);
	p->first = yyjson_get_uint(yyjson_obj_get(yyjson_obj_get(root, "journal"), "firstSeq"));
	if (!p->to || p->to > seq)
		p->to = seq;
	yyjson_doc_free(doc);
	buf_finish(&body);
	return true;
}

struct past *past_open(struct remote *remote, const struct journal_stretch *stretch,
                       struct error *why)
{
	struct past *p = must_zero(1, sizeof(*p));
	struct positions after;

	p->remote = remote;
	p->after = must_dup(stretch->after);
	p->to = stretch->to;
	buf_init(&p->page, PAGE_MAX);
	if (!ask_extent(p, why)) {
		past_close(p);
		return NULL;
	}
	if (positions_parse(text_of(stretch->after), &after) && after.all[0].seq >= p->first)
		p->first = after.all[0].seq + 1;
	return p;
}

void past_close(struct past *p)
{
	if (!p)
		return;
	buf_finish(&p->page);
	free(p->after);
	free(p);
}

static bool gather(void *self, long status, struct text bytes)
{
	struct past *p = self;

	return buf_add(&p->page, bytes) &&
	       (p->page.len < PAGE_BYTES || !memrchr(p->page.at, '\n', p->page.len));
}

/* Only whole lines are left of it; empty: there is no more. */
static bool fetch(struct past *p, struct error *why)
{
	struct remote_request request = {
		.method = "GET", .timeout_ms = PAGE_MS, .heard = gather, .self = p};
	char *after =
		p->has_begun ? must_print("%llu", (unsigned long long)p->last) : must_dup(p->after);
	char *path = must_print("/api/signals?format=ndjson&after=%s&before=%llu&limit=%d", after,
	                        (unsigned long long)p->to + 1, PAGE_SIGNALS);
	enum remote_result result;
	const char *end;
	long status;

	buf_clear(&p->page);
	p->at = 0;
	request.path = path;
	result = remote_run(p->remote, &request, &status, why);
	free(path);
	free(after);
	if (result != REMOTE_ANSWERED && result != REMOTE_ENOUGH)
		return false;
	if (status != 200) {
		remote_refusal(status, buf_text(&p->page), why);
		return false;
	}
	end = p->page.len ? memrchr(p->page.at, '\n', p->page.len) : NULL;
	if (p->page.len && !end)
		return error_set(why, "a signal is longer than %zu MiB", PAGE_MAX / MIB);
	p->page.len = end ? (size_t)(end - p->page.at) + 1 : 0;
	p->has_begun = true;
	return true;
}

static void pass_gap(struct past *p, struct text line)
{
	yyjson_doc *doc = yyjson_read(line.at, line.len, 0);
	yyjson_val *root = yyjson_doc_get_root(doc);
	uint64_t to = yyjson_get_uint(yyjson_obj_get(root, "to"));
	const char *reason = yyjson_get_str(yyjson_obj_get(root, "why"));

	out_say("gap: signals %llu to %llu are missing (%s)",
	        (unsigned long long)yyjson_get_uint(yyjson_obj_get(root, "from")),
	        (unsigned long long)to, reason ? reason : "?");
	if (to > p->last)
		p->last = to;
	yyjson_doc_free(doc);
}

enum past_answer past_next(struct past *p, struct text *line, struct error *why)
{
	for (;;) {
		struct text rest;
		uint64_t seq;

		if (p->at == p->page.len) {
			if (p->has_begun && p->last >= p->to)
				return PAST_END;
			if (!fetch(p, why))
				return PAST_BAD;
			if (p->page.len == 0)
				return PAST_END;
			continue;
		}
		rest = (struct text){p->page.at + p->at, p->page.len - p->at};
		*line = text_cut(rest, '\n', &rest);
		p->at = p->page.len - rest.len;
		seq = signal_seq_of(*line);
		if (seq) {
			p->last = seq;
			return PAST_ONE;
		}
		pass_gap(p, *line);
	}
}

const char *past_epoch(const struct past *p)
{
	return p->epoch[0] ? p->epoch : NULL;
}

uint64_t past_done(const struct past *p)
{
	return p->last >= p->first ? p->last - p->first + 1 : 0;
}

uint64_t past_total(const struct past *p)
{
	return p->to >= p->first ? p->to - p->first + 1 : 0;
}
