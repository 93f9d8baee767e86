/* kept.c - writing, finding and removing the checkpoints that stay with their segments. */
#include "journal/kept.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/crc32c.h"
#include "base/log.h"
#include "journal/disk.h"
#include "journal/inside.h"

#define SUFFIX "checkpoint"
#define LEVEL 1 /* of zstd: commits wait meanwhile */

/* As on the disk, little-endian. */
struct kept_header {
	char magic[8];
	uint64_t seq;
	uint64_t length; /* of the state, before it was compressed */
	char epoch[EPOCH_LEN];
	uint32_t crc; /* crc32c of the fields above and the compressed bytes */
};

_Static_assert(sizeof(struct kept_header) == 40, "a header is as on the disk");

static const char magic[8] = {'s', 'b', 'x', 'k', 'e', 'p', 't', '1'};

static uint32_t sum(const struct kept_header *h, struct text packed)
{
	return crc32c(crc32c(0, h, offsetof(struct kept_header, crc)), packed.at, packed.len);
}

static void kept_name(char out[SEGMENT_NAME_ROOM], uint64_t first)
{
	snprintf(out, SEGMENT_NAME_ROOM, "%020llu." SUFFIX, (unsigned long long)first);
}

static bool kept_parse_name(const char *name, uint64_t *first)
{
	char ours[SEGMENT_NAME_ROOM];
	struct text rest;

	if (!text_to_u64(text_cut(text_of(name), '.', &rest), first))
		return false;
	kept_name(ours, *first);
	return strcmp(name, ours) == 0;
}

/* ---- reading ---- */

/* Into file, which holds the compressed state then; false: there is none that is whole. */
static bool kept_read(int dir, uint64_t first, struct kept_header *h, struct buf *file)
{
	char name[SEGMENT_NAME_ROOM];

	kept_name(name, first);
	buf_clear(file);
	if (!disk_load(dir, name, file))
		return false;
	errno = 0;
	if (file->len < sizeof *h)
		return false;
	memcpy(h, file->at, sizeof *h);
	buf_drop(file, sizeof *h);
	return memcmp(h->magic, magic, sizeof magic) == 0 && h->seq >= first && h->length > 0 &&
	       h->length <= KEPT_STATE_MAX && h->crc == sum(h, buf_text(file));
}

/* A byte more, because a whole file is read with one to spare. */
static void kept_file_init(struct buf *file)
{
	buf_init(file, KEPT_MAX + 1);
}

/* Has our timeline had this moment? */
static bool kept_is_ours(const struct journal *j, const struct kept_header *h)
{
	struct positions at = {.count = 1};
	struct gap lost = {0};

	memcpy(at.all[0].epoch, h->epoch, EPOCH_LEN);
	at.all[0].seq = h->seq;
	epochs_resume(&j->epochs, &at, j->last, &lost);
	return h->epoch[0] && !lost.why;
}

static bool kept_unpack(const struct kept_header *h, struct text packed, struct buf *out)
{
	char *at;
	size_t got;

	buf_clear(out);
	at = h->length <= out->max ? buf_reserve(out, (size_t)h->length) : NULL;
	if (!at)
		return false;
	got = ZSTD_decompress(at, (size_t)h->length, packed.at, packed.len);
	if (ZSTD_isError(got) || got != h->length)
		return false;
	out->len = got;
	return true;
}

/* until: the first seq of the next segment, 0 for the newest. */
static bool kept_load(const struct journal *j, uint64_t first, uint64_t until, struct buf *out,
                      uint64_t *at)
{
	struct kept_header h;
	struct buf file;
	bool good;

	kept_file_init(&file);
	good = kept_read(j->dir, first, &h, &file) && (!until || h.seq < until) &&
	       kept_is_ours(j, &h) && kept_unpack(&h, buf_text(&file), out);
	if (good)
		*at = h.seq;
	else if (errno != ENOENT)
		log_warn("journal", "the checkpoint of segment %llu is no good, and passed over",
		         (unsigned long long)first);
	buf_finish(&file);
	return good;
}

bool journal_kept(struct journal *j, uint64_t seq, struct buf *out, uint64_t *at)
{
	uint64_t first = seq + 1, until;

	while (first > 1) {
		pthread_mutex_lock(&j->mutex);
		first = shelf_find(&j->shelf, first - 1, &until);
		pthread_mutex_unlock(&j->mutex);
		if (first && kept_load(j, first, until, out, at) && *at <= seq)
			return true;
	}
	buf_clear(out);
	*at = 0;
	return false;
}

bool kept_is_damaged(int dir, uint64_t first)
{
	struct kept_header h;
	struct buf file;
	bool whole;

	kept_file_init(&file);
	whole = kept_read(dir, first, &h, &file);
	buf_finish(&file);
	return !whole && errno != ENOENT;
}

/* ---- writing ---- */

static bool kept_is_there(const struct journal *j, const char *name)
{
	return faccessat(j->dir, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Where little is kept in a file, little is kept beside it. */
static size_t kept_most(const struct journal *j)
{
	return j->options.segment_bytes < KEPT_MAX ? j->options.segment_bytes : KEPT_MAX;
}

/* False: it does not fit. */
static bool kept_pack(const struct journal *j, uint64_t seq, struct text state, struct buf *file)
{
	struct kept_header h = {.seq = seq, .length = state.len};
	size_t room = kept_most(j), got;
	char *at;

	memcpy(h.magic, magic, sizeof magic);
	memcpy(h.epoch, journal_epoch(j), sizeof h.epoch);
	at = room > sizeof h ? buf_reserve(file, room) : NULL;
	if (!at)
		return false;
	got = ZSTD_compress(at + sizeof h, room - sizeof h, state.at, state.len, LEVEL);
	if (ZSTD_isError(got))
		return false;
	h.crc = sum(&h, (struct text){at + sizeof h, got});
	memcpy(at, &h, sizeof h);
	file->len = sizeof h + got;
	return true;
}

void kept_offer(struct journal *j, uint64_t seq, const struct buf *state)
{
	uint64_t until, first = shelf_find(&j->shelf, seq, &until);
	char name[SEGMENT_NAME_ROOM];
	struct error why;
	struct buf file;

	kept_name(name, first);
	if (!first || !state->len || kept_is_there(j, name))
		return;
	kept_file_init(&file);
	if (!state->full && kept_pack(j, seq, buf_text(state), &file)) {
		if (!disk_replace(j->dir, name, buf_text(&file), &why))
			log_warn("journal", "no checkpoint is kept: %s", why.words);
	} else if (!j->is_kept_too_big) {
		j->is_kept_too_big = true;
		log_info("journal", "the state at %llu is too big to be kept with its segment",
		         (unsigned long long)seq);
	}
	buf_finish(&file);
}

/* ---- removing ---- */

void kept_remove(int dir, uint64_t first)
{
	char name[SEGMENT_NAME_ROOM];

	kept_name(name, first);
	unlinkat(dir, name, 0);
}

static bool kept_has_segment(const struct journal *j, uint64_t first)
{
	uint64_t until;

	return shelf_find(&j->shelf, first, &until) == first;
}

static bool kept_is_good(const struct journal *j, uint64_t first)
{
	struct kept_header h;
	struct buf file;
	bool good;

	kept_file_init(&file);
	good = kept_read(j->dir, first, &h, &file) && kept_is_ours(j, &h);
	buf_finish(&file);
	return good;
}

void kept_sweep(struct journal *j)
{
	uint64_t first, newest = j->shelf.count ? j->shelf.firsts[j->shelf.count - 1] : 0;
	DIR *names = disk_list(j->dir);
	struct dirent *d;

	while (names && (d = readdir(names)))
		if (kept_parse_name(d->d_name, &first) &&
		    (!kept_has_segment(j, first) || (first == newest && !kept_is_good(j, first))))
			unlinkat(j->dir, d->d_name, 0);
	if (names)
		closedir(names);
}

bool kept_remove_from(int dir, uint64_t seq, struct error *why)
{
	DIR *names = disk_list(dir);
	struct kept_header h;
	bool good = true;
	struct dirent *d;
	struct buf file;
	uint64_t first;

	if (!names)
		return error_errno(why, "the journal's directory");
	kept_file_init(&file);
	while (good && (d = readdir(names))) {
		if (!kept_parse_name(d->d_name, &first) ||
		    (kept_read(dir, first, &h, &file) && h.seq < seq))
			continue;
		good = unlinkat(dir, d->d_name, 0) == 0 || error_errno(why, "%s", d->d_name);
	}
	buf_finish(&file);
	closedir(names);
	return good;
}
