/* episodes.c - notes by what they are about, the one that is longest unused first to
 * go. */
#include "play/episodes.h"

#include <assert.h>
#include <stdlib.h>

#include "base/must.h"
#include "signal/json.h"

struct episode_entry {
	struct link in_notes; /* episodes.notes */
	struct episode_note note;
	char words[];
};

static struct episode_entry *in_notes(const struct link *l)
{
	return list_of(l, struct episode_entry, in_notes);
}

void episodes_init(struct episodes *e, size_t max)
{
	*e = (struct episodes){.max = max};
	map_init(&e->known);
	list_init(&e->notes);
}

static void leave_notes(struct episodes *e, struct episode_entry *entry)
{
	if (e->to_save == &entry->in_notes)
		e->to_save = entry->in_notes.next;
	list_remove(&entry->in_notes);
}

static void forget_episode(struct episodes *e, struct episode_entry *entry)
{
	map_remove(&e->known, entry->note.about);
	leave_notes(e, entry);
	free(entry);
	assert(e->count > 0);
	e->count--;
}

void episodes_finish(struct episodes *e)
{
	list_each(&e->notes, l)
		forget_episode(e, in_notes(l));
	map_finish(&e->known);
}

static struct text keep(char **at, struct text words)
{
	struct text kept = {*at, words.len};

	if (words.len)
		memcpy(*at, words.at, words.len);
	*at += words.len;
	return kept;
}

static struct episode_entry *entry_of(const struct episode_note *note, size_t words)
{
	struct episode_entry *entry = must_alloc(sizeof(*entry) + words);
	char *at = entry->words;

	list_init(&entry->in_notes);
	entry->note.about = keep(&at, note->about);
	entry->note.correlation = keep(&at, note->correlation);
	entry->note.source = keep(&at, note->source);
	return entry;
}

static bool says(const struct episode_entry *entry, const struct episode_note *note)
{
	return text_equal(entry->note.about, note->about) &&
	       text_equal(entry->note.correlation, note->correlation) &&
	       text_equal(entry->note.source, note->source);
}

void episodes_note(struct episodes *e, const struct episode_note *note)
{
	size_t words = note->about.len + note->correlation.len + note->source.len;
	struct episode_entry *entry;
	bool was_next; /* to be saved, as the last of them */

	if (words > EPISODE_WORDS_MAX)
		return;
	if (e->count && says(in_notes(e->notes.prev), note))
		return; /* as most often */
	entry = map_get(&e->known, note->about);
	was_next = entry && e->to_save == &entry->in_notes;
	if (!entry || !says(entry, note)) {
		struct episode_entry *old = entry;

		entry = entry_of(note, words); /* which may have words of the old one */
		if (old)
			forget_episode(e, old);
		else if (e->count == e->max)
			forget_episode(e, in_notes(e->notes.next));
		map_set(&e->known, entry->note.about, entry);
		e->count++;
	}
	leave_notes(e, entry);
	list_add(&e->notes, &entry->in_notes);
	if (was_next && e->to_save == &e->notes)
		e->to_save = &entry->in_notes;
}

const struct episode_note *episodes_find(const struct episodes *e, struct text about)
{
	const struct episode_entry *entry = map_get(&e->known, about);

	return entry ? &entry->note : NULL;
}

static void save_note(const struct episode_note *note, struct buf *out)
{
	buf_add_char(out, '[');
	buf_add_json(out, note->about);
	buf_add_char(out, ',');
	buf_add_json(out, note->correlation);
	buf_add_char(out, ',');
	buf_add_json(out, note->source);
	buf_add_char(out, ']');
}

void episodes_save_begin(struct episodes *e)
{
	e->to_save = e->notes.next;
	e->saved = 0;
}

/* Those that are noted meanwhile come again; but a flood of them shall not hold it up. */
static bool has_more(const struct episodes *e)
{
	return e->to_save != &e->notes && e->saved < 2 * e->max;
}

bool episodes_save_some(struct episodes *e, struct buf *out)
{
	size_t enough = out->len + EPISODES_PIECE;

	if (e->saved == 0)
		buf_add_char(out, '[');
	while (has_more(e) && out->len < enough && !out->full) {
		if (e->saved++)
			buf_add_char(out, ',');
		save_note(&in_notes(e->to_save)->note, out);
		e->to_save = e->to_save->next;
	}
	if (has_more(e) && !out->full)
		return true;
	buf_add_char(out, ']');
	e->to_save = NULL;
	return false;
}

void episodes_load(struct episodes *e, yyjson_val *saved)
{
	yyjson_val *one;
	size_t i, max;

	yyjson_arr_foreach(saved, i, max, one)
	{
		const struct episode_note note = {
			json_text(yyjson_arr_get(one, 0)),
			json_text(yyjson_arr_get(one, 1)),
			json_text(yyjson_arr_get(one, 2)),
		};

		episodes_note(e, &note);
	}
}
