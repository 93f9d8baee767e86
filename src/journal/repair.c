/* repair.c - as a start would, and then segment by segment. */
#include "journal/repair.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/must.h"
#include "journal/anew.h"
#include "journal/checkpoint.h"
#include "journal/journal.h"
#include "journal/kept.h"
#include "journal/lock.h"
#include "journal/quarantine.h"
#include "journal/rewrite.h"

struct damaged_stretch {
	uint64_t next; /* the seq that is due there */
	uint64_t from, to;
};

static bool put_aside(const struct anew *a, const struct damaged_stretch *s, struct error *why)
{
	return s->from >= s->to ||
	       quarantine_append(a->dir, a->files.fd, s->next, s->from, s->to - s->from) ||
	       error_errno(why, "segment %llu: what is damaged in it cannot be copied",
	                   (unsigned long long)a->files.first);
}

/* All that the new file will not have, but for what the next segment has. */
static bool put_all_aside(const struct anew *a, struct error *why)
{
	const struct inspection *in = &a->in;
	struct damaged_stretch s = {.next = a->files.first, .from = in->title};

	for (size_t i = 0; i < in->used; i++) {
		const struct index_entry *e = &in->entries[i];

		if (!inspection_is_sound(in, i))
			continue;
		s.to = in->states[i] == BATCH_BAD && !anew_is_spare(a, i) ? e->offset + e->length
		                                                          : inspection_start(in, i);
		if (!put_aside(a, &s, why))
			return false;
		if (anew_is_spare(a, i))
			return true;
		s.next = e->last + 1;
		s.from = e->offset + e->length;
	}
	s.to = in->bytes;
	return put_aside(a, &s, why);
}

static bool repair_segment(int dir, const struct shelf *shelf, size_t i, struct journal_repair *r,
                           struct error *why)
{
	bool good = true;
	struct anew a;

	if (!anew_open(&a, dir, shelf, i, why))
		return false;
	if (anew_is_needed(&a, NULL)) {
		good = put_all_aside(&a, why) && anew_write(&a, NULL, why) &&
		       rewrite_put_in_place(dir, a.files.first, why);
		r->rewritten += good;
		r->gone += good ? a.gone : 0;
		r->unchecked += good ? a.bare : 0;
	}
	anew_close(&a);
	return good;
}

static bool repair_all(int dir, struct journal_repair *r, struct error *why)
{
	struct shelf shelf;
	bool good = shelf_load(&shelf, dir, why);

	for (size_t i = 0; i < shelf.count; i++) {
		struct error first;

		if (!repair_segment(dir, &shelf, i, r, &first)) {
			*why = good ? first : *why;
			good = false;
		}
		if (kept_is_damaged(dir, shelf.firsts[i])) {
			kept_remove(dir, shelf.firsts[i]);
			r->checkpoints++;
		}
	}
	r->checkpoints += checkpoint_remove_damaged(dir);
	r->segments = shelf.count;
	shelf_finish(&shelf);
	return good;
}

/* For what that does to the newest segment, and to files that are missing. */
static bool start_and_stop(const char *data_dir, struct error *why)
{
	struct journal_options o = {.dir = data_dir, .segment_bytes = MIB};
	struct journal *j = journal_open(&o, why);

	if (j)
		journal_close(j);
	return j != NULL;
}

bool journal_repair(const char *data_dir, struct journal_repair *r, struct error *why)
{
	char *path = must_print("%s/journal", data_dir);
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), lock = -1;
	bool good = dir >= 0 || error_errno(why, "%s", path);

	*r = (struct journal_repair){0};
	if (good && start_and_stop(data_dir, why))
		lock = lock_take(data_dir, why);
	good = lock >= 0 && repair_all(dir, r, why);
	if (lock >= 0)
		close(lock);
	if (dir >= 0)
		close(dir);
	free(path);
	return good;
}
