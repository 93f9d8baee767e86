/* models.c - one GET, one JSON object, a list of names. */
#include "source/models/models.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/must.h"
#include "net/request.h"
#include "net/url.h"
#include "parse/fault.h"
#include "signal/json.h"

#define NOT_THERE "it does not list models there"
#define BODY_MAX (4 * MIB) /* some servers list hundreds, with prices */

struct models {
	struct models_options options;
	struct request *request;
	int status;
	unsigned retry_after_ms;
	struct buf body;
};

char *models_url(const char *server, const char *path)
{
	struct text query, base = text_cut(text_of(server), '?', &query);

	base = url_base(base);
	if (base.len >= 3 && memcmp(base.at + base.len - 3, "/v1", 3) == 0 &&
	    text_starts(text_of(path), TEXT("/v1/")))
		base.len -= 3;
	return must_print("%.*s%s", TEXT_ARG(base), path);
}

static void models_free(struct models *m)
{
	buf_finish(&m->body);
	free(m);
}

void models_cancel(struct models *m)
{
	if (!m)
		return;
	request_cancel(m->request);
	models_free(m);
}

static size_t read_names(const struct models *m, yyjson_val *list, struct text *names)
{
	yyjson_arr_iter it = yyjson_arr_iter_with(list);
	yyjson_val *entry;
	size_t n = 0;

	while ((entry = yyjson_arr_iter_next(&it)) && n < MODELS_MAX) {
		struct text name = json_text(yyjson_obj_get(entry, m->options.name));

		if (name.len && name.len <= MODEL_NAME_MAX)
			names[n++] = name;
	}
	return n;
}

/* An object with the list's name says enough: a server without any models has null
 * there. */
static bool read_list(const struct models *m, yyjson_val *root, struct models_answer *answer,
                      struct text *names)
{
	yyjson_val *list = yyjson_obj_get(root, m->options.list);

	if (!list && !yyjson_obj_get(root, "object"))
		return false;
	answer->is_list = true;
	answer->names = names;
	if (yyjson_is_arr(list))
		answer->count = read_names(m, list, names);
	return true;
}

static void models_read_answer(struct models *m, struct models_answer *answer)
{
	struct text names[MODELS_MAX];
	struct fault fault;
	yyjson_doc *doc = NULL;

	if (fault_is(answer->status)) {
		fault_read(&fault, answer->status, buf_text(&m->body));
		answer->why = fault.words;
		answer->for_good = fault_is_for_good(answer->status);
	} else {
		doc = yyjson_read(m->body.at, m->body.len, 0);
		if (!read_list(m, yyjson_doc_get_root(doc), answer, names))
			answer->why = NOT_THERE;
	}
	m->options.done(m->options.self, answer);
	yyjson_doc_free(doc);
}

static void models_got_head(void *self, const struct request_head *head)
{
	struct models *m = self;

	struct models_answer none = {.status = head->status, .why = NOT_THERE};

	m->status = head->status;
	m->retry_after_ms = head->retry_after_ms;
	if (fault_is(head->status) || !text_starts(head->content_type, TEXT("text/")))
		return;
	/* A page, or a stream that would go on for ever. */
	request_cancel(m->request);
	m->options.done(m->options.self, &none);
	models_free(m);
}

static void models_got_body(void *self, struct text bytes)
{
	struct models *m = self;

	buf_add(&m->body, bytes);
}

static void models_is_done(void *self, const char *why)
{
	struct models *m = self;
	struct models_answer answer = {
		.status = m->status,
		.retry_after_ms = m->retry_after_ms,
		.for_good = request_fault(m->request) == REQUEST_UNTRUSTED,
		.why = why,
	};

	if (why && !fault_tells(answer.status, why))
		m->options.done(m->options.self, &answer);
	else
		models_read_answer(m, &answer);
	models_free(m);
}

struct models *models_ask(struct requests *requests, const struct models_options *options,
                          struct error *why)
{
	struct models *m = must_zero(1, sizeof(*m));
	char *url = models_url(options->url, options->path);
	struct request_options o = {
		.url = url,
		.headers = options->headers,
		.total_ms = options->total_ms,
		.body_max = BODY_MAX,
		.self = m,
		.head = models_got_head,
		.heard = models_got_body,
		.done = models_is_done,
	};

	m->options = *options;
	buf_init(&m->body, BODY_MAX);
	m->request = request_start(requests, &o, why);
	free(url);
	if (m->request)
		return m;
	models_free(m);
	return NULL;
}
