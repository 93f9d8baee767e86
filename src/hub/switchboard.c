/* switchboard.c - the index of subscriptions. */
#include "hub/switchboard.h"

#include <assert.h>
#include <stdlib.h>

#include "base/must.h"

/* The tapes under one word. */
struct switchboard_row {
	unsigned count, room;
	struct tape **tapes;
};

void switchboard_init(struct switchboard *board)
{
	*board = (struct switchboard){.patterns = must_zero(1, sizeof(struct switchboard_row))};
	map_init(&board->by_key);
	map_init(&board->by_correlation);
	map_init(&board->by_source);
	map_init(&board->by_type);
	list_init(&board->tapes);
}

static void finish_index(struct map *map)
{
	struct text key;
	void *row;
	size_t at = 0;

	while (map_next(map, &at, &key, &row)) {
		free(((struct switchboard_row *)row)->tapes);
		free(row);
	}
	map_finish(map);
}

void switchboard_finish(struct switchboard *board)
{
	list_each(&board->tapes, l)
		tape_destroy(list_of(l, struct tape, in_all));
	finish_index(&board->by_correlation);
	finish_index(&board->by_source);
	finish_index(&board->by_type);
	map_finish(&board->by_key);
	free(board->patterns->tapes);
	free(board->patterns);
}

static void row_add(struct switchboard_row *row, struct tape *tape)
{
	if (row->count == row->room) {
		row->room = row->room ? row->room * 2 : 1;
		row->tapes = must_grow(row->tapes, row->room * sizeof(*row->tapes));
	}
	row->tapes[row->count++] = tape;
	assert(row->count <= row->room);
}

static void row_remove(struct switchboard_row *row, const struct tape *tape)
{
	for (unsigned i = 0; i < row->count; i++)
		if (row->tapes[i] == tape) {
			row->tapes[i] = row->tapes[--row->count];
			return;
		}
}

static void index_add(struct map *map, const char *word, struct tape *tape)
{
	struct switchboard_row *row = map_get(map, text_of(word));

	if (!row) {
		row = must_zero(1, sizeof(*row));
		map_set(map, text_of(word), row);
	}
	row_add(row, tape);
}

static void index_remove(struct map *map, const char *word, const struct tape *tape)
{
	struct switchboard_row *row = map_get(map, text_of(word));

	assert(row->count > 0);
	row_remove(row, tape);
	if (row->count == 0) {
		map_remove(map, text_of(word));
		free(row->tapes);
		free(row);
	}
}

/* Calls add or remove for each word the tape is found by. */
static void for_each_word(struct switchboard *board, struct tape *tape, bool add)
{
	const struct filter *f = &tape->filter;
	struct map *map = f->source_count ? &board->by_source : &board->by_type;
	char **words = f->source_count ? f->sources : f->types;
	unsigned count = f->source_count ? f->source_count : f->type_count;
	char *one[] = {f->correlation};

	if (f->correlation) {
		map = &board->by_correlation;
		words = one;
		count = 1;
	} else if (!f->source_count && filter_has_pattern(f)) {
		add ? row_add(board->patterns, tape) : row_remove(board->patterns, tape);
		return;
	}
	for (unsigned i = 0; i < count; i++)
		add ? index_add(map, words[i], tape) : index_remove(map, words[i], tape);
}

struct tape *switchboard_tape(struct switchboard *board, struct reel *reel, struct filter *filter)
{
	struct tape *tape = tape_create(reel, filter);
	struct text key = {tape->key, tape->key_len};
	struct tape *known = tape->is_all ? board->all : map_get(&board->by_key, key);

	if (known) {
		tape_destroy(tape);
		return known;
	}
	list_add(&board->tapes, &tape->in_all);
	if (tape->is_all) {
		board->all = tape;
		return tape;
	}
	map_set(&board->by_key, key, tape);
	for_each_word(board, tape, true);
	return tape;
}

void switchboard_drop(struct switchboard *board, struct tape *tape)
{
	if (tape->is_all) {
		board->all = NULL;
	} else {
		for_each_word(board, tape, false);
		map_remove(&board->by_key, (struct text){tape->key, tape->key_len});
	}
	tape_destroy(tape);
}

static void route_row(const struct switchboard_row *row, const struct signal *s,
                      void (*visit)(void *self, struct tape *tape), void *self)
{
	for (unsigned i = 0; row && i < row->count; i++)
		if (filter_passes(&row->tapes[i]->filter, s))
			visit(self, row->tapes[i]);
}

void switchboard_route(const struct switchboard *board, const struct signal *s,
                       void (*visit)(void *self, struct tape *tape), void *self)
{
	if (s->correlation.len)
		route_row(map_get(&board->by_correlation, s->correlation), s, visit, self);
	route_row(map_get(&board->by_source, s->source), s, visit, self);
	route_row(map_get(&board->by_type, s->type), s, visit, self);
	route_row(board->patterns, s, visit, self);
}
