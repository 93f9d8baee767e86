/* desk_rest.c - requests of which nothing is left but a letter that waits for its channel.
 *
 * The letter and what came are in custody.  What else is known of such a request lies in one
 * small block till the letter is over or somebody asks, because there may be thousands.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "deliver/desk_rest.h"

#define REST_MAX (4 * MIB)
#define LAST 0xFF /* of words, or of stages */

/* Of a struct nexus_request: all but the words and the trace. */
#define HEAD offsetof(struct nexus_request, words)
#define MIDDLE (HEAD + sizeof(((struct nexus_request *)NULL)->words))
#define TRACE offsetof(struct nexus_request, trace)
static_assert(NEXUS_WORDS < LAST && NEXUS_STAGES < LAST, "a byte is enough");

struct rest_head {
	struct desk_account *account;
	unsigned letters;
	uint32_t letter_len;
};

/* Of a stage, as it lies there, without what fills it up. */
struct rest_trace {
	int64_t started_at;
	uint32_t duration_ms;
	bool is_last, has_reason;
};
#define REST_TRACE_BYTES (offsetof(struct rest_trace, has_reason) + sizeof(bool))

/* What custody has of a request, or its account. */
static bool is_kept(const struct nexus *x, const struct received *r, enum nexus_word word)
{
	static const struct {
		enum nexus_word word;
		enum received_word as;
	} both[] = {
		{NEXUS_MESSAGE, RECEIVED_MESSAGE}, {NEXUS_CONTENT, RECEIVED_TEXT},
		{NEXUS_SENDER, RECEIVED_SENDER},   {NEXUS_SENDER_NAME, RECEIVED_SENDER_NAME},
		{NEXUS_PEER, RECEIVED_PEER},       {NEXUS_THREAD, RECEIVED_THREAD},
		{NEXUS_AGENT, RECEIVED_AGENT},     {NEXUS_SESSION, RECEIVED_SESSION},
	};

	for (size_t i = 0; i < sizeof(both) / sizeof(*both); i++)
		if (both[i].word == word)
			return text_equal(nexus_word(&x->request, word),
			                  received_word(r, both[i].as));
	return word == NEXUS_CHANNEL || word == NEXUS_ACCOUNT;
}

/* ---- written ---- */

static void rest_add(struct buf *out, const void *at, size_t len)
{
	buf_add(out, (struct text){at, len});
}

static void rest_add_words(const struct nexus *x, const struct received *r, struct buf *out)
{
	for (unsigned i = 0; i < NEXUS_WORDS; i++) {
		struct text word = nexus_word(&x->request, (enum nexus_word)i);
		uint32_t len = (uint32_t)word.len;

		if (!len || is_kept(x, r, (enum nexus_word)i))
			continue;
		buf_add_char(out, (char)i);
		rest_add(out, &len, sizeof(len));
		buf_add(out, word);
	}
	buf_add_char(out, (char)LAST);
}

/* Of a stage only the last is still under way, and has to know when it began. */
static void add_trace(const struct nexus_request *r, struct buf *out)
{
	for (unsigned i = 0; i < NEXUS_STAGES; i++) {
		const struct nexus_trace *t = &r->trace[i];
		struct rest_trace head = {
			.started_at = t->started_at,
			.duration_ms =
				t->duration_ms < UINT32_MAX ? (uint32_t)t->duration_ms : UINT32_MAX,
			.is_last = i == r->stage,
			.has_reason = t->exit_reason != NULL,
		};

		if (!t->was)
			continue;
		buf_add_char(out, (char)i);
		rest_add(out, &head, REST_TRACE_BYTES);
		if (head.is_last)
			rest_add(out, &t->began_ms, sizeof(t->began_ms));
		if (head.has_reason)
			rest_add(out, &t->exit_reason, sizeof(t->exit_reason));
	}
	buf_add_char(out, (char)LAST);
}

static void write_rest(const struct nexus *x, const struct received *r, struct buf *out)
{
	struct text letter = text_of(x->letter);
	struct rest_head head = {x->account, x->letters, (uint32_t)letter.len};
	const char *at = (const char *)&x->request;

	buf_init(out, REST_MAX);
	rest_add(out, &head, sizeof(head));
	buf_add(out, letter);
	rest_add(out, at, HEAD);
	rest_add(out, at + MIDDLE, TRACE - MIDDLE);
	rest_add_words(x, r, out);
	add_trace(&x->request, out);
}

/* ---- read ---- */

static const char *rest_take(const char *at, void *into, size_t len)
{
	memcpy(into, at, len);
	return at + len;
}

static const char *rest_read_words(struct nexus *x, const char *at)
{
	unsigned char word;
	uint32_t len;

	while ((word = (unsigned char)*at++) != LAST) {
		at = rest_take(at, &len, sizeof(len));
		nexus_set(&x->request, (enum nexus_word)word, (struct text){at, len});
		at += len;
	}
	return at;
}

static void read_trace(struct nexus_request *r, const char *at)
{
	unsigned char stage;

	while ((stage = (unsigned char)*at++) != LAST) {
		struct nexus_trace *t = &r->trace[stage];
		struct rest_trace head = {0};

		at = rest_take(at, &head, REST_TRACE_BYTES);
		*t = (struct nexus_trace){.was = true,
		                          .started_at = head.started_at,
		                          .duration_ms = head.duration_ms};
		if (head.is_last)
			at = rest_take(at, &t->began_ms, sizeof(t->began_ms));
		if (head.has_reason)
			at = rest_take(at, &t->exit_reason, sizeof(t->exit_reason));
	}
}

static void read_rest(struct nexus *x, const struct rest_head *head, const char *at)
{
	char *request = (char *)&x->request;

	x->letters = head->letters;
	x->letter = text_dup((struct text){at, head->letter_len});
	at = rest_take(at + head->letter_len, request, HEAD);
	at = rest_take(at, request + MIDDLE, TRACE - MIDDLE);
	x->request.traits = &x->account->line.kind->traits;
	read_trace(&x->request, rest_read_words(x, at));
}

/* ---- resting ---- */

/* The others wait for something else, or are waited for. */
static bool may_rest(const struct nexus *x)
{
	const struct letter *l =
		x->letter ? custody_letter(x->desk->options.custody, text_of(x->letter)) : NULL;

	return l && l->state <= LETTER_QUEUED && x->request.stage == NEXUS_DELIVER && !x->reply &&
	       !x->files && !x->live && !x->late && !x->ear.told && !x->is_refused && !x->is_lost;
}

bool desk_rest(struct nexus *x)
{
	struct desk *d = x->desk;
	const struct received *r = custody_request(d->options.custody, text_of(x->request.id));
	char id[sizeof(x->request.id)];
	struct buf out;
	char *rest;

	if (!r || !may_rest(x))
		return false;
	write_rest(x, r, &out);
	if (out.full) {
		buf_finish(&out);
		return false;
	}
	memcpy(id, x->request.id, sizeof(id));
	desk_free_nexus(x);
	rest = must_alloc(out.len);
	memcpy(rest, out.at, out.len);
	buf_finish(&out);
	map_set(&d->resting, text_of(id), rest);
	return true;
}

struct nexus *desk_rouse(struct desk *d, struct text id)
{
	const struct received *r = custody_request(d->options.custody, id);
	char *rest = map_remove(&d->resting, id);
	struct rest_head head;
	struct nexus *x;

	if (!rest || !r) {
		free(rest);
		return NULL;
	}
	memcpy(&head, rest, sizeof(head));
	x = desk_make_nexus(d, head.account, r->words[RECEIVED_ID]);
	desk_refill(x, r);
	read_rest(x, &head, rest + sizeof(head));
	free(rest);
	return x;
}

void desk_free_rests(struct desk *d)
{
	struct text id;
	size_t at = 0;
	void *rest;

	while (map_next(&d->resting, &at, &id, &rest))
		free(rest);
	map_finish(&d->resting);
}
