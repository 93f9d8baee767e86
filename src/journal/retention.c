/* retention.c - by size at once, by age with care. */
#include "journal/retention.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "journal/disk.h"
#include "journal/hold.h"
#include "journal/inside.h"
#include "journal/kept.h"

#define DAY_MS 86400000ll
#define HOUR_MS 3600000ll
#define AGED_FILE "aged" /* holds when age last took something, in milliseconds */
#define AGED_BYTES_MAX 64

/* When it was written last; false when nobody knows. */
static bool written_ms(int dir, uint64_t first, int64_t *out)
{
	char name[SEGMENT_NAME_ROOM];
	struct stat st;

	segment_name(name, first, SEGMENT_LINES);
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return false;
	*out = (int64_t)st.st_mtim.tv_sec * 1000;
	return true;
}

/* Of a time that is still to come the clock was wrong, then or now: it binds nobody. */
static bool was_within_the_hour(int dir, int64_t now_ms)
{
	struct buf file;
	uint64_t at;
	bool within;

	buf_init(&file, AGED_BYTES_MAX);
	within = disk_load(dir, AGED_FILE, &file) && text_to_u64(text_trim(buf_text(&file)), &at) &&
	         at <= (uint64_t)now_ms && (uint64_t)now_ms - at < HOUR_MS;
	buf_finish(&file);
	return within;
}

static bool note_hour(int dir, int64_t now_ms)
{
	char words[AGED_BYTES_MAX];
	int len = snprintf(words, sizeof words, "%lld\n", (long long)now_ms);
	struct error why;

	assert(len > 0 && (size_t)len < sizeof words);
	if (disk_replace(dir, AGED_FILE, (struct text){words, (size_t)len}, &why))
		return true;
	log_warn("journal", "nothing goes for its age: %s", why.words);
	return false;
}

/* A clock that is wrong must not take a journal away before somebody notices: age takes what
 * was written within a day of the oldest, and then nothing for an hour, whatever the box
 * does meanwhile. */
static bool may_take_for_age(struct journal *j, int64_t written, int64_t now_ms)
{
	uint64_t now_ns = clock_mono_ns();

	if (now_ns >= j->aging.next_ns) {
		j->aging.next_ns = now_ns + HOUR_MS * 1000000ull;
		j->aging.until_ms = INT64_MIN;
		if (!was_within_the_hour(j->dir, now_ms) && note_hour(j->dir, now_ms))
			j->aging.until_ms = written + DAY_MS;
	}
	return written <= j->aging.until_ms;
}

static bool is_too_old(const struct journal *j, unsigned days, int64_t *written)
{
	return days && written_ms(j->dir, j->shelf.firsts[0], written) &&
	       clock_wall_ms() - *written > (int64_t)days * DAY_MS;
}

/* As the owner wants it at present. */
struct keeping {
	uint64_t bytes, released;
	unsigned days;
	bool is_full; /* the disk */
};

static struct keeping look_at_keeping(struct journal *j)
{
	struct keeping k;

	pthread_mutex_lock(&j->mutex);
	k = (struct keeping){j->options.keep_bytes, j->hold.released, j->options.keep_days,
	                     j->no_space.words[0] != '\0'};
	pthread_mutex_unlock(&j->mutex);
	return k;
}

static void hold_back(struct journal *j)
{
	bool wake;

	pthread_mutex_lock(&j->mutex);
	j->hold.is_back = j->hold.is_asked = true;
	wake = journal_has_news(j);
	pthread_mutex_unlock(&j->mutex);
	if (wake)
		journal_wake(j);
}

/* May the oldest go, as far as those are concerned who keep things of it? */
static bool may_go(struct journal *j, const struct keeping *k, uint64_t over)
{
	uint64_t part = k->bytes / HOLD_PART, most = part > HOLD_BYTES ? part : HOLD_BYTES;

	if (!j->options.is_held || j->shelf.firsts[1] - 1 <= k->released)
		return true;
	if (over <= most && !(over && k->is_full)) {
		hold_back(j);
		return false;
	}
	log_warn("journal", "segment %llu goes before all it told is kept elsewhere: %s",
	         (unsigned long long)j->shelf.firsts[0],
	         k->is_full ? "the disk is full" : "the journal is far over its limit");
	return true;
}

/* Only the writer changes the shelf, so it may look without the mutex. */
static bool must_go(struct journal *j)
{
	struct keeping k = look_at_keeping(j);
	uint64_t bytes = shelf_bytes(&j->shelf), over = 0;
	int64_t written;

	if (j->shelf.count < 2)
		return false;
	if (k.bytes && bytes > k.bytes)
		over = bytes - k.bytes;
	if (over)
		return may_go(j, &k, over);
	return is_too_old(j, k.days, &written) && may_go(j, &k, 0) &&
	       may_take_for_age(j, written, clock_wall_ms());
}

/* It leaves the shelf first: a reader that finds it there finds it on the disk,
 * or looks again. */
static void remove_oldest(struct journal *j)
{
	uint64_t first = j->shelf.firsts[0];

	pthread_mutex_lock(&j->mutex);
	shelf_drop_oldest(&j->shelf);
	pthread_mutex_unlock(&j->mutex);
	segment_remove(j->dir, first);
	kept_remove(j->dir, first);
	placing_remove(j->dir, first);
	log_info("journal", "segment %llu is over the limit and gone", (unsigned long long)first);
}

/* FIRST.quarantine of something that was before all that is there. */
static bool is_outlived(const char *name, uint64_t oldest)
{
	struct text suffix, digits = text_cut(text_of(name), '.', &suffix);
	uint64_t first;

	return text_is(suffix, "quarantine") && text_to_u64(digits, &first) && first < oldest;
}

static void remove_outlived(struct journal *j)
{
	DIR *list = disk_list(j->dir);
	struct dirent *d;

	while (list && j->shelf.count > 0 && (d = readdir(list)))
		if (is_outlived(d->d_name, j->shelf.firsts[0]))
			unlinkat(j->dir, d->d_name, 0);
	if (list)
		closedir(list);
}

static bool remove_segments(struct journal *j)
{
	bool any = false;

	for (; must_go(j); any = true)
		remove_oldest(j);
	return any;
}

void retention_apply(struct journal *j)
{
	if (remove_segments(j))
		remove_outlived(j);
}

void retention_tidy(struct journal *j)
{
	remove_segments(j);
	remove_outlived(j);
}
