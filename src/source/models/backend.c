/* backend.c - the life of a source that answers over HTTP. */
#include "source/models/backend.h"

#include <assert.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/must.h"
#include "base/put.h"
#include "net/loop.h"
#include "parse/parse.h"
#include "source/models/answer.h"
#include "source/models/history.h"
#include "source/models/models.h"

#define MODELS_MS 5000
#define QUESTION_MAX (4 * MIB) /* a history and a prompt, as JSON */
#define HEADERS_MAX 5

struct backend {
	struct source *source;
	const struct backend_kind *kind;
	struct models *models; /* asked for now */
	struct answer *answers[BACKEND_ASKS_MAX];
	unsigned count;
	bool is_live;
	bool in_doubt;      /* look again whether it is there */
	bool is_hushed;     /* so are answers that begin now */
	struct later other; /* it was guessed, and wrongly */
};

/* --- what goes out --------------------------------------------------------------- */

struct headers {
	char *lines[HEADERS_MAX];
	unsigned count;
};

static void headers_init(struct headers *h, const struct backend *b)
{
	const char *credential = source_credential(b->source);

	*h = (struct headers){0};
	if (credential)
		h->lines[h->count++] = must_print("%s%s", b->kind->key, credential);
	if (b->kind->field)
		h->lines[h->count++] = must_dup(b->kind->field);
}

static void headers_finish(struct headers *h)
{
	for (unsigned i = 0; i < h->count; i++) {
		explicit_bzero(h->lines[i], strlen(h->lines[i]));
		free(h->lines[i]);
	}
}

static struct histories *histories_of(const struct backend *b)
{
	void **memory = source_memory(b->source);

	if (!*memory)
		*memory = histories_create();
	return *memory;
}

static void write_question(const struct backend *b, const struct back_ask *ask, struct buf *out)
{
	put_object(out, NULL);
	put_text(out, "model", ask->model);
	put_list(out, b->kind->messages);
	if (ask->session.len)
		histories_write(histories_of(b), ask->session, out);
	history_message(out, "user", ask->prompt);
	buf_print(out, "]%s}", b->kind->more);
}

/* --- is it there? ---------------------------------------------------------------- */

static bool backend_look(struct backend *b, struct error *why);

/* A server that does not list its models can still be asked for one by name. */
static bool can_do_without(const struct backend *b, const struct models_answer *answer)
{
	bool is_missing = answer->status == 404 || answer->status == 405 || answer->status == 501;

	return is_missing && (b->kind->models || source_model(b->source).len);
}

static void tell_models(struct backend *b, const struct models_answer *answer)
{
	struct text names[MODELS_MAX];
	size_t n = 0;

	if (answer->is_list && (answer->count || !b->kind->models)) {
		source_set_models(b->source, answer->names, answer->count);
		return;
	}
	while (b->kind->models && b->kind->models[n]) {
		names[n] = text_of(b->kind->models[n]);
		n++;
	}
	source_set_models(b->source, names, n);
}

static void models_came(void *self, const struct models_answer *answer)
{
	struct backend *b = self;
	struct loss loss = {answer->why, answer->retry_after_ms, answer->for_good};

	b->models = NULL;
	if (!answer->is_list && !can_do_without(b, answer)) {
		b->is_live = false;
		source_lost(b->source, &loss);
		return;
	}
	tell_models(b, answer);
	if (!b->is_live)
		source_live(b->source);
	b->is_live = true;
}

static bool backend_look(struct backend *b, struct error *why)
{
	struct headers headers;
	struct models_options o = {
		.url = source_url(b->source),
		.path = b->kind->models_path,
		.list = b->kind->list,
		.name = b->kind->name,
		.total_ms = MODELS_MS,
		.self = b,
		.done = models_came,
	};

	headers_init(&headers, b);
	o.headers = (const char *const *)headers.lines;
	b->models = models_ask(source_requests(b->source), &o, why);
	headers_finish(&headers);
	return b->models != NULL;
}

/* The answers that are under way go before: losing the source would end them. */
static void look_again(struct backend *b)
{
	if (!b->in_doubt || b->count > 0 || b->models || !b->is_live)
		return;
	b->in_doubt = false;
	backend_look(b, NULL);
}

/* --- asks ------------------------------------------------------------------------ */

static void answer_over(void *self, const struct answer_end *end)
{
	struct backend *b = self;

	if (end->success && end->words.len) /* servers refuse an empty message */
		histories_note(histories_of(b), end->session, end->prompt, end->words);
	b->in_doubt = b->in_doubt || end->doubtful;
}

static void backend_drop(struct backend *b, const struct answer *answer)
{
	for (unsigned i = 0; i < b->count; i++) {
		if (b->answers[i] == answer) {
			b->answers[i] = b->answers[--b->count];
			return;
		}
	}
}

static void answer_gone(void *self, struct answer *answer)
{
	backend_drop(self, answer);
	look_again(self);
}

static struct answer *backend_start(struct backend *b, const struct back_ask *ask,
                                    struct text question, struct error *why)
{
	char *url = models_url(source_url(b->source), b->kind->ask_path);
	struct headers headers;
	struct answer_options o = {
		.source = b->source,
		.kind = parse_find(text_of(b->kind->parser)),
		.ask = ask,
		.url = url,
		.body = question,
		.self = b,
		.over = answer_over,
		.gone = answer_gone,
	};
	struct answer *answer;

	headers_init(&headers, b);
	headers.lines[headers.count++] = must_dup("Content-Type: application/json");
	headers.lines[headers.count++] = must_dup("Accept: text/event-stream, application/json");
	o.headers = (const char *const *)headers.lines;
	answer = answer_start(&o, why);
	headers_finish(&headers);
	free(url);
	return answer;
}

static bool backend_check(const struct backend *b, const struct back_ask *ask, struct error *why)
{
	if (!b->is_live)
		return error_set(why, "it is not connected");
	if (ask->prompt.len == 0 || ask->prompt.len > BACK_PROMPT_MAX)
		return error_set(why, "a prompt has 1 to %d bytes", BACK_PROMPT_MAX);
	if (ask->model.len == 0)
		return error_set(why, "it lists no models: name one");
	return b->count < BACKEND_ASKS_MAX ||
	       error_set(why, "%d asks are under way there already", BACKEND_ASKS_MAX);
}

bool backend_ask(void *self, const struct back_ask *given, struct error *why)
{
	struct backend *b = self;
	struct back_ask ask = *given;
	struct answer *answer = NULL;
	struct buf question;

	if (ask.model.len == 0)
		ask.model = source_model(b->source);
	if (!backend_check(b, &ask, why))
		return false;
	buf_init(&question, QUESTION_MAX);
	write_question(b, &ask, &question);
	if (question.full)
		error_set(why, "the prompt is too long");
	else
		answer = backend_start(b, &ask, buf_text(&question), why);
	buf_finish(&question);
	if (!answer)
		return false;
	assert(b->count < sizeof(b->answers) / sizeof(*b->answers));
	b->answers[b->count++] = answer;
	answer_hush(answer, b->is_hushed);
	return true;
}

enum back_answer backend_cancel(void *self, const struct back_control *control, struct error *why)
{
	struct backend *b = self;

	for (unsigned i = 0; i < b->count; i++) {
		struct answer *answer = b->answers[i];

		if (answer_is_of(answer, control->run)) {
			backend_drop(b, answer);
			answer_destroy(answer);
			look_again(b);
			return BACK_DONE;
		}
	}
	return BACK_UNKNOWN;
}

/* --- life ------------------------------------------------------------------------ */

static void become_stream(struct later *later)
{
	source_become(list_of(later, struct backend, other)->source, NULL);
}

void *backend_open(struct source *source, const struct backend_kind *kind, struct error *why)
{
	struct backend *b = must_zero(1, sizeof(*b));

	b->source = source;
	b->kind = kind;
	b->other.run = become_stream;
	if (!source_transport(source)->needs_credential || source_credential(source)) {
		if (backend_look(b, why))
			return b;
	} else if (source_is_guessed(source)) {
		loop_later(source_loop(source), &b->other);
		return b;
	} else {
		error_set(why, "it needs a credential: an API key");
	}
	free(b);
	return NULL;
}

void backend_close(void *self)
{
	struct backend *b = self;

	loop_forget(&b->other);
	models_cancel(b->models);
	while (b->count > 0)
		answer_destroy(b->answers[--b->count]);
	free(b);
}

/* Who goes on may speak at once: then an answer leaves, and the last takes its place,
 * or all are hushed again from in here. */
void backend_hush(void *self, bool hush)
{
	struct backend *b = self;

	b->is_hushed = hush;
	for (unsigned i = b->count; i-- > 0 && b->is_hushed == hush;)
		if (i < b->count)
			answer_hush(b->answers[i], hush);
}

void backend_forget(void *memory)
{
	histories_destroy(memory);
}
