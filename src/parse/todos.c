/* todos.c - todos of agents that tell all of them each time. */
#include "parse/todos.h"

#include "base/put.h"
#include "base/utf8.h"
#include "signal/json.h"

#define TODOS_MAX 200
#define TODO_MAX 512

static void put_todo(struct buf *out, yyjson_val *todo, const char *words)
{
	static const char *const known[] = {"pending", "in_progress", "completed", NULL};
	struct text status = json_text_at(todo, "status");
	const char *word = text_is(status, "cancelled") ? "deleted" : known[0];

	for (const char *const *name = known; *name; name++)
		if (text_is(status, *name))
			word = *name;
	put_object(out, NULL);
	put_text(out, "text", utf8_cut(json_text_at(todo, words), TODO_MAX));
	put_word(out, "status", word);
	put_end(out);
}

void todos_add(struct make *m, yyjson_val *todos, const char *words)
{
	yyjson_arr_iter each = yyjson_arr_iter_with(todos);
	yyjson_val *todo;
	struct buf items;

	buf_init(&items, TODOS_MAX * (TODO_MAX * 6 + 100));
	put_list(&items, NULL);
	for (unsigned i = 0; i < TODOS_MAX && (todo = yyjson_arr_iter_next(&each)); i++)
		put_todo(&items, todo, words);
	put_list_end(&items);
	make_bool(m, "whole", true);
	make_raw(m, "items", buf_text(&items));
	buf_finish(&items);
}
