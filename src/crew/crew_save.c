/* crew_save.c - sessions for the checkpoint, and back. */
#include <math.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "crew/inside.h"

/* ---- saved ---- */

static void save_words(const struct crew_member *m, struct buf *out)
{
	put_list(out, "words");
	for (unsigned i = 0; i < MEMBER_WORDS; i++)
		put_word(out, NULL, m->words[i]);
	put_list_end(out);
	put_list(out, "told");
	for (unsigned i = 0; i < MEMBER_WORDS; i++) {
		put_key(out, NULL);
		json_add_number(out, m->told_ms[i]);
	}
	put_list_end(out);
}

static void save_pulse(const struct crew_member *m, struct buf *out)
{
	put_i64(out, "minute", m->pulse_minute);
	put_list(out, "pulse");
	for (unsigned i = 0; i < MEMBER_PULSE; i++)
		put_u64(out, NULL, m->pulse[i]);
	put_list_end(out);
}

static void member_save(const struct crew_member *m, struct buf *out)
{
	put_object(out, NULL);
	put_word(out, "id", m->id);
	put_word(out, "handle", m->handle);
	put_word(out, "source", m->source);
	put_u64(out, "pid", m->pid);
	put_bool(out, "left", m->is_left);
	put_bool(out, "figure", m->is_told);
	json_member_text(out, "main", m->main);
	json_member_text(out, "answers", m->answers);
	json_member_text(out, "key", m->key);
	put_list(out, "runs");
	for (unsigned i = 0; i < m->run_count; i++)
		put_word(out, NULL, m->runs[i]);
	put_list_end(out);
	put_u64(out, "open", m->open_runs);
	save_words(m, out);
	standing_save(&m->standing, "standing", out);
	crew_add_agents(m, true, out);
	json_member_number(out, "planned", m->plan.at_ms);
	plan_json(&m->plan, "plan", out);
	changes_save(&m->changes, "changes", out);
	json_member_number(out, "first", m->first_ms);
	json_member_number(out, "last", m->last_ms);
	save_pulse(m, out);
	put_end(out);
}

static void save_one(const void *thing, struct buf *out)
{
	member_save(thing, out);
}

/* Of as many sessions as there may be, all with as much as each may have, the quietest lose it. */
static void slim_quietest(struct crew *crew)
{
	list_each(&crew->all, l) {
		struct crew_member *m = list_of(l, struct crew_member, in_all);

		if (crew->to_slim == 0)
			return;
		crew->to_slim--;
		if (crew->count > CREW_MAX / 2 && state_is_over(m->standing.state))
			crew_forget(crew, m);
		else
			member_slim(m);
	}
	crew->to_slim = 0;
}

/* For the next time: this one is not kept when it is too long. */
static void weigh_saved(struct crew *crew, size_t len)
{
	if (len > CREW_SAVED_MAX / 8 * 7)
		crew->to_slim = crew->count;
	else if (len > CREW_SAVED_MAX / 4 * 3)
		crew->to_slim = crew->count / 2;
}

void crew_save_begin(struct crew *crew)
{
	slim_quietest(crew);
	saving_begin(&crew->saving, crew->count, save_one);
	list_each(&crew->all, l) {
		struct crew_member *m = list_of(l, struct crew_member, in_all);

		saving_add(&crew->saving, m, &m->to_save);
	}
	buf_clear(&crew->head);
	put_object(&crew->head, NULL);
	handles_save(&crew->handles, "handles", &crew->head);
	peaks_save(&crew->peaks, "peaks", &crew->head);
	put_list(&crew->head, "members");
}

bool crew_save_more(struct crew *crew, struct buf *out)
{
	bool is_last;

	if (crew->head.len) {
		buf_add(out, buf_text(&crew->head));
		buf_finish(&crew->head);
	}
	is_last = !saving_more(&crew->saving, out);
	weigh_saved(crew, out->len);
	if (!is_last)
		return true;
	buf_add(out, TEXT("]}"));
	return false;
}

/* ---- loaded ---- */

static double loaded_number(yyjson_val *object, const char *name)
{
	double number = 0;

	return json_number(yyjson_obj_get(object, name), &number) && isfinite(number) ? number : 0;
}

static char *loaded_text(yyjson_val *object, const char *name)
{
	struct text t = json_text_at(object, name);

	return t.len && t.len <= 2 * MEMBER_WORD_MAX && !memchr(t.at, '\0', t.len) ? text_dup(t)
	                                                                           : NULL;
}

static bool load_words(struct crew_member *m, yyjson_val *saved)
{
	yyjson_val *words = yyjson_obj_get(saved, "words"), *told = yyjson_obj_get(saved, "told");

	if (yyjson_arr_size(words) != MEMBER_WORDS || yyjson_arr_size(told) != MEMBER_WORDS)
		return false;
	for (unsigned i = 0; i < MEMBER_WORDS; i++) {
		struct text word = json_text(yyjson_arr_get(words, i));

		if (word.len && word.len <= MEMBER_WORD_MAX && !memchr(word.at, '\0', word.len))
			m->words[i] = text_dup(word);
		json_number(yyjson_arr_get(told, i), &m->told_ms[i]);
	}
	return true;
}

static bool find_saved_agent(const struct crew_member *m, struct text id)
{
	list_each(&m->agents, l)
		if (text_is(id, list_of(l, struct crew_agent, in_member)->id))
			return true;
	return false;
}

static bool load_agents(struct crew_member *m, yyjson_val *agents)
{
	yyjson_arr_iter it = yyjson_arr_iter_with(agents);
	yyjson_val *saved;

	while ((saved = yyjson_arr_iter_next(&it))) {
		struct text id = json_text_at(saved, "id");
		struct crew_agent *a;

		if (!member_can_be(id) || m->agent_count == MEMBER_AGENTS_MAX)
			return false;
		if (find_saved_agent(m, id))
			return false;
		a = member_agent(m, id);
		a->name = loaded_text(saved, "name");
		a->task = loaded_text(saved, "task");
		a->parent = loaded_text(saved, "parent");
		a->first_ms = loaded_number(saved, "first");
		a->last_ms = loaded_number(saved, "last");
		if (!standing_load(&a->standing, yyjson_obj_get(saved, "standing")))
			return false;
	}
	return true;
}

static void load_pulse(struct crew_member *m, yyjson_val *saved)
{
	yyjson_arr_iter it = yyjson_arr_iter_with(yyjson_obj_get(saved, "pulse"));
	yyjson_val *count;

	m->pulse_minute = yyjson_get_sint(yyjson_obj_get(saved, "minute"));
	for (unsigned i = 0; i < MEMBER_PULSE && (count = yyjson_arr_iter_next(&it)); i++)
		m->pulse[i] = (uint32_t)yyjson_get_uint(count);
}

static void load_runs(struct crew_member *m, yyjson_val *runs)
{
	yyjson_arr_iter it = yyjson_arr_iter_with(runs);
	yyjson_val *run;

	while ((run = yyjson_arr_iter_next(&it)) && m->run_count <= MEMBER_RUNS_MAX)
		if (member_can_be(json_text(run)))
			m->runs[m->run_count++] = text_dup(json_text(run));
	if (m->run_count > 1) { /* the list is whole without the first, its id */
		free(m->runs[0]);
		m->run_count--;
		memmove(m->runs, m->runs + 1, m->run_count * sizeof(m->runs[0]));
	}
}

/* Those of before had it by their source alone. */
static bool was_told(const struct crew_member *m, yyjson_val *saved)
{
	struct session_said said;

	if (saved)
		return yyjson_is_true(saved);
	session_read(&said, &(struct session_signal){.source = text_of(m->source)});
	return said.is_told;
}

static bool fill_member(struct crew_member *m, yyjson_val *saved)
{
	m->handle = loaded_text(saved, "handle");
	m->pid = yyjson_get_uint(yyjson_obj_get(saved, "pid"));
	m->is_left = yyjson_is_true(yyjson_obj_get(saved, "left"));
	m->is_told = was_told(m, yyjson_obj_get(saved, "figure"));
	m->main = loaded_text(saved, "main");
	m->answers = loaded_text(saved, "answers");
	m->key = loaded_text(saved, "key");
	load_runs(m, yyjson_obj_get(saved, "runs"));
	m->open_runs = yyjson_get_uint(yyjson_obj_get(saved, "open"));
	plan_load(&m->plan, yyjson_obj_get(saved, "plan"));
	m->plan.at_ms = loaded_number(saved, "planned");
	changes_load(&m->changes, yyjson_obj_get(saved, "changes"));
	m->first_ms = loaded_number(saved, "first");
	m->last_ms = loaded_number(saved, "last");
	load_pulse(m, saved);
	return m->handle && m->pulse_minute >= 0 && load_words(m, saved) &&
	       standing_load(&m->standing, yyjson_obj_get(saved, "standing")) &&
	       load_agents(m, yyjson_obj_get(saved, "agents"));
}

static struct crew_member *member_load(yyjson_val *saved)
{
	struct text id = json_text_at(saved, "id");
	struct crew_member *m;

	if (!member_can_be(id))
		return NULL;
	m = member_create(id, json_text_at(saved, "source"));
	if (fill_member(m, saved))
		return m;
	member_destroy(m);
	return NULL;
}

static bool load_members(struct crew *crew, yyjson_val *members)
{
	yyjson_arr_iter it = yyjson_arr_iter_with(members);
	yyjson_val *saved;

	if (!yyjson_is_arr(members))
		return false;
	while ((saved = yyjson_arr_iter_next(&it)) && crew->count < CREW_MAX) {
		struct crew_member *m = member_load(saved);

		if (!m)
			return false;
		crew_add(crew, m);
		crew_count_work(crew, m, 0);
	}
	return true;
}

bool crew_load(struct crew *crew, struct text saved)
{
	yyjson_doc *doc = yyjson_read_opts((char *)saved.at, saved.len, 0, &json_memory, NULL);
	yyjson_val *root = yyjson_doc_get_root(doc);
	bool good;

	handles_load(&crew->handles, yyjson_obj_get(root, "handles"));
	peaks_load(&crew->peaks, yyjson_obj_get(root, "peaks"));
	good = load_members(crew, yyjson_obj_get(root, "members"));
	yyjson_doc_free(doc);
	if (!good)
		crew_forget_all(crew);
	return good;
}
