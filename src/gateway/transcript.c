/* transcript.c - runs of a session, and pages of what was said in them. */
#include "gateway/transcript.h"

#include <stdlib.h>

#include "base/must.h"
#include "gateway/inside.h"
#include "gateway/keys.h"
#include "run/recall.h"
#include "run/said.h"

/* ---- runs ---- */

static void note_run(void *self, struct run *run)
{
	struct gateway_transcript *p = self;

	if (p->count == p->room) {
		p->room = p->room ? 2 * p->room : 16;
		p->runs = must_grow(p->runs, p->room * sizeof(*p->runs));
	}
	p->runs[p->count++] = run;
}

void transcript_read(struct gateway *g, const struct gateway_place *place, bool tells_apart,
                     struct gateway_transcript *out)
{
	*out = (struct gateway_transcript){.g = g, .tells_apart = tells_apart};
	gateway_place_runs(place, note_run, out);
	for (out->live = out->count; out->live > 0; out->live--)
		if (gateway_is_live(g, out->runs[out->live - 1]))
			break;
	out->live = out->live ? out->live - 1 : out->count;
}

void transcript_finish(struct gateway_transcript *p)
{
	free(p->runs);
}

const struct said *transcript_words(const struct gateway_transcript *p, size_t run)
{
	return run_said(p->g->options.runs, p->runs[run]);
}

/* It stays apart as long as it calls nothing. */
const struct said_message *transcript_apart(const struct gateway_transcript *p)
{
	const struct said *said =
		p->tells_apart && p->live < p->count ? transcript_words(p, p->live) : NULL;
	const struct said_message *open = said ? said_open(said) : NULL;

	return open && open->role == SAID_ASSISTANT && !open->tool_count ? open : NULL;
}

const struct said_message *transcript_answer(const struct said *said,
                                             const struct said_message *but)
{
	const struct link *l;

	for (l = said->messages.prev; l != &said->messages; l = l->prev) {
		const struct said_message *m = list_of(l, struct said_message, in_said);

		if (m->role == SAID_USER)
			return NULL;
		if (m != but && m->role == SAID_ASSISTANT && said_text(&m->text).len)
			return m;
	}
	return NULL;
}

/* ---- pages ---- */

/* What it is about so long as JSON. */
static size_t weight_of(const struct said_message *m)
{
	size_t n = said_text(&m->text).len + said_text(&m->thought).len + 512;

	list_each(&m->tools, l) {
		const struct said_tool *tool = list_of(l, struct said_tool, in_message);

		n += tool->input.len + tool->output.len + 512;
	}
	return n;
}

struct paging {
	const struct transcript_wish *wish;
	const struct said_message *apart;
	struct transcript_page *page;
	size_t bytes;
};

/* False: that is enough. */
static bool take(struct paging *paging, size_t run, const struct link *at)
{
	const struct said_message *m = list_of(at, struct said_message, in_said);
	struct transcript_page *page = paging->page;
	size_t rows = transcript_rows(m);

	if (m == paging->apart)
		return true;
	if (page->skipped < paging->wish->skip) {
		page->skipped += rows;
		return true;
	}
	paging->bytes += weight_of(m);
	if (page->rows &&
	    (page->rows + rows > paging->wish->rows || paging->bytes > paging->wish->bytes))
		return false;
	if (!page->rows) {
		page->last_run = run;
		page->last = at;
	}
	page->rows += rows;
	page->first_run = run;
	page->first = at;
	return true;
}

/* From the end of a run on; false: that is enough. */
static bool take_run(struct paging *paging, const struct said *said, size_t run)
{
	for (const struct link *l = said->messages.prev; l != &said->messages; l = l->prev)
		if (!take(paging, run, l))
			return false;
	return true;
}

bool transcript_find(const struct gateway_transcript *p, const struct transcript_wish *wish,
                     struct transcript_page *out)
{
	struct paging paging = {wish, transcript_apart(p), out};

	*out = (struct transcript_page){
		.first_run = p->count, .last_run = p->count, .is_all = true};
	for (size_t i = p->count; i-- > 0 && out->is_all;) {
		const struct said *said = transcript_words(p, i);

		if (!said)
			return false;
		out->is_all = take_run(&paging, said, i);
	}
	return true;
}

enum transcript_found transcript_find_row(const struct gateway_transcript *p, struct text id,
                                          size_t *after)
{
	const struct said_message *apart = transcript_apart(p);
	struct text run;
	uint64_t number;

	*after = 0;
	if (!transcript_read_id(id, &run, &number))
		return TRANSCRIPT_UNKNOWN;
	for (size_t i = p->count; i-- > 0;) {
		const struct said *said = transcript_words(p, i);

		if (!said)
			return TRANSCRIPT_IS_READ;
		for (const struct link *l = said->messages.prev; l != &said->messages;
		     l = l->prev) {
			const struct said_message *m = list_of(l, struct said_message, in_said);

			if (m->number == number && text_is(run, p->runs[i]->id))
				return TRANSCRIPT_FOUND;
			*after += m == apart ? 0 : transcript_rows(m);
		}
	}
	return TRANSCRIPT_UNKNOWN;
}

void transcript_each(const struct gateway_transcript *p, const struct transcript_page *page,
                     transcript_fn *each, void *self)
{
	const struct said_message *apart = transcript_apart(p);

	for (size_t i = page->first_run; i < p->count && i <= page->last_run; i++) {
		const struct said *said = transcript_words(p, i);
		const struct link *l = i == page->first_run ? page->first : said->messages.next;

		for (; l && l != &said->messages; l = l->next) {
			const struct said_message *m = list_of(l, struct said_message, in_said);

			if (m != apart)
				each(self, p->runs[i], m);
			if (l == page->last)
				return;
		}
	}
}
