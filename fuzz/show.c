/* show.c - hostile shows: a fault with its place, or a show that can be played. */
#include <math.h>
#include <stdlib.h>

#include "base/must.h"
#include "play/play.h"
#include "stage/edit.h"

#define CHOREOGRAPHIES_MAX 20 /* that are played */
#define TEXT_MAX (64 * MIB)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Nobody without a name is cast. */
static void look(void *self, const struct stage_command *command, uint64_t version)
{
	if (command->params.len && command->params.at[command->params.len - 1] != '}')
		abort();
	if (command->kind == COMMAND_EXECUTE && text_is(command->action, "cast") &&
	    (command->entity.len == 0 || !text_starts(command->params, TEXT("{\"id\":"))))
		abort();
}

static void play_signal_of(struct play *play, struct text type, const char *name, double now_ms)
{
	char *payload = must_print(
		"{\"agentId\":\"%s\",\"toolName\":\"read\",\"to\":\"desk\",\"from\":\"home\","
		"\"content\":\"words\",\"n\":3,\"success\":true,\"x\":1,\"y\":2}",
		name);
	yyjson_doc *doc = yyjson_read(payload, strlen(payload), 0);
	const struct cue cue = {type, TEXT("demo"), TEXT("run"), yyjson_doc_get_root(doc)};

	play_signal(play, &cue, now_ms);
	yyjson_doc_free(doc);
	free(payload);
}

/* A signal of the type that each choreography names, twice, of more than a few agents. */
static void play_all(struct play *play, const struct show *show)
{
	static const char *const names[] = {"ada", "bela", "cleo", "dora", "eve"};
	size_t count = yyjson_arr_size(show->choreographies);

	if (count > CHOREOGRAPHIES_MAX)
		count = CHOREOGRAPHIES_MAX;
	for (size_t i = 0; i < 2 * count; i++) {
		yyjson_val *one = yyjson_arr_get(show->choreographies, i % count);

		play_signal_of(play, json_text_at(one, "on"), names[i % 5], 50.0 * (double)i);
	}
}

/* What was saved is loaded, and is the same when it is saved again. */
static void save_and_load(const struct play *play, const struct show *show)
{
	const struct play_options options = {.command = look};
	struct play *other = play_create(show, &options, NULL);
	struct buf saved, again;
	yyjson_doc *doc;

	buf_init(&saved, TEXT_MAX);
	buf_init(&again, TEXT_MAX);
	play_save(play, &saved);
	doc = yyjson_read(saved.at, saved.len, 0);
	if (!other || !play_load(other, yyjson_doc_get_root(doc)))
		abort();
	play_save(other, &again);
	if (!text_equal(buf_text(&saved), buf_text(&again)))
		abort();
	play_end(other);
	yyjson_doc_free(doc);
	play_destroy(other);
	buf_finish(&saved);
	buf_finish(&again);
}

static void play_show(const struct show *show, struct error *why)
{
	const struct play_options options = {.command = look};
	struct play *play = play_create(show, &options, why);
	struct buf stage;

	if (!play)
		return;
	buf_init(&stage, TEXT_MAX);
	play_all(play, show);
	save_and_load(play, show);
	play_look(play, 500, &stage);
	play_look(play, play_end(play), &stage);
	buf_finish(&stage);
	play_destroy(play);
}

/* ---- edits ---- */

static void edit(const struct show *show, const struct show_edit *edit, struct buf *out)
{
	struct error why = {""};
	struct buf id;

	buf_clear(out);
	buf_init(&id, 4 * KIB);
	if (edit_show(show, edit, out, &id, &why) != EDIT_DONE)
		buf_clear(out);
	buf_finish(&id);
}

/* What is put in place of itself leaves everything as it was. */
static void replace_first(const struct show *show, struct show_edit *e, struct buf *out)
{
	struct show *same;

	e->verb = EDIT_REPLACE;
	edit(show, e, out);
	if (out->len == 0)
		return; /* too big, now that it is laid out */
	same = show_read(buf_text(out), NULL);
	if (!same || !yyjson_equals(show->root, same->root))
		abort();
	show_destroy(same);
}

/* It may not fit any more, but that has its place. */
static void look_at(const struct buf *out)
{
	struct error why = {""};
	struct show *show = out->len ? show_read(buf_text(out), &why) : NULL;

	if (why.words[0] && why.words[0] != '/')
		abort();
	show_destroy(show);
}

static void edit_part(const struct show *show, enum edit_part part)
{
	static const char *const owners[] = {"choreographies", "wires", "bindings", "entities"};
	yyjson_val *owner = part == EDIT_ENTITIES ? show->scene : show->root;
	yyjson_val *first = yyjson_arr_get_first(yyjson_obj_get(owner, owners[part]));
	struct show_edit e = {EDIT_ADD, part, json_text_at(first, "id"), TEXT("{}")};
	struct buf item, out;

	buf_init(&item, SHOW_MAX);
	buf_init(&out, SHOW_MAX);
	edit(show, &e, &out);
	look_at(&out);
	if (first && edit_get(show, part, e.id, &item) == EDIT_DONE) {
		e.item = buf_text(&item);
		replace_first(show, &e, &out);
		e.verb = EDIT_REMOVE;
		edit(show, &e, &out);
		look_at(&out);
	}
	buf_finish(&item);
	buf_finish(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct error why = {""};
	struct show *show = show_read((struct text){(const char *)bytes, size}, &why);

	for (enum edit_part part = 0; show && part < EDIT_PARTS; part++)
		edit_part(show, part);
	if (show)
		play_show(show, &why);
	if (why.words[0] && why.words[0] != '/' && why.words[0] != ':' &&
	    strncmp(why.words, "not JSON", 8) != 0)
		abort(); /* a fault without its place */
	show_destroy(show);
	return 0;
}
