/* live_rows.c - who is at work, with the end of what each says. */
#include "tui/live_rows.h"

#include <assert.h>
#include <stdio.h>

#include "tui/named.h"
#include "tui/paper.h"

#define LINES_MAX 6u /* of the words of one */

static void live_rows_add(struct live_rows *rows, const struct live_row *row)
{
	if (rows->count < LIVE_ROWS_MAX)
		rows->at[rows->count++] = *row;
	assert(rows->count <= LIVE_ROWS_MAX);
}

/* ---- words ---- */

static struct text without_end(struct text said)
{
	while (said.len > 0 && (said.at[said.len - 1] == '\n' || said.at[said.len - 1] == ' '))
		said.len--;
	return said;
}

/* The last lines of it, wrapped; how many there are. */
static unsigned last_lines(struct text said, int cols, unsigned most, struct text lines[LINES_MAX])
{
	unsigned count = 0;

	while (said.len > 0) {
		struct text rest, line = text_cut(said, '\n', &rest);

		do {
			size_t len = paper_row_len(line, cols);

			if (count == most)
				memmove(lines, lines + 1, --count * sizeof(*lines));
			lines[count++] = (struct text){line.at, len};
			line = (struct text){line.at + len, line.len - len};
		} while (line.len > 0);
		said = rest;
	}
	return count;
}

static bool says_something(const struct live_row *row)
{
	return row->one && without_end(invocation_tail(row->one)).len > 0;
}

/* A row, and what it says below it. */
static void add_speaker(struct live_rows *rows, const struct live_row *row)
{
	struct text said = without_end(row->one ? invocation_tail(row->one) : TEXT(""));
	struct live_row line = *row;
	struct text lines[LINES_MAX];
	unsigned count = 0;

	live_rows_add(rows, row);
	rows->talkers += said.len > 0;
	if (said.len > 0 && rows->lines > 0 && rows->cols > 0)
		count = last_lines(said, rows->cols, rows->lines, lines);
	line.kind = LIVE_SAID;
	for (unsigned i = 0; i < count; i++) {
		line.said = lines[i];
		live_rows_add(rows, &line);
	}
}

/* ---- sessions ---- */

/* Of those that it has, the one that streams, or else the one that was heard last. */
static void take_speaker(struct live_row *row, const struct invocation *one)
{
	bool streams = one->status == INVOCATION_STREAMING;
	bool has_stream = row->one && row->one->status == INVOCATION_STREAMING;

	row->count++;
	row->done += one->status == INVOCATION_DONE;
	if (!row->one || (streams && !has_stream) ||
	    (streams == has_stream && one->active_ts >= row->one->active_ts))
		row->one = one;
}

static void find_in_run(const struct tui *tui, struct live_row *row, struct text run)
{
	list_each(&model_fold(&tui->model, run)->invocations, l) {
		const struct invocation *one = list_of(l, struct invocation, in_fold);
		struct named who = named_find(
			&tui->board.sessions,
			&(struct invoked){run, text_of(one->invoke), text_of(one->session)});

		if (who.member == row->member && who.agent == row->agent)
			take_speaker(row, one);
	}
}

static void find_speaker(const struct tui *tui, struct live_row *row)
{
	yyjson_arr_iter it = yyjson_arr_iter_with(yyjson_obj_get(row->member, "runs"));
	yyjson_val *run;

	if (!it.max)
		find_in_run(tui, row, json_text_at(row->member, "run"));
	while ((run = yyjson_arr_iter_next(&it)))
		find_in_run(tui, row, json_text(run));
}

static bool is_agent_over(yyjson_val *agent)
{
	enum crew_state state;
	struct text name = json_text_at(yyjson_obj_get(agent, "state"), "name");

	return state_of_name(name, &state) && state_is_over(state);
}

/* Among all sessions those that say something: the crew has the others, too. */
static void add_session(struct live_rows *rows, const struct tui *tui, yyjson_val *member)
{
	struct live_row row = {.kind = LIVE_SESSION, .member = member};
	yyjson_arr_iter it = yyjson_arr_iter_with(yyjson_obj_get(member, "agents"));
	size_t count = rows->count, talkers = rows->talkers;
	yyjson_val *agent;

	find_speaker(tui, &row);
	add_speaker(rows, &row);
	while ((agent = yyjson_arr_iter_next(&it))) {
		if (is_agent_over(agent))
			continue;
		row = (struct live_row){.kind = LIVE_AGENT, .member = member, .agent = agent};
		find_speaker(tui, &row);
		if (!tui->line.is_shared || says_something(&row))
			add_speaker(rows, &row);
	}
	if (tui->line.is_shared && rows->talkers == talkers)
		rows->count = count;
}

static void add_sessions(struct live_rows *rows, const struct tui *tui)
{
	const struct sessions *sessions = &tui->board.sessions;
	yyjson_val *alone =
		tui->line.is_shared ? NULL : sessions_find(sessions, text_of(tui->watched));

	if (alone)
		add_session(rows, tui, alone);
	for (size_t i = 0; tui->line.is_shared && i < sessions->roll.count; i++) {
		enum crew_group group = roll_group(sessions->roll.members[i]);

		if (group == GROUP_WAITS || group == GROUP_WORK)
			add_session(rows, tui, sessions->roll.members[i]);
	}
}

/* ---- those that no session has ---- */

static bool has_no_session(void *self, const char *run)
{
	const struct tui *tui = self;

	return !sessions_find(&tui->board.sessions, text_of(run));
}

static void add_group(struct live_rows *rows, const struct group *group)
{
	const struct invocation *const *all = rows->groups.all + group->first;
	size_t shown = group->count > LIVE_CHILDREN_MAX ? LIVE_CHILDREN_MAX : group->count;
	struct live_row row = {.kind = LIVE_SINGLE, .group = group, .one = all[0]};

	if (group->count == 1) {
		add_speaker(rows, &row);
		return;
	}
	live_rows_add(rows, &(struct live_row){.kind = LIVE_GROUP, .group = group});
	for (size_t i = 0; i < shown; i++) {
		row.kind = i + 1 < group->count ? LIVE_CHILD : LIVE_LAST_CHILD;
		row.one = all[i];
		add_speaker(rows, &row);
	}
	if (group->count > shown)
		live_rows_add(rows, &(struct live_row){.kind = LIVE_MORE, .group = group});
}

static void add_all(struct live_rows *rows, const struct tui *tui)
{
	rows->count = rows->talkers = 0;
	add_sessions(rows, tui);
	for (size_t i = 0; i < rows->groups.count; i++)
		add_group(rows, &rows->groups.at[i]);
}

void live_rows_make(struct live_rows *rows, struct tui *tui, int room, int cols)
{
	groups_make(&rows->groups, &tui->model, has_no_session, tui);
	rows->cols = cols;
	rows->lines = 0;
	add_all(rows, tui);
	if (!rows->talkers || rows->count + rows->talkers > (size_t)room)
		return;
	rows->lines = (unsigned)(((size_t)room - rows->count) / rows->talkers);
	if (rows->lines > LINES_MAX)
		rows->lines = LINES_MAX;
	add_all(rows, tui);
}

/* ---- which one is meant ---- */

static void copy_name(char out[FOLD_NAME_MAX + 1], struct text name)
{
	snprintf(out, FOLD_NAME_MAX + 1, "%.*s", TEXT_ARG(name));
}

void live_row_key(const struct live_row *row, struct live_key *key)
{
	*key = (struct live_key){0};
	if (row->member) {
		copy_name(key->run, json_text_at(row->member, "run"));
		copy_name(key->invoke, json_text_at(row->agent, "id"));
	} else {
		copy_name(key->run, text_of(row->group->run));
		copy_name(key->invoke, text_of(row->group->invoke));
		copy_name(key->session, text_of(row->one ? row->one->session : NULL));
	}
}
