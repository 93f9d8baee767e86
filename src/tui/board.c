/* board.c - messages of the native dialect in; sources, signals and askers out. */
#include "tui/board.h"

#include <assert.h>
#include <stdlib.h>

#include "base/must.h"

#define EXACT_MAX 9007199254740992.0 /* below it a double is exact */

/* ---- signals ---- */

static void drop_signal(struct board *board)
{
	struct board_signal *oldest = &board->signals[board->signal_first];

	free(oldest->raw);
	board->signal_bytes -= oldest->len;
	board->signal_first = (board->signal_first + 1) % BOARD_SIGNALS_MAX;
	assert(board->signal_count > 0);
	board->signal_count--;
}

static void board_step(struct board *board, uint64_t seq)
{
	struct position now = board->head;

	now.seq = board->seq = seq;
	positions_step(&board->at, now);
}

struct text board_after(struct board *board, uint64_t back, char out[POSITIONS_ROOM])
{
	uint64_t head = board->head.seq, oldest = head > back ? head - back : 0;

	if (!board->at.count || board->seq < oldest)
		board_step(board, oldest);
	return positions_print(&board->at, out);
}

/* What is not of this timeline is forgotten: its seqs are given to other signals now. */
static enum board_news go_back(struct board *board, uint64_t from)
{
	if (from == 0 || from > board->seq)
		return BOARD_NOTHING;
	while (board->signal_count > 0 &&
	       board_signal(board, board->signal_count - 1)->seq >= from) {
		size_t last = (board->signal_first + --board->signal_count) % BOARD_SIGNALS_MAX;

		free(board->signals[last].raw);
		board->signal_bytes -= board->signals[last].len;
	}
	board_step(board, from - 1);
	return BOARD_LOST;
}

static enum board_news keep_signal(struct board *board, uint64_t seq, struct text raw)
{
	size_t at;

	if (seq <= board->seq)
		return BOARD_NOTHING;
	board_step(board, seq);
	while (board->signal_count > 0 && (board->signal_count == BOARD_SIGNALS_MAX ||
	                                   board->signal_bytes + raw.len > BOARD_SIGNALS_BYTES))
		drop_signal(board);
	at = (board->signal_first + board->signal_count++) % BOARD_SIGNALS_MAX;
	board->signals[at] = (struct board_signal){seq, text_dup(raw), raw.len};
	board->signal_bytes += raw.len;
	board->signals_ever++;
	return BOARD_CHANGED;
}

const struct board_signal *board_signal(const struct board *board, size_t at)
{
	return &board->signals[(board->signal_first + at) % BOARD_SIGNALS_MAX];
}

/* ---- sources ---- */

static size_t find_source(const struct board *board, struct text id)
{
	size_t at = 0;

	while (at < board->source_count && !text_is(id, board->sources[at].id))
		at++;
	return at;
}

static void drop_source(struct board *board, struct text id)
{
	size_t at = find_source(board, id);

	if (at == board->source_count)
		return;
	free(board->sources[at].id);
	assert(at < board->source_count && board->source_count <= BOARD_SOURCES_MAX);
	free(board->sources[at].raw);
	assert(board->source_count > 0);
	board->source_count--;
	memmove(board->sources + at, board->sources + at + 1,
	        (board->source_count - at) * sizeof(*board->sources));
}

static void set_source(struct board *board, yyjson_val *source)
{
	struct text id = json_text_at(source, "id");
	size_t at = find_source(board, id);
	struct buf raw;

	if (!id.len || at == BOARD_SOURCES_MAX)
		return;
	buf_init(&raw, BOARD_MESSAGE_MAX);
	json_add(&raw, source);
	if (at == board->source_count)
		board->sources[board->source_count++] = (struct board_source){text_dup(id), NULL};
	free(board->sources[at].raw);
	board->sources[at].raw = text_dup(buf_text(&raw));
	buf_finish(&raw);
}

static enum board_news hear_sources(struct board *board, yyjson_val *op)
{
	yyjson_val *all = yyjson_obj_get(op, "all"), *one;
	size_t at, count;

	while (all && board->source_count > 0)
		drop_source(board, text_of(board->sources[board->source_count - 1].id));
	yyjson_arr_foreach(all, at, count, one)
	{
		set_source(board, one);
	}
	yyjson_arr_foreach(yyjson_obj_get(op, "changed"), at, count, one)
	{
		set_source(board, one);
	}
	yyjson_arr_foreach(yyjson_obj_get(op, "removed"), at, count, one)
	{
		drop_source(board, json_text(one));
	}
	return BOARD_CHANGED;
}

/* ---- who asks ---- */

static void asker_destroy(struct asker *asker)
{
	if (!asker)
		return;
	free(asker->run);
	free(asker->source);
	free(asker);
}

void board_forget_askers(struct board *board)
{
	size_t at = 0;
	struct text id;
	void *asker;

	while (map_next(&board->askers, &at, &id, &asker))
		asker_destroy(asker);
	map_finish(&board->askers);
	map_init(&board->askers);
}

const struct asker *board_asker(const struct board *board, struct text prompt)
{
	return map_get(&board->askers, prompt);
}

static enum board_news hear_prompt(struct board *board, yyjson_val *op)
{
	struct text id = json_text_at(op, "id");
	struct asker *asker;
	double deadline = 0;

	asker_destroy(map_remove(&board->askers, id));
	if (!yyjson_equals_str(yyjson_obj_get(op, "state"), "open") ||
	    board->askers.count == BOARD_ASKERS_MAX)
		return BOARD_CHANGED;
	asker = must_zero(1, sizeof(*asker));
	asker->run = text_dup(json_text_at(op, "run"));
	asker->source = text_dup(json_text_at(op, "source"));
	json_number(yyjson_obj_get(op, "deadline"), &deadline);
	asker->deadline_ms = deadline > 0 && deadline < EXACT_MAX ? (int64_t)deadline : 0;
	map_set(&board->askers, id, asker);
	return BOARD_CHANGED;
}

/* ---- messages ---- */

static enum board_news hear_hello(struct board *board, yyjson_val *op)
{
	struct text epoch = json_text_at(op, "epoch");
	double seq = 0;

	board->head = (struct position){.seq = 0};
	json_number(yyjson_obj_get(op, "seq"), &seq);
	if (seq >= 0 && seq < EXACT_MAX)
		board->head.seq = (uint64_t)seq;
	if (position_is_epoch(epoch))
		memcpy(board->head.epoch, epoch.at, EPOCH_LEN);
	return BOARD_HELLO;
}

static enum board_news hear_gap(struct board *board, yyjson_val *op)
{
	double from = 0, to = 0;

	if (!json_number(yyjson_obj_get(op, "from"), &from) ||
	    !json_number(yyjson_obj_get(op, "to"), &to) || from < 0 || to < from || to >= EXACT_MAX)
		return BOARD_NOTHING;
	board->missed += (uint64_t)(to - from) + 1;
	if (!yyjson_equals_str(yyjson_obj_get(op, "why"), "lost"))
		return BOARD_NOTHING;
	return go_back(board, (uint64_t)from);
}

static enum board_news hear_op(struct board *board, struct text name, yyjson_val *op)
{
	if (text_is(name, "sources"))
		return hear_sources(board, op);
	if (text_is(name, "crew")) {
		sessions_hear(&board->sessions, op);
		return BOARD_CHANGED;
	}
	if (text_is(name, "matters")) {
		bells_hear(&board->bells, op);
		return board->bells.due ? BOARD_CHANGED : BOARD_NOTHING;
	}
	if (text_is(name, "prompt"))
		return hear_prompt(board, op);
	if (text_is(name, "prompts")) {
		board_forget_askers(board);
		return BOARD_CHANGED;
	}
	if (text_is(name, "hello"))
		return hear_hello(board, op);
	return text_is(name, "gap") ? hear_gap(board, op) : BOARD_NOTHING;
}

enum board_news board_hear(struct board *board, struct text message)
{
	yyjson_val *root = yyjson_doc_get_root(json_read(&board->reader, message, NULL));
	struct text op = json_text_at(root, "op");
	double seq = 0;

	if (op.len)
		return hear_op(board, op, root);
	if (json_number(yyjson_obj_get(root, "seq"), &seq) && seq >= 1 && seq < EXACT_MAX)
		return keep_signal(board, (uint64_t)seq, message);
	return BOARD_NOTHING;
}

void board_init(struct board *board)
{
	*board = (struct board){0};
	json_reader_init(&board->reader, BOARD_MESSAGE_MAX);
	sessions_init(&board->sessions);
	bells_init(&board->bells);
	map_init(&board->askers);
}

void board_finish(struct board *board)
{
	json_reader_finish(&board->reader);
	sessions_finish(&board->sessions);
	bells_finish(&board->bells);
	while (board->signal_count > 0)
		drop_signal(board);
	while (board->source_count > 0)
		drop_source(board, text_of(board->sources[board->source_count - 1].id));
	board_forget_askers(board);
	map_finish(&board->askers);
}
