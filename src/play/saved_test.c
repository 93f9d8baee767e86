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

static void take(void *self, const struct stage_command *command, uint64_t version)
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

/* Signals of all kinds at all times: another seed is another recording. */
static void script_improvise(struct script *s, struct show *show, unsigned seed)
{
	static const char *const types[] = {"tool_call", "tool_call",          "task_dispatch",
	                                    "error",     "agent_state_change", "text_delta",
	                                    "text_delta"};
	static const char *const names[] = {"ada", "bob", "guest", "visitor", "stranger"};
	static const char *const colors[] = {"#fff", "#102030", "red", ""};
	double now = 0;

	*s = (struct script){.show = show};
	while (s->count < 200) {
		unsigned n = (unsigned)rand_r(&seed);
		char *line = must_print(
			"{\"type\":\"%s\",\"timestamp\":%.2f,\"source\":\"%s\",\"correlationId\":"
			"\"%s\",\"payload\":{\"agentId\":\"%s\",\"n\":%u,"
			"\"toolName\":\"to\\nol %u\",\"content\":\"word %u. \",\"color\":\"%s\","
			"\"state\":\"s%u\",\"deep\":{\"a\":[%u,1.50,null]}}}",
			types[n % 7], now, n % 11 ? "demo" : "other",
			n % 5 ? n % 2 ? "c1" : "c2" : "", names[n / 7 % 5], n % 13, n, n,
			colors[n / 3 % 4], n % 3, n);

		s->lines[s->count] = yyjson_read(line, strlen(line), 0);
		assert_non_null(s->lines[s->count++]);
		free(line);
		now += rand_r(&seed) % 4 ? rand_r(&seed) % 20000 / 100.0 : 0;
	}
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
		.type = json_text_at(root, "type"),
		.source = json_text_at(root, "source"),
		.correlation = json_text_at(root, "correlationId"),
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

/* Ends the script. */
static void assert_cuts_do_not_show(struct script *script)
{
	static const size_t everies[] = {1, 7, 50};
	struct stand whole, parts;

	play_all(&whole, script, 0, 0);
	assert_true(whole.told.len > 1000);
	for (unsigned i = 0; i < 3; i++) {
		for (unsigned seed = 0; seed < 3; seed++) {
			play_all(&parts, script, everies[i], seed);
			assert_same(&whole.told, &parts.told, "what is told");
			buf_finish(&parts.told);
		}
	}
	buf_finish(&whole.told);
	script_finish(script);
}

static void the_show_of_the_program_goes_on_after_any_cut(void **state)
{
	static const char *const recordings[] = {"demo", "claude", "crowd"};

	for (unsigned i = 0; i < 3; i++) {
		char *path = must_print(FIXTURES "%s.ndjson", recordings[i]);
		struct script script;

		script_init(&script, read_show(show_default()), path);
		assert_cuts_do_not_show(&script);
		free(path);
	}
}

static void a_show_with_all_there_is_to_remember_goes_on_after_any_cut(void **state)
{
	for (unsigned seed = 1; seed <= 5; seed++) {
		struct script script;

		script_improvise(&script, read_show_file(FIXTURES "memory.json"), seed);
		assert_cuts_do_not_show(&script);
	}
}

/* ---- another document ---- */

/* The text of memory.json with one thing changed. */
static struct show *read_changed(const char *was, const char *is)
{
	FILE *file = fopen(FIXTURES "memory.json", "re");
	static char text[64 * KIB];
	struct show *show;
	struct buf changed;
	char *at;

	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	at = strstr(text, was);
	assert_non_null(at);
	buf_init(&changed, SHOW_MAX);
	buf_add(&changed, (struct text){text, (size_t)(at - text)});
	buf_add(&changed, text_of(is));
	buf_add(&changed, text_of(at + strlen(was)));
	show = read_show(buf_text(&changed));
	buf_finish(&changed);
	return show;
}

static void hear(struct stand *stand, const char *type, const char *payload, double now_ms)
{
	yyjson_doc *doc = yyjson_read(payload, strlen(payload), 0);
	const struct cue cue = {text_of(type), TEXT("demo"), TEXT("c"), yyjson_doc_get_root(doc)};

	assert_true(play_signal(stand->play, &cue, now_ms));
	yyjson_doc_free(doc);
}

/* What was begun in memory.json goes on in a show that is otherwise in one place. */
struct change {
	struct show *before, *after;
	struct stand stand;
};

static void change(struct change *c, double now_ms, const char *was, const char *is)
{
	struct buf saved;

	buf_init(&saved, TEXT_MAX);
	play_tick(c->stand.play, now_ms);
	save(&c->stand, &saved);
	play_destroy(c->stand.play);
	c->after = read_changed(was, is);
	open_stand(&c->stand, c->after);
	load(&c->stand, buf_text(&saved));
	buf_clear(&c->stand.told);
	buf_finish(&saved);
}

static void change_init(struct change *c)
{
	c->before = read_show_file(FIXTURES "memory.json");
	buf_init(&c->stand.told, TEXT_MAX);
	open_stand(&c->stand, c->before);
}

static void change_finish(struct change *c)
{
	play_destroy(c->stand.play);
	show_destroy(c->before);
	show_destroy(c->after);
	buf_finish(&c->stand.told);
}

static void assert_looks(const struct stand *stand, double now_ms, const char *part)
{
	struct buf seen;

	buf_init(&seen, TEXT_MAX);
	look(stand, now_ms, &seen);
	if (!memmem(seen.at, seen.len, part, strlen(part)))
		fail_msg("no %s in %.*s", part, TEXT_ARG(buf_text(&seen)));
	buf_finish(&seen);
}

static void what_is_the_same_goes_on_in_another_document(void **state)
{
	struct change c;

	change_init(&c);
	hear(&c.stand, "tool_call", "{\"agentId\":\"ada\",\"toolName\":\"x\"}", 0);
	hear(&c.stand, "agent_state_change", "{\"agentId\":\"bob\",\"n\":9}", 50);
	change(&c, 105, "\"id\": \"send\", \"on\": \"task_dispatch\"",
	       "\"id\": \"send\", \"on\": \"task\"");
	assert_looks(&c.stand, 105, "\"tweens\":[{\"kind\":\"start\",\"at\":105,");
	assert_looks(&c.stand, 105, "\"elapsed\":105,\"from\":{\"x\":10,\"y\":20}}");
	assert_looks(&c.stand, 105, "\"elapsed\":55,\"from\":0.75}");
	play_tick(c.stand.play, 300);
	assert_non_null(memmem(c.stand.told.at, c.stand.told.len,
	                       "{\"kind\":\"complete\",\"at\":210,\"performanceId\":\"perf-1\"",
	                       50));
	change_finish(&c);
}

static void who_was_in_a_lost_performance_is_as_the_document_says(void **state)
{
	struct change c;

	change_init(&c);
	hear(&c.stand, "task_dispatch", "{\"agentId\":\"ada\"}", 0);
	assert_looks(&c.stand, 20, "\"semanticId\":\"mail\",\"x\":100,\"y\":100,");
	change(&c, 20, "\"duration\": 400", "\"duration\": 500");
	assert_looks(&c.stand, 20, "\"semanticId\":\"mail\",\"x\":0,\"y\":0,");
	play_end(c.stand.play);
	assert_null(memmem(c.stand.told.at, c.stand.told.len, "mail", 4));
	change_finish(&c);
}

static void a_number_of_a_lost_binding_is_as_the_document_says(void **state)
{
	struct change c;

	change_init(&c);
	hear(&c.stand, "agent_state_change", "{\"agentId\":\"bob\",\"n\":9}", 0);
	assert_looks(&c.stand, 300, "\"opacity\":0.3,");
	change(&c, 300, "\"targetValue\": 0.3", "\"targetValue\": 0.4");
	assert_looks(&c.stand, 300,
	             "\"semanticId\":\"bob\",\"x\":70,\"y\":20,\"scaleX\":1,\"scaleY\":1,"
	             "\"rotation\":0,\"opacity\":0.75,");
	play_end(c.stand.play);
	assert_int_equal(c.stand.told.len, 0);
	change_finish(&c);
}

static void an_entity_that_was_changed_is_at_its_new_place(void **state)
{
	struct change c;

	change_init(&c);
	hear(&c.stand, "tool_call", "{\"agentId\":\"ada\",\"toolName\":\"x\"}", 0);
	change(&c, 100, "\"x\": 10, \"y\": 20", "\"x\": 11, \"y\": 22");
	assert_looks(&c.stand, 100, "\"semanticId\":\"ada\",\"x\":11,\"y\":22,");
	assert_looks(&c.stand, 100, "\"tweens\":[]");
	change_finish(&c);
}

/* ---- what was not written here ---- */

static void play_on(struct stand *stand)
{
	hear(stand, "tool_call", "{\"agentId\":\"ada\",\"toolName\":\"x\"}", 1e6);
	play_end(stand->play);
}

static void damage_is_refused_or_survived(void **state)
{
	struct change c;
	struct buf saved, damaged;
	unsigned seed = 7;

	change_init(&c);
	c.after = NULL;
	hear(&c.stand, "tool_call", "{\"agentId\":\"guest\",\"toolName\":\"x\"}", 0);
	hear(&c.stand, "agent_state_change", "{\"agentId\":\"bob\",\"n\":9}", 20);
	hear(&c.stand, "task_dispatch", "{\"agentId\":\"ada\"}", 230);
	buf_init(&saved, TEXT_MAX);
	buf_init(&damaged, TEXT_MAX);
	save(&c.stand, &saved);
	for (unsigned i = 0; i < 4000; i++) {
		static const char bytes[] = "0123456789-,[]{}\"nte.";
		yyjson_doc *doc;

		buf_clear(&damaged);
		buf_add(&damaged, buf_text(&saved));
		damaged.at[(size_t)rand_r(&seed) % damaged.len] =
			bytes[(size_t)rand_r(&seed) % (sizeof(bytes) - 1)];
		doc = yyjson_read(damaged.at, damaged.len, 0);
		if (!doc)
			continue;
		play_destroy(c.stand.play);
		open_stand(&c.stand, c.before);
		buf_clear(&c.stand.told);
		if (play_load(c.stand.play, yyjson_doc_get_root(doc)))
			play_on(&c.stand);
		yyjson_doc_free(doc);
	}
	buf_finish(&saved);
	buf_finish(&damaged);
	change_finish(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_show_of_the_program_goes_on_after_any_cut),
		cmocka_unit_test(a_show_with_all_there_is_to_remember_goes_on_after_any_cut),
		cmocka_unit_test(what_is_the_same_goes_on_in_another_document),
		cmocka_unit_test(who_was_in_a_lost_performance_is_as_the_document_says),
		cmocka_unit_test(a_number_of_a_lost_binding_is_as_the_document_says),
		cmocka_unit_test(an_entity_that_was_changed_is_at_its_new_place),
		cmocka_unit_test(damage_is_refused_or_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
