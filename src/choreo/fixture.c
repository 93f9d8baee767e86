/* fixture.c - playing documents in tests. */
#include "choreo/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/must.h"
#include "signal/json.h"

#define SAID_MAX (64 * MIB)

static void add_numbers(struct buf *out, double a, double b)
{
	buf_add_char(out, ' ');
	json_add_number(out, a);
	buf_add_char(out, ' ');
	json_add_number(out, b);
}

static void add_words(struct buf *out, struct text a, struct text b)
{
	buf_print(out, " %.*s %.*s", TEXT_ARG(a), TEXT_ARG(b));
}

static void write_command(struct buf *out, const struct stage_command *c)
{
	json_add_number(out, c->at_ms);
	buf_print(out, " %s perf-%llu", command_kind_name(c->kind),
	          (unsigned long long)c->performance);
	if (c->kind == COMMAND_INTERRUPT) {
		add_words(out, c->correlation, c->interrupted_by);
	} else {
		add_words(out, c->action, c->entity);
		buf_print(out, " %.*s", TEXT_ARG(c->params));
	}
	if (c->kind == COMMAND_START) {
		buf_add_char(out, ' ');
		json_add_number(out, c->duration);
		buf_print(out, " %.*s", TEXT_ARG(c->easing));
	}
	if (c->kind == COMMAND_UPDATE || (c->kind == COMMAND_START && c->elapsed > 0))
		add_numbers(out, c->progress, c->elapsed);
	buf_add_char(out, '\n');
}

static void take(void *self, const struct stage_command *command)
{
	struct troupe *t = self;

	write_command(&t->said, command);
	assert_false(t->said.full);
	if (t->also)
		t->also(t->self, command);
}

void troupe_init(struct troupe *t, const char *choreographies, bool updates)
{
	const struct choreo_options options = {.self = t, .command = take, .updates = updates};
	struct error why;

	*t = (struct troupe){0};
	buf_init(&t->said, SAID_MAX);
	t->doc = yyjson_read(choreographies, strlen(choreographies), 0);
	assert_non_null(t->doc);
	t->choreographies = yyjson_doc_get_root(t->doc);
	t->choreo = choreo_create(t->choreographies, &options, &why);
	if (!t->choreo)
		fail_msg("%s: %s", choreographies, why.words);
}

void troupe_finish(struct troupe *t)
{
	choreo_destroy(t->choreo);
	yyjson_doc_free(t->doc);
	buf_finish(&t->said);
}

unsigned troupe_hear_cue(struct troupe *t, const struct cue *cue, double now_ms)
{
	yyjson_arr_iter at = yyjson_arr_iter_with(t->choreographies);
	yyjson_val *choreography;
	unsigned begun = 0;

	while ((choreography = yyjson_arr_iter_next(&at)))
		if (text_equal(json_text_at(choreography, "on"), cue->type))
			begun += choreo_hear(t->choreo, at.idx - 1, cue, now_ms);
	return begun;
}

unsigned troupe_hear(struct troupe *t, const char *type, const char *payload,
                     const char *correlation, double now_ms)
{
	yyjson_doc *doc = yyjson_read(payload, strlen(payload), 0);
	const struct cue cue = {
		.type = text_of(type),
		.correlation = text_of(correlation),
		.payload = yyjson_doc_get_root(doc),
	};
	unsigned begun = troupe_hear_cue(t, &cue, now_ms);

	assert_non_null(doc);
	yyjson_doc_free(doc);
	return begun;
}

void troupe_tick(struct troupe *t, const double *times)
{
	for (; *times >= 0; times++)
		choreo_tick(t->choreo, *times);
}

void troupe_run(struct troupe *t, double until_ms)
{
	double due, last = -1;

	while ((due = choreo_next(t->choreo)) <= until_ms) {
		assert_true(due > last);
		choreo_tick(t->choreo, due);
		last = due;
	}
}

void assert_said(struct troupe *t, const char *lines)
{
	if (!text_is(buf_text(&t->said), lines))
		fail_msg("said\n%.*snot\n%s", TEXT_ARG(buf_text(&t->said)), lines);
	buf_clear(&t->said);
}

yyjson_doc *vectors_read(const char *name)
{
	char *path = must_print("../shared/vectors/%s", name);
	yyjson_doc *doc = NULL;

	if (access(path, R_OK) == 0) {
		doc = yyjson_read_file(path, 0, NULL, NULL);
		assert_non_null(doc);
	}
	free(path);
	if (!doc) {
		print_message("# skipped: ../shared/vectors/%s is not there\n", name);
		skip();
	}
	return doc;
}
