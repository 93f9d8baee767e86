/* saved_test.c - a play that is cut, saved and gone on with is the same play. */
#include "play/play.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/must.h"

#define FIXTURES "tests/fixtures/show/"
#define SIGNALS_MAX 1024
#define TEXT_MAX (64 * MIB)

/* A recording and its show. */
struct script {
	struct show *show;
	yyjson_doc *lines[SIGNALS_MAX];
	size_t count;
	double first_ms;
};

struct stand {
	struct play *play;
	struct buf told; /* a line for each command */
};

/* ---- fixtures ---- */

static void take(void *self, const struct command *command, uint64_t version)
{
	struct stand *stand = self;

	buf_print(&stand->told, "%llu ", (unsigned long long)version);
	command_json(command, &stand->told);
	buf_add_char(&stand->told, '\n');
	assert_false(stand->told.full);
}

static struct show *read_show(struct text json)
{
	struct error why = {""};
	struct show *show = show_read(json, &why);

	if (!show)
		fail_msg("%s", why.words);
	return show;
}

static struct show *read_show_file(const char *path)
{
	FILE *file = fopen(path, "re");
	static char text[256 * KIB];
	size_t len;

	if (!file)
		fail_msg("no %s", path);
	len = fread(text, 1, sizeof(text), file);
	fclose(file);
	return read_show((struct text){text, len});
}

static void script_init(struct script *s, struct show *show, const char *recording)
{
	FILE *file = fopen(recording, "re");
	char *line = NULL;
	size_t room = 0;
	ssize_t len;

	if (!file)
		fail_msg("no %s", recording);
	*s = (struct script){.show = show};
	while ((len = getline(&line, &room, file)) > 0 && s->count < SIGNALS_MAX) {
		s->lines[s->count] = yyjson_read(line, (size_t)len, 0);
		assert_non_null(s->lines[s->count++]);
	}
	assert_true(s->count > 5);
	s->first_ms = show_number(yyjson_doc_get_root(s->lines[0]), "timestamp", 0);
	free(line);
	fclose(file);
}

static void script_finish(struct script *s)
{
	for (size_t i = 0; i < s->count; i++)
		yyjson_doc_free(s->lines[i]);
	show_destroy(s->show);
}

static void open_stand(struct stand *stand, const struct show *show)
{
	const struct play_options options = {.self = stand, .command = take};

	stand->play = play_create(show, &options, NULL);
	assert_non_null(stand->play);
}

static void save(const struct stand *stand, struct buf *out)
{
	buf_clear(out);
	play_save(stand->play, out);
	assert_false(out->full);
}

static void load(struct stand *stand, struct text saved)
{
	yyjson_doc *doc = yyjson_read(saved.at, saved.len, 0);

	assert_non_null(doc);
	assert_true(play_load(stand->play, yyjson_doc_get_root(doc)));
	yyjson_doc_free(doc);
}

static double time_of(const struct script *s, size_t i)
{
	return show_number(yyjson_doc_get_root(s->lines[i]), "timestamp", 0) - s->first_ms;
}

static void play_one(struct stand *stand, const struct script *s, size_t i)
{
	yyjson_val *root = yyjson_doc_get_root(s->lines[i]);
	const struct cue cue = {
		.type = show_text(root, "type"),
		.source = show_text(root, "source"),
		.correlation = show_text(root, "correlationId"),
		.payload = yyjson_obj_get(root, "payload"),
	};

	play_signal(stand->play, &cue, time_of(s, i));
}

static void look(const struct stand *stand, double now_ms, struct buf *out)
{
	buf_clear(out);
	play_look(stand->play, now_ms, out);
	play_counts(stand->play, out);
}

static void assert_same(const struct buf *a, const struct buf *b, const char *what)
{
	size_t i = 0, from;

	if (text_equal(buf_text(a), buf_text(b)))
		return;
	while (i < a->len && i < b->len && a->at[i] == b->at[i])
		i++;
	from = i > 200 ? i - 200 : 0;
	fail_msg("%s: ...%.*s\n  and not ...%.*s", what,
	         (int)(i - from + 100 < a->len - from ? i - from + 100 : a->len - from),
	         a->at + from,
	         (int)(i - from + 100 < b->len - from ? i - from + 100 : b->len - from),
	         b->at + from);
}

/* The play ends here, and another one goes on. */
static void cut(struct stand *stand, const struct show *show, double now_ms)
{
	struct buf saved, again, before, after;

	buf_init(&saved, TEXT_MAX);
	buf_init(&again, TEXT_MAX);
	buf_init(&before, TEXT_MAX);
	buf_init(&after, TEXT_MAX);
	play_tick(stand->play, now_ms);
	look(stand, now_ms, &before);
	save(stand, &saved);
	play_destroy(stand->play);
	open_stand(stand, show);
	load(stand, buf_text(&saved));
	look(stand, now_ms, &after);
	assert_same(&before, &after, "the look");
	save(stand, &again);
	assert_same(&saved, &again, "what is saved");
	buf_finish(&saved);
	buf_finish(&again);
	buf_finish(&before);
	buf_finish(&after);
}

/* ---- the property ---- */

/* A cut comes before every `every`th signal, somewhere in the pause before it. */
static void play_all(struct stand *stand, const struct script *s, size_t every, unsigned seed)
{
	buf_init(&stand->told, TEXT_MAX);
	open_stand(stand, s->show);
	for (size_t i = 0; i < s->count; i++) {
		double now = i ? time_of(s, i - 1) : 0, pause = time_of(s, i) - now;

		if (every && i % every == seed % every)
			cut(stand, s->show, now + pause * (rand_r(&seed) % 4) / 4);
		play_one(stand, s, i);
	}
	if (every)
		cut(stand, s->show, time_of(s, s->count - 1));
	play_end(stand->play);
	play_destroy(stand->play);
}

static void assert_cuts_do_not_show(struct show *show, const char *recording)
{
	static const size_t everies[] = {1, 7, 50};
	struct stand whole, parts;
	struct script script;

	script_init(&script, show, recording);
	play_all(&whole, &script, 0, 0);
	assert_true(whole.told.len > 1000);
	for (unsigned i = 0; i < 3; i++) {
		for (unsigned seed = 0; seed < 4; seed++) {
			play_all(&parts, &script, everies[i], seed);
			assert_same(&whole.told, &parts.told, recording);
			buf_finish(&parts.told);
		}
	}
	buf_finish(&whole.told);
	script_finish(&script);
}

static void the_show_of_the_program_goes_on_after_any_cut(void **state)
{
	assert_cuts_do_not_show(read_show(show_default()), FIXTURES "demo.ndjson");
	assert_cuts_do_not_show(read_show(show_default()), FIXTURES "claude.ndjson");
	assert_cuts_do_not_show(read_show(show_default()), FIXTURES "crowd.ndjson");
}

static void a_show_with_filters_and_bindings_goes_on_after_any_cut(void **state)
{
	assert_cuts_do_not_show(read_show_file(FIXTURES "small.json"), FIXTURES "small.ndjson");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_show_of_the_program_goes_on_after_any_cut),
		cmocka_unit_test(a_show_with_filters_and_bindings_goes_on_after_any_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
