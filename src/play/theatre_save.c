/* theatre_save.c - the theatre in a checkpoint, a piece at a time, and back. */
#include "base/put.h"
#include "play/inside.h"

#define CLOCK_SLACK_MS 5000.0

static void save_numbers(const struct theatre *t, struct buf *out)
{
	put_object(out, NULL);
	put_bool(out, "running", t->is_running);
	put_u64(out, "processed", t->stats.processed);
	put_u64(out, "skipped", t->stats.skipped);
	put_key(out, "now");
	json_add_number(out, t->now_ms);
	put_key(out, "tokens");
	json_add_number(out, t->tokens);
	put_key(out, "filled");
	json_add_number(out, t->filled_ms);
}

/* Who spoke of what: lists of notes, each under its name.  NULL: there are no more. */
static struct episodes *notes_of(struct theatre *t, size_t list, const char **name)
{
	struct {
		const char *name;
		struct episodes *notes;
	} lists[] = {
		{"sources", &t->sources},         {"entities", &t->entities},
		{"runs", &t->whose.runs},         {"conversations", &t->whose.keys},
		{"sessions", &t->whose.sessions},
	};

	if (list >= sizeof(lists) / sizeof(*lists))
		return NULL;
	*name = lists[list].name;
	return lists[list].notes;
}

void theatre_save_begin(struct theatre *t)
{
	struct episodes *notes;
	const char *name = NULL;

	t->saving = (struct theatre_saving){SAVE_NUMBERS};
	for (size_t i = 0; (notes = notes_of(t, i, &name)); i++)
		episodes_save_begin(notes);
}

static void begin_play(struct theatre_saving *at, struct buf *out)
{
	at->part = SAVE_PLAY;
	at->play_begun = out->len;
	put_key(out, "play");
}

/* The next list, or the play behind the last. */
static void begin_notes(struct theatre *t, struct theatre_saving *at, struct buf *out)
{
	const char *name;

	if (notes_of(t, at->list, &name))
		put_key(out, name);
	else
		begin_play(at, out);
}

static bool save_play(const struct theatre *t, struct theatre_saving *at, struct buf *out)
{
	bool more = play_save_more(t->play, &at->play, out);
	if (out->len - at->play_begun > PLAY_SAVED_MAX) {
		out->len = at->play_begun;
		more = false;
	}
	if (!more)
		buf_add_char(out, '}');
	return more;
}

bool theatre_save_more(struct theatre *t, struct buf *out)
{
	struct theatre_saving *at = &t->saving;
	const char *name;

	switch (at->part) {
	case SAVE_NUMBERS:
		save_numbers(t, out);
		at->part = SAVE_NOTES;
		begin_notes(t, at, out);
		return true;
	case SAVE_NOTES:
		if (!episodes_save_some(notes_of(t, at->list, &name), out)) {
			at->list++;
			begin_notes(t, at, out);
		}
		return true;
	case SAVE_PLAY:
		break;
	}
	return save_play(t, at, out);
}

void theatre_save(struct theatre *t, struct buf *out)
{
	theatre_save_begin(t);
	while (theatre_save_more(t, out))
		;
}

/* A clock that was ahead then and is set right now would stand still for as long: so
 * what was under way is not gone on with. */
static bool load_play(struct theatre *t, yyjson_val *root, double now_ms)
{
	double saved_ms = now_ms;
	yyjson_val *play = yyjson_obj_get(root, "play");

	json_number(yyjson_obj_get(root, "now"), &saved_ms);
	if (!play || saved_ms > now_ms + CLOCK_SLACK_MS)
		return true;
	t->now_ms = saved_ms;
	json_number(yyjson_obj_get(root, "tokens"), &t->tokens);
	json_number(yyjson_obj_get(root, "filled"), &t->filled_ms);
	return play_load(t->play, play);
}

static bool load_state(struct theatre *t, yyjson_val *root, double now_ms)
{
	yyjson_val *running = yyjson_obj_get(root, "running");
	struct episodes *notes;
	const char *name;

	if (!yyjson_is_bool(running))
		return false;
	t->is_running = yyjson_get_bool(running);
	t->stats.processed = yyjson_get_uint(yyjson_obj_get(root, "processed"));
	t->stats.skipped = yyjson_get_uint(yyjson_obj_get(root, "skipped"));
	for (size_t i = 0; (notes = notes_of(t, i, &name)); i++)
		episodes_load(notes, yyjson_obj_get(root, name));
	return load_play(t, root, now_ms);
}

bool theatre_load(struct theatre *t, struct text saved, double now_ms)
{
	struct json_reader reader;
	bool good;

	json_reader_init(&reader, saved.len);
	good = load_state(t, yyjson_doc_get_root(json_read(&reader, saved, NULL)), now_ms);
	json_reader_finish(&reader);
	if (!good) /* its play may be half of that */
		theatre_put_on(t, theatre_show(t), TEXT(""), NULL);
	theatre_turn_page(t, theatre_first_version(now_ms));
	return good;
}
