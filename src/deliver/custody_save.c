/* custody_save.c - custody in checkpoints, a piece at a time: one section after the other. */
#include "base/put.h"
#include "bus/folds.h"
#include "deliver/custody_inside.h"
#include "signal/signal.h"

/* ---- saved ---- */

static void save_letter(const void *of, struct buf *out)
{
	put_object(out, NULL);
	letter_save(of, out);
	put_end(out);
}

static void save_request(const void *of, struct buf *out)
{
	put_object(out, NULL);
	received_save(of, out);
	put_end(out);
}

static void add_letters(struct saving *saving, const struct link *letters)
{
	list_each(letters, l) {
		struct letter *letter = list_of(l, struct letter, in_all);

		saving_add(saving, letter, &letter->to_save);
	}
}

static size_t count_kept(const struct custody *c)
{
	size_t count = 0;

	list_each(&c->requests.all, l)
		list_each(&list_of(l, struct received, in_all)->kept, kept)
			count++;
	return count;
}

static void custody_save_begin(void *self)
{
	struct custody *c = self;

	c->saved = 0;
	notes_save_begin(&c->seen);
	notes_save_begin(&c->places);
	notes_save_begin(&c->sessions);
	saving_begin(&c->requests.saving, c->requests.count, save_request);
	saving_begin(&c->open.saving, c->open.count, save_letter);
	saving_begin(&c->over.saving, c->over.count + count_kept(c), save_letter);
	list_each(&c->requests.all, l) {
		struct received *r = list_of(l, struct received, in_all);

		saving_add(&c->requests.saving, r, &r->to_save);
		add_letters(&c->over.saving, &r->kept);
	}
	add_letters(&c->open.saving, &c->open.all);
	add_letters(&c->over.saving, &c->over.all);
}

static struct saving *section(struct custody *c, unsigned i, const char **name)
{
	static const char *const names[] = {"seen",     "places", "sessions",
	                                    "requests", "open",   "over"};
	struct saving *const all[] = {&c->seen.saving,     &c->places.saving, &c->sessions.saving,
	                              &c->requests.saving, &c->open.saving,   &c->over.saving};

	*name = names[i];
	return all[i];
}

#define NOTED 3 /* sections of names and values; the others are lists */
#define SECTIONS 6

static bool custody_save_more(void *self, struct buf *out)
{
	struct custody *c = self;
	const char *name;
	struct saving *saving = section(c, c->saved, &name);
	bool is_noted = c->saved < NOTED;

	if (saving->next == 0) {
		if (c->saved == 0)
			put_object(out, NULL);
		if (is_noted)
			put_object(out, name);
		else
			put_list(out, name);
	}
	if (saving_more(saving, out))
		return true;
	buf_add_char(out, is_noted ? '}' : ']');
	if (++c->saved < SECTIONS)
		return true;
	put_end(out);
	return false;
}

/* ---- loaded ---- */

static void load_letters(struct custody *c, struct custody_list *list, yyjson_val *saved)
{
	yyjson_arr_iter it = yyjson_arr_iter_with(saved);
	yyjson_val *one;

	while ((one = yyjson_arr_iter_next(&it))) {
		struct letter *l = letter_read(one);

		if (!l)
			continue;
		if (map_get(&c->letters_by_id, letter_word(l, LETTER_ID)) ||
		    letter_is_over(l) != (list == &c->over))
			letter_free(l);
		else
			custody_add_letter(c, list, l);
	}
}

static void load_requests(struct custody *c, yyjson_val *saved)
{
	yyjson_arr_iter it = yyjson_arr_iter_with(saved);
	yyjson_val *one;

	while ((one = yyjson_arr_iter_next(&it))) {
		struct received *r = received_read(one);

		if (!r)
			continue;
		if (map_get(&c->requests_by_id, received_word(r, RECEIVED_ID)))
			received_free(r);
		else
			custody_add_request(c, r);
	}
}

static bool custody_load(void *self, struct text saved, uint64_t *seq)
{
	struct custody *c = self;
	yyjson_val *root = yyjson_doc_get_root(json_read(&c->reader, saved, NULL));

	notes_load(&c->seen, yyjson_obj_get(root, "seen"));
	notes_load(&c->places, yyjson_obj_get(root, "places"));
	notes_load(&c->sessions, yyjson_obj_get(root, "sessions"));
	load_requests(c, yyjson_obj_get(root, "requests"));
	load_letters(c, &c->open, yyjson_obj_get(root, "open"));
	load_letters(c, &c->over, yyjson_obj_get(root, "over"));
	return yyjson_is_obj(root);
}

static void custody_hears(void *self, const struct signal *s)
{
	custody_hear(self, s);
}

static void custody_is_durable(void *self, uint64_t seq)
{
	struct custody *c = self;

	bool was_awaited = !c->durable || c->durable < c->newest;

	c->durable = seq;
	if (was_awaited)
		custody_stir(c);
}

const struct fold_kind custody_fold = {
	.name = "deliver",
	.pace = FOLD_AT_ONCE,
	.back = CUSTODY_BACK,
	.may_want = custody_may_want,
	.wants = custody_wants,
	.hear = custody_hears,
	.durable = custody_is_durable,
	.save_begin = custody_save_begin,
	.save_more = custody_save_more,
	.load = custody_load,
};
