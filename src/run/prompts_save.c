/* prompts_save.c - prompts for the checkpoint, and back. */
#include "run/prompts_inside.h"

static void save_one(const void *prompt, struct buf *out)
{
	prompt_save(prompt, out);
}

void prompts_save_begin(struct prompts *all)
{
	saving_begin(&all->saving, all->closed_count + all->open_count, save_one);
	for (struct link *list = &all->closed;; list = &all->closing) {
		list_each(list, l) {
			struct prompt *p = list_of(l, struct prompt, in_closed);

			saving_add(&all->saving, p, &p->to_save);
		}
		if (list == &all->closing)
			break;
	}
	list_each(&all->open, l) {
		struct prompt *p = list_of(l, struct prompt, in_open);

		saving_add(&all->saving, p, &p->to_save);
	}
}

bool prompts_save_more(struct prompts *all, struct buf *out)
{
	if (all->saving.next == 0)
		buf_add_char(out, '[');
	if (saving_more(&all->saving, out))
		return true;
	buf_add_char(out, ']');
	return false;
}

bool prompts_load(struct prompts *all, struct text saved)
{
	yyjson_doc *doc = yyjson_read_opts((char *)saved.at, saved.len, YYJSON_READ_BIGNUM_AS_RAW,
	                                   &json_memory, NULL);
	yyjson_arr_iter it = yyjson_arr_iter_with(yyjson_doc_get_root(doc));
	bool good = yyjson_is_arr(yyjson_doc_get_root(doc));
	yyjson_val *one;

	while ((one = yyjson_arr_iter_next(&it))) {
		struct prompt *p = prompt_load(one);

		if (p && !prompts_find(all, text_of(p->id)))
			prompts_take(all, p);
		else
			prompt_destroy(p);
	}
	yyjson_doc_free(doc);
	return good;
}
