/* epochs.c - keeping and judging timelines. */
#include "journal/epochs.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/must.h"
#include "base/random.h"
#include "journal/disk.h"

#define EPOCHS_FILE "epochs"
#define CLEAN_FILE "clean"
#define EPOCHS_BYTES_MAX (64 * MIB) /* over a million lines, of which the newest are kept */
#define CLEAN_BYTES_MAX 64

static bool parse_line(struct text line, struct epoch *out)
{
	struct text number, name = text_cut(line, ' ', &number);

	if (!position_is_epoch(name) || !text_to_u64(number, &out->first) || out->first == 0 ||
	    out->first >= SEQ_MAX)
		return false;
	memcpy(out->name, name.at, EPOCH_LEN);
	out->name[EPOCH_LEN] = '\0';
	return true;
}

static void epochs_drop_oldest(struct epochs *epochs, size_t n)
{
	assert(n <= epochs->count);
	epochs->count -= n;
	memmove(epochs->all, epochs->all + n, epochs->count * sizeof *epochs->all);
}

/* Twice the room, so that what is over the limit moves seldom. */
static void epochs_keep(struct epochs *epochs, const struct epoch *e)
{
	if (!epochs->all)
		epochs->all = must_zero(2 * EPOCHS_MAX, sizeof *e);
	if (epochs->count == (size_t)2 * EPOCHS_MAX)
		epochs_drop_oldest(epochs, EPOCHS_MAX);
	epochs->all[epochs->count++] = *e;
	assert(epochs->count <= (size_t)2 * EPOCHS_MAX);
}

static void drop_excess(struct epochs *epochs)
{
	if (epochs->count > EPOCHS_MAX)
		epochs_drop_oldest(epochs, epochs->count - EPOCHS_MAX);
	assert(epochs->count <= EPOCHS_MAX);
}

bool epochs_load(struct epochs *epochs, int dir, struct error *why)
{
	struct buf file;
	struct text rest;

	*epochs = (struct epochs){0};
	buf_init(&file, EPOCHS_BYTES_MAX);
	if (!disk_load(dir, EPOCHS_FILE, &file) && errno != ENOENT) {
		buf_finish(&file);
		return error_errno(why, EPOCHS_FILE);
	}
	for (rest = buf_text(&file); rest.len > 0;) {
		struct text line = text_cut(rest, '\n', &rest);
		const struct epoch *before = epochs_current(epochs);
		struct epoch e;

		if (parse_line(line, &e) && (!before || e.first >= before->first))
			epochs_keep(epochs, &e);
		else
			log_warn("journal", "a line of " EPOCHS_FILE " makes no sense: %.*s",
			         TEXT_ARG(line));
	}
	drop_excess(epochs);
	buf_finish(&file);
	return true;
}

void epochs_finish(struct epochs *epochs)
{
	free(epochs->all);
	*epochs = (struct epochs){0};
}

/* The positions of one end where the next begins. */
void epochs_drop_before(struct epochs *epochs, uint64_t oldest)
{
	size_t n = 0;

	while (n + 1 < epochs->count && epochs->all[n + 1].first <= oldest)
		n++;
	if (n)
		epochs_drop_oldest(epochs, n);
}

bool epochs_add(struct epochs *epochs, int dir, uint64_t first, struct error *why)
{
	struct epoch fresh = {.first = first};
	struct buf file;
	bool done;

	assert(first > 0 && first < SEQ_MAX);
	random_hex(fresh.name, EPOCH_LEN / 2);
	epochs_keep(epochs, &fresh);
	drop_excess(epochs);
	buf_init(&file, EPOCHS_BYTES_MAX);
	for (size_t i = 0; i < epochs->count; i++)
		buf_print(&file, "%s %llu\n", epochs->all[i].name,
		          (unsigned long long)epochs->all[i].first);
	done = file.full ? error_set(why, EPOCHS_FILE ": too many")
	                 : disk_replace(dir, EPOCHS_FILE, buf_text(&file), why);
	buf_finish(&file);
	return done;
}

const struct epoch *epochs_current(const struct epochs *epochs)
{
	return epochs->count ? &epochs->all[epochs->count - 1] : NULL;
}

/* The first seq that is not of this timeline any more; false: it is none of ours. */
static bool find_end(const struct epochs *epochs, const char *name, uint64_t last, uint64_t *end)
{
	size_t i = epochs->count;

	*end = last + 1;
	if (!name[0])
		return true;
	while (i > 0 && memcmp(epochs->all[i - 1].name, name, EPOCH_LEN) != 0)
		i--;
	if (i > 0 && i < epochs->count)
		*end = epochs->all[i].first;
	return i > 0;
}

/* Of an older timeline he has no more than what came before the newer ones. */
uint64_t epochs_resume(const struct epochs *epochs, const struct positions *after, uint64_t last,
                       struct gap *lost)
{
	uint64_t seen = after->all[0].seq, common = seen, next = 1;

	for (size_t i = 0; i < after->count; i++) {
		const struct position *p = &after->all[i];
		uint64_t end;

		if (p->seq < common)
			common = p->seq;
		if (find_end(epochs, p->epoch, last, &end)) {
			next = common < end ? common + 1 : end;
			break;
		}
	}
	if (seen >= next)
		*lost = (struct gap){next, seen, "lost", .is_fork = true};
	assert(next > 0);
	return next;
}

bool epochs_mark_write(int dir, const char *epoch, uint64_t last, struct error *why)
{
	char mark[CLEAN_BYTES_MAX];
	int len = snprintf(mark, sizeof mark, "%s-%llu\n", epoch, (unsigned long long)last);

	assert(len > 0 && (size_t)len < sizeof mark);
	return disk_replace(dir, CLEAN_FILE, (struct text){mark, (size_t)len}, why);
}

bool epochs_mark_read(int dir, struct position *out)
{
	struct buf file;
	bool good;

	buf_init(&file, CLEAN_BYTES_MAX);
	good = disk_load(dir, CLEAN_FILE, &file) &&
	       position_parse(text_trim(buf_text(&file)), out) && out->epoch[0];
	buf_finish(&file);
	return good;
}

bool epochs_mark_remove(int dir, struct error *why)
{
	return disk_remove(dir, CLEAN_FILE, why);
}

uint64_t epochs_promised(const struct epochs *epochs, int dir)
{
	const struct epoch *current = epochs_current(epochs);
	uint64_t last = current ? current->first - 1 : 0;
	struct position mark;

	if (current && epochs_mark_read(dir, &mark) && mark.seq > last && mark.seq < SEQ_MAX &&
	    strcmp(mark.epoch, current->name) == 0)
		last = mark.seq;
	return last;
}

uint64_t epochs_promised_in(int dir)
{
	struct epochs epochs;
	uint64_t promised;

	if (!epochs_load(&epochs, dir, NULL))
		return 0;
	promised = epochs_promised(&epochs, dir);
	epochs_finish(&epochs);
	return promised;
}
