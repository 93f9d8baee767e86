/* parse.c - the life of a stream: its bytes become events, its events signals.
 *
 * What all protocols have in common is here: framing with a ceiling for each
 * event, and the promise that an answer has exactly one end.
 */
#include "parse/parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/random.h"
#include "parse/inside.h"

#define EVENT_MAX MIB
#define ENVELOPE_MAX MIB /* what the bus takes */

/* Words that end an answer must always fit into an envelope, whatever came in. */
#define WORDS_MAX (4 * KIB)
#define NAME_LEN_MAX 256
#define LIST_MAX (256 * KIB) /* of the reasons to stop of all choices */

/* --- life ------------------------------------------------------------------------ */

static struct text clip(struct text t, size_t max)
{
	return (struct text){t.at, t.len < max ? t.len : max};
}

static struct text parse_copy(struct text t, const char *otherwise)
{
	if (t.len == 0)
		t = text_of(otherwise);
	t = clip(t, WORDS_MAX);
	return (struct text){text_dup(t), t.len};
}

/* The signals of an answer belong together: they are given a common id when there
 * is none. */
static struct text correlation_for(const struct parse *p, struct text given)
{
	char uuid[RANDOM_UUID_LEN + 1] = "";

	if (p->kind->is_answer)
		random_uuid(uuid);
	return parse_copy(given, uuid);
}

static void parse_take_event(void *self, const struct parse_event *event);
static void tell_too_long(void *self);

struct parse *parse_create(const struct parse_kind *kind, const struct parse_options *options)
{
	struct parse *p = must_zero(1, sizeof(*p));

	p->kind = kind;
	p->framing = kind->framing;
	p->state = must_zero(1, kind->size);
	p->options = *options;
	if (p->options.event_max == 0)
		p->options.event_max = EVENT_MAX;
	p->options.source = parse_copy(options->source, kind->name);
	p->options.correlation = correlation_for(p, options->correlation);
	p->options.agent = parse_copy(options->agent, "");
	sse_reader_init(&p->sse, p->options.event_max);
	p->sse.self = p;
	p->sse.drops_half = !kind->is_answer; /* one that is asked is not asked again */
	p->sse.event = parse_take_event;
	p->sse.too_long = tell_too_long;
	buf_init(&p->piece, p->options.event_max);
	buf_init(&p->halves.out, p->options.event_max);
	json_reader_init(&p->json, p->options.event_max);
	json_reader_init(&p->input, p->options.event_max);
	buf_init(&p->out, ENVELOPE_MAX);
	buf_init(&p->head.bytes, ENVELOPE_MAX);
	p->make.out = &p->out;
	return p;
}

void parse_destroy(struct parse *p)
{
	if (!p)
		return;
	if (p->kind->finish)
		p->kind->finish(p);
	free(p->state);
	sse_reader_finish(&p->sse);
	buf_finish(&p->piece);
	buf_finish(&p->halves.out);
	json_reader_finish(&p->json);
	json_reader_finish(&p->input);
	buf_finish(&p->out);
	buf_finish(&p->head.bytes);
	free((char *)p->options.source.at);
	free((char *)p->options.correlation.at);
	free((char *)p->options.agent.at);
	free(p->agent);
	free(p->stop);
	for (uint32_t i = 0; i < p->choice_count; i++)
		free(p->choice_stops[i]);
	free(p->choice_stops);
	free(p);
}

void parse_set_framing(struct parse *p, enum parse_framing framing)
{
	p->framing = framing;
}

/* --- events ---------------------------------------------------------------------- */

static void parse_take_event(void *self, const struct parse_event *event)
{
	struct parse *p = self;
	struct parse_event whole = *event;

	if ((whole.data.len == 0 && !p->kind->takes_empty) || parse_is_over(p))
		return;
	if (p->kind->is_answer)
		whole.data = halves_join(&p->halves, whole.data);
	p->kind->event(p, &whole);
}

static void tell_too_long(void *self)
{
	struct parse *p = self;

	if (!parse_is_over(p))
		parse_bad(p, "an event longer than %zu bytes", p->options.event_max);
}

static void parse_keep(struct parse *p, struct text bytes)
{
	if (p->skips || buf_add(&p->piece, bytes))
		return;
	tell_too_long(p);
	p->skips = true;
}

static void end_piece(struct parse *p)
{
	struct text data = buf_text(&p->piece);

	if (!p->began && text_starts(data, TEXT("\xEF\xBB\xBF")))
		data = (struct text){data.at + 3, data.len - 3};
	p->began = true;
	if (p->framing == FRAMING_LINES && data.len && data.at[data.len - 1] == '\r')
		data.len--;
	if (!p->skips)
		parse_take_event(p, &(struct parse_event){.data = data});
	buf_clear(&p->piece);
	p->skips = false;
}

static void feed_lines(struct parse *p, struct text bytes)
{
	const char *end;

	while (bytes.len && (end = memchr(bytes.at, '\n', bytes.len))) {
		size_t n = (size_t)(end - bytes.at);

		parse_keep(p, (struct text){bytes.at, n});
		end_piece(p);
		bytes = (struct text){bytes.at + n + 1, bytes.len - n - 1};
	}
	parse_keep(p, bytes);
}

void parse_set_moment(struct parse *p, int64_t at_ms, bool late)
{
	p->at_ms = at_ms;
	p->is_late = late;
}

void parse_set_words(struct parse *p, bool words, int64_t from_ms)
{
	p->options.words = words;
	p->options.words_from_ms = from_ms;
}

void parse_set_seed(struct parse *p, uint64_t seed)
{
	p->seed = seed;
	p->seeded = 0;
}

void parse_feed(struct parse *p, struct text bytes)
{
	if (p->has_ended || parse_is_over(p))
		return;
	parse_set_fed(p, true);
	switch (p->framing) {
	case FRAMING_SSE:
		sse_reader_feed(&p->sse, bytes);
		break;
	case FRAMING_LINES:
		feed_lines(p, bytes);
		break;
	case FRAMING_WHOLE:
		parse_keep(p, bytes);
		break;
	case FRAMING_BYTES:
		parse_take_event(p, &(struct parse_event){.data = bytes});
		break;
	}
	parse_set_fed(p, false);
}

void parse_message(struct parse *p, struct text data)
{
	if (p->has_ended)
		return;
	if (data.len > p->options.event_max)
		tell_too_long(p);
	else
		parse_take_event(p, &(struct parse_event){.data = data});
}

/* --- the end --------------------------------------------------------------------- */

static void flush(struct parse *p)
{
	if (p->framing == FRAMING_SSE)
		sse_reader_end(&p->sse);
	else if (p->piece.len || p->skips)
		end_piece(p);
}

void parse_end(struct parse *p, const char *why)
{
	if (p->has_ended)
		return;
	if (!why) {
		flush(p);
		if (p->kind->end && !parse_is_over(p))
			p->kind->end(p);
	}
	p->has_ended = true;
	if (!p->kind->is_answer)
		return;
	if (why)
		parse_fail(p, TEXT("lost"), text_of(why));
	else if (p->stop)
		parse_complete(p, true, text_of(p->stop));
	else
		parse_fail(p, TEXT("cut"), TEXT("the answer broke off before its end"));
}

void parse_cancel(struct parse *p)
{
	p->has_ended = true;
	if (!p->kind->is_answer)
		return;
	parse_set_stop(p, TEXT("cancelled"));
	parse_complete(p, false, TEXT("cancelled"));
}

bool parse_is_over(const struct parse *p)
{
	return p->kind->is_answer && p->is_over;
}

struct text parse_last_id(const struct parse *p)
{
	if (!p->sse.has_id)
		return (struct text){NULL, 0};
	return p->sse.id.len ? buf_text(&p->sse.id) : TEXT("");
}

unsigned parse_retry_ms(const struct parse *p)
{
	return p->sse.retry_ms;
}

/* --- for parsers ----------------------------------------------------------------- */

void *parse_state(struct parse *p)
{
	return p->state;
}

const struct parse_options *parse_options(const struct parse *p)
{
	return &p->options;
}

struct text parse_agent(const struct parse *p)
{
	if (p->agent)
		return text_of(p->agent);
	return p->options.agent.len ? p->options.agent : p->options.source;
}

static void parse_set_word(char **word, struct text value)
{
	value = clip(value, NAME_LEN_MAX);
	if (value.len)
		value.len = strnlen(value.at, value.len);
	if (value.len == 0 || (*word && text_is(value, *word)))
		return;
	free(*word);
	*word = text_dup(value);
}

void parse_set_agent(struct parse *p, struct text agent)
{
	parse_set_word(&p->agent, agent);
}

void parse_set_correlation(struct parse *p, struct text id)
{
	char *was = (char *)p->options.correlation.at;

	if (id.len == 0 || p->keeps_correlation || text_equal(id, p->options.correlation))
		return;
	p->options.correlation = parse_copy(id, "");
	buf_clear(&p->head.bytes);
	free(was);
}

struct text parse_correlation(const struct parse *p)
{
	const struct parse *inner = lines_inner(p);

	return inner ? inner->options.correlation : p->options.correlation;
}

void parse_keep_correlation(struct parse *p)
{
	struct parse *inner = lines_inner(p);

	p->keeps_correlation = true;
	if (inner)
		inner->keeps_correlation = true;
}

bool parse_said_end(const struct parse *p)
{
	return p->is_over;
}

void parse_set_stop(struct parse *p, struct text reason)
{
	parse_set_word(&p->stop, reason);
}

void parse_set_choice_stop(struct parse *p, uint32_t choice, struct text reason)
{
	if (choice >= p->choice_count) {
		size_t more = choice + 1 - p->choice_count;

		p->choice_stops = must_grow(p->choice_stops, (choice + 1) * sizeof(char *));
		memset(p->choice_stops + p->choice_count, 0, more * sizeof(char *));
		p->choice_count = choice + 1;
	}
	parse_set_word(&p->choice_stops[choice], reason);
}

struct text parse_stop(const struct parse *p)
{
	return text_of(p->stop);
}

yyjson_val *parse_json(struct parse *p, struct text data)
{
	struct error why;
	yyjson_doc *doc = json_read(&p->json, data, &why);

	if (doc)
		return yyjson_doc_get_root(doc);
	parse_bad(p, "%s", why.words);
	return NULL;
}

void parse_bad(struct parse *p, const char *format, ...)
{
	struct error why;
	va_list args;

	if (!p->options.bad)
		return;
	va_start(args, format);
	vsnprintf(why.words, sizeof(why.words), format, args);
	va_end(args);
	p->options.bad(p->options.self, why.words);
}

static struct text parse_task_of(const struct parse *p)
{
	return p->options.correlation.len ? p->options.correlation : parse_agent(p);
}

static void add_choice_stops(struct parse *p)
{
	struct buf list;

	if (p->choice_count < 2)
		return;
	buf_init(&list, LIST_MAX);
	for (uint32_t i = 0; i < p->choice_count; i++) {
		buf_add_char(&list, i ? ',' : '[');
		if (p->choice_stops[i])
			buf_add_json(&list, text_of(p->choice_stops[i]));
		else
			buf_add(&list, TEXT("null"));
	}
	buf_add_char(&list, ']');
	if (!list.full)
		make_raw(&p->make, "finishReasons", buf_text(&list));
	buf_finish(&list);
}

void parse_complete(struct parse *p, bool success, struct text result)
{
	if (parse_is_over(p))
		return;
	p->is_over = true;
	parse_begin(p, "completion");
	make_text(&p->make, "taskId", parse_task_of(p));
	make_text(&p->make, "agentId", parse_agent(p));
	make_bool(&p->make, "success", success);
	make_given(&p->make, "result", clip(result, WORDS_MAX));
	if (p->stop) {
		make_metadata(&p->make);
		make_text(&p->make, "stopReason", text_of(p->stop));
		add_choice_stops(p);
	}
	parse_give(p);
}

void parse_fail(struct parse *p, struct text code, struct text message)
{
	if (parse_is_over(p))
		return;
	p->is_over = true;
	parse_begin(p, "error");
	make_text(&p->make, "agentId", parse_agent(p));
	make_text(&p->make, "message", clip(message, WORDS_MAX));
	make_given(&p->make, "code", clip(code, NAME_LEN_MAX));
	make_text(&p->make, "severity", TEXT("error"));
	parse_give(p);
}
