/* placing.c - drafts of the newest, files of the others, and making what is missing. */
#include "journal/placing.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/crc32c.h"
#include "base/log.h"
#include "base/must.h"
#include "journal/disk.h"
#include "journal/inside.h"
#include "journal/walk.h"
#include "signal/signal.h"

#define SUFFIX "places"
#define FRESH SUFFIX ".new"
#define TAIL_BYTES 4096             /* of a segment, by which it is known */
#define WORK_NS 2000000             /* at a time, between two looks at who waits */
#define READ_BYTES (64 * KIB)       /* of a segment at once */
#define SWEEP_NS (60 * 1000000000u) /* at least, between two looks at all segments */

/* What is in memory of one segment. */
struct segment_draft {
	struct link in_placing;
	uint64_t segment; /* its first seq */
	bool is_sealed;   /* nothing is added any more: there is a next one */
	struct place_draft draft;
};

/* A segment that is read for its index. */
struct place_making {
	uint64_t segment, until;
	bool is_newest; /* up to `until`, and the draft is the index */
	struct place_draft draft;
	struct walk walk;
	struct signal_reader *signals;
};

void placing_init(struct journal *j)
{
	struct placing *p = &j->placing;

	pthread_mutex_init(&p->mutex, NULL);
	list_init(&p->drafts);
	p->sweep = UINT64_MAX;
	p->known_at_open = j->last;
}

static void making_end(struct placing *p)
{
	struct place_making *m = p->making;

	if (!m)
		return;
	p->making = NULL;
	place_draft_finish(&m->draft);
	walk_finish(&m->walk);
	signal_reader_destroy(m->signals);
	free(m);
}

static void segment_draft_destroy(struct segment_draft *d)
{
	list_remove(&d->in_placing);
	place_draft_finish(&d->draft);
	free(d);
}

void placing_finish(struct journal *j)
{
	struct placing *p = &j->placing;

	making_end(p);
	list_each(&p->drafts, l)
		segment_draft_destroy(list_of(l, struct segment_draft, in_placing));
	pthread_mutex_destroy(&p->mutex);
}

/* The segment of a seq, 0 if there is none, and where the next begins, 0 if it is the newest. */
static uint64_t segment_of(struct journal *j, uint64_t seq, uint64_t *until)
{
	uint64_t first;

	pthread_mutex_lock(&j->mutex);
	first = shelf_find(&j->shelf, seq, until);
	pthread_mutex_unlock(&j->mutex);
	return first;
}

static void wake_reader(struct journal *j)
{
	pthread_mutex_lock(&j->mutex);
	j->is_placing_due = true;
	pthread_cond_signal(&j->to_warmer);
	pthread_mutex_unlock(&j->mutex);
}

/* ---- the owner ---- */

/* The draft that goes on with seq.  A new one has the newest segment, so that the others are
 * complete.  With the mutex. */
static struct segment_draft *draft_for(struct placing *p, uint64_t segment, uint64_t seq)
{
	struct segment_draft *d;

	list_each(&p->drafts, l) {
		d = list_of(l, struct segment_draft, in_placing);
		if (d->segment == segment && d->draft.next == seq && !d->is_sealed)
			return d;
		d->is_sealed = d->is_sealed || d->segment != segment;
	}
	d = must_zero(1, sizeof(*d));
	d->segment = segment;
	place_draft_init(&d->draft, seq);
	list_add(&p->drafts, &d->in_placing);
	return d;
}

/* Lines of one block of memory, from draft.next on to before `end`. */
static void feed_block(struct place_draft *draft, const struct block *b, uint64_t end)
{
	uint32_t lines = FILLED_LINES(atomic_load_explicit(&b->filled, memory_order_relaxed));

	if (b->gap_to) {
		place_draft_gap(draft, b->gap_to);
		return;
	}
	while (draft->next < end && draft->next - b->first < lines)
		place_draft_add(draft, recent_keys(b, draft->next));
}

void placing_feed(struct journal *j, uint64_t to)
{
	uint64_t seq = j->durable_seen + 1;
	struct placing *p = &j->placing;

	while (seq <= to) {
		uint64_t until, segment = segment_of(j, seq, &until), end = to + 1;
		struct segment_draft *d;
		bool is_new;

		if (until && until < end)
			end = until;
		pthread_mutex_lock(&p->mutex);
		d = draft_for(p, segment, seq);
		is_new = d->draft.next == d->draft.first;
		while (d->draft.next < end)
			feed_block(&d->draft, recent_find(&j->recent, d->draft.next), end);
		seq = d->draft.next;
		pthread_mutex_unlock(&p->mutex);
		if (is_new)
			wake_reader(j);
	}
}

/* ---- files ---- */

static void places_name(char out[SEGMENT_NAME_ROOM], uint64_t segment, const char *suffix)
{
	snprintf(out, SEGMENT_NAME_ROOM, "%020llu.%s", (unsigned long long)segment, suffix);
}

void placing_remove(int dir, uint64_t segment)
{
	char name[SEGMENT_NAME_ROOM];

	places_name(name, segment, SUFFIX);
	unlinkat(dir, name, 0);
}

/* By what a segment is known; false: it cannot be read. */
static bool know_segment(struct journal *j, uint64_t segment, struct place_segment *out)
{
	char name[SEGMENT_NAME_ROOM], tail[TAIL_BYTES];
	struct stat st;
	bool good;
	int fd;

	segment_name(name, segment, SEGMENT_LINES);
	fd = openat(j->dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return false;
	good = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
	if (good) {
		uint64_t size = (uint64_t)st.st_size;
		size_t len = size < TAIL_BYTES ? (size_t)size : TAIL_BYTES;

		good = disk_read(fd, tail, len, size - len) == (ssize_t)len;
		*out = (struct place_segment){size, good ? crc32c(0, tail, len) : 0};
	}
	close(fd);
	return good;
}

static bool read_places(const struct place_file *file, void *into, size_t len, uint64_t offset)
{
	return disk_read(file->fd, into, len, offset) == (ssize_t)len;
}

static bool open_places(struct journal *j, uint64_t segment, struct place_file *out)
{
	char name[SEGMENT_NAME_ROOM];
	struct stat st;

	places_name(name, segment, SUFFIX);
	*out = (struct place_file){.read = read_places};
	out->fd = openat(j->dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (out->fd < 0)
		return false;
	if (fstat(out->fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
		out->size = (uint64_t)st.st_size;
	return true;
}

static bool has_good_places(struct journal *j, uint64_t segment)
{
	struct place_segment known;
	struct place_file file;
	bool good;

	if (!open_places(j, segment, &file))
		return false;
	good = know_segment(j, segment, &known) && place_file_is_of(&file, segment, &known);
	close(file.fd);
	return good;
}

static bool find_in_file(struct journal *j, const struct placing_question *q,
                         struct place_list *out)
{
	struct place_segment known;
	struct place_file file;
	bool good;

	if (!open_places(j, q->segment, &file))
		return false;
	good = know_segment(j, q->segment, &known) && place_file_is_of(&file, q->segment, &known) &&
	       place_file_find(&file, q->hashes, q->n, out);
	close(file.fd);
	return good && q->seq <= out->last && out->last < q->until;
}

static bool find_in_drafts(struct placing *p, const struct placing_question *q,
                           struct place_list *out)
{
	bool found = false;

	pthread_mutex_lock(&p->mutex);
	list_each(&p->drafts, l) {
		const struct segment_draft *d = list_of(l, struct segment_draft, in_placing);

		if (!found && d->segment == q->segment && q->seq >= d->draft.first &&
		    q->seq < d->draft.next)
			found = place_draft_find(&d->draft, q->hashes, q->n, out);
	}
	pthread_mutex_unlock(&p->mutex);
	return found;
}

bool placing_find(struct journal *j, const struct placing_question *q, struct place_list *out)
{
	struct placing *p = &j->placing;

	if (find_in_drafts(p, q, out) || (q->until && find_in_file(j, q, out)))
		return true;
	place_list_begin(out, 1, 0);
	if (q->until && clock_mono_ns() - p->swept_ns > SWEEP_NS)
		p->sweep = UINT64_MAX; /* it was there, or is being made: look again */
	return false;
}

/* ---- making ---- */

/* Without a sync: whatever a power cut leaves of it has no checksum. */
static bool write_file(int dir, const char *name, struct text bytes)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	struct iovec all = {(void *)bytes.at, bytes.len};
	bool good = fd >= 0 && disk_write(fd, &all, 1, 0);

	return (fd < 0 || close(fd) == 0) && good;
}

/* Of a segment that went meanwhile it goes again. */
static void write_places(struct journal *j, uint64_t segment, const struct place_draft *draft)
{
	char name[SEGMENT_NAME_ROOM], fresh[SEGMENT_NAME_ROOM];
	struct place_segment known;
	uint64_t until;
	struct buf out;

	places_name(name, segment, SUFFIX);
	places_name(fresh, segment, FRESH);
	buf_init(&out, PLACE_FILE_MAX);
	if (know_segment(j, segment, &known) && place_draft_write(draft, &known, &out) &&
	    (!write_file(j->dir, fresh, buf_text(&out)) || renameat(j->dir, fresh, j->dir, name)))
		unlinkat(j->dir, fresh, 0);
	if (segment_of(j, segment, &until) != segment)
		unlinkat(j->dir, name, 0);
	buf_finish(&out);
}

static struct segment_draft *sealed_draft(struct placing *p)
{
	struct segment_draft *sealed = NULL;

	pthread_mutex_lock(&p->mutex);
	list_each(&p->drafts, l) {
		struct segment_draft *d = list_of(l, struct segment_draft, in_placing);

		sealed = d->is_sealed && !sealed ? d : sealed;
	}
	pthread_mutex_unlock(&p->mutex);
	return sealed;
}

/* The draft of a sealed segment is written if it has all of it; else that is read again.  Only
 * this thread removes drafts, and nobody adds to a sealed one. */
static bool write_sealed(struct journal *j)
{
	struct placing *p = &j->placing;
	struct segment_draft *d = sealed_draft(p);

	if (!d)
		return false;
	if (d->draft.first == d->segment)
		write_places(j, d->segment, &d->draft);
	else
		p->sweep = UINT64_MAX;
	pthread_mutex_lock(&p->mutex);
	segment_draft_destroy(d);
	pthread_mutex_unlock(&p->mutex);
	return true;
}

static void making_begin(struct journal *j, uint64_t segment, uint64_t until, bool is_newest)
{
	struct place_making *m = must_zero(1, sizeof(*m));

	assert(!j->placing.making && segment < until);
	m->segment = segment;
	m->until = until;
	m->is_newest = is_newest;
	place_draft_init(&m->draft, segment);
	walk_init_patient(&m->walk, j);
	m->walk.memory = until;
	m->signals = signal_reader_create();
	j->placing.making = m;
}

static void make_of_lines(struct place_making *m, struct text lines)
{
	struct text all = lines;

	while (lines.len && m->draft.next < m->until) {
		struct text line = text_cut(lines, '\n', &lines);
		struct place_keys keys;
		struct signal s;

		if (signal_read(m->signals, line, &s, NULL)) {
			keys = place_keys_of(s.correlation, s.source, s.type);
			place_draft_add(&m->draft, &keys);
		} else {
			place_draft_add(&m->draft, NULL);
		}
	}
	walk_take(&m->walk, all.len - lines.len);
}

/* What was there of the newest segment before this start; it may be the newest no more. */
static void keep_draft(struct journal *j, struct place_making *m)
{
	struct segment_draft *d = must_zero(1, sizeof(*d));
	struct placing *p = &j->placing;
	uint64_t until;

	d->is_sealed = segment_of(j, m->segment, &until) != m->segment || until;
	d->segment = m->segment;
	d->draft = m->draft;
	m->draft = (struct place_draft){0};
	pthread_mutex_lock(&p->mutex);
	list_add(&p->drafts, &d->in_placing);
	pthread_mutex_unlock(&p->mutex);
}

static void making_done(struct journal *j, struct place_making *m)
{
	if (m->is_newest)
		keep_draft(j, m);
	else
		write_places(j, m->segment, &m->draft);
	making_end(&j->placing);
}

/* One piece of the segment; false: no more of it can be had now. */
static bool make_on(struct place_making *m)
{
	struct text lines;
	uint64_t to;

	switch (walk_read(&m->walk, m->draft.next, READ_BYTES, &lines, &to)) {
	case WALK_LINES:
		make_of_lines(m, lines);
		return true;
	case WALK_COLD:
		return false;
	case WALK_LOST:
	case WALK_FORGOTTEN:
	case WALK_EXPIRED:
	case WALK_DAMAGED:
		break;
	}
	place_draft_gap(&m->draft, to < m->until ? to : m->until - 1);
	walk_leave_place(&m->walk);
	return true;
}

/* The newest segment that nobody has looked at yet; false: all were. */
static bool sweep_on(struct journal *j)
{
	struct placing *p = &j->placing;
	uint64_t until, segment;

	if (p->sweep == UINT64_MAX)
		p->swept_ns = clock_mono_ns();
	segment = p->sweep ? segment_of(j, p->sweep - 1, &until) : 0;
	p->sweep = segment;
	if (!segment)
		return false;
	if (until && !has_good_places(j, segment))
		making_begin(j, segment, until, false);
	else if (!until && segment <= p->known_at_open)
		making_begin(j, segment, p->known_at_open + 1, true);
	if (!until)
		p->known_at_open = 0;
	return true;
}

/* ---- files of segments that are gone ---- */

static bool is_outdated(struct journal *j, const char *name)
{
	struct text suffix, digits = text_cut(text_of(name), '.', &suffix);
	uint64_t segment, until;

	if (text_is(suffix, FRESH))
		return true;
	return text_is(suffix, SUFFIX) && text_to_u64(digits, &segment) &&
	       (segment_of(j, segment, &until) != segment || !until);
}

static void remove_outdated(struct journal *j)
{
	DIR *names = disk_list(j->dir);
	struct dirent *d;

	while (names && (d = readdir(names)))
		if (is_outdated(j, d->d_name))
			unlinkat(j->dir, d->d_name, 0);
	if (names)
		closedir(names);
}

bool placing_work(struct journal *j)
{
	uint64_t until = clock_mono_ns() + WORK_NS;
	struct placing *p = &j->placing;
	struct place_making *m = p->making;

	if (!p->is_tidy) {
		p->is_tidy = true;
		remove_outdated(j);
		return true;
	}
	if (write_sealed(j))
		return true;
	if (!m)
		return sweep_on(j);
	while (m->draft.next < m->until && !m->draft.is_void && clock_mono_ns() < until)
		if (!make_on(m))
			return true;
	if (m->draft.next >= m->until || m->draft.is_void)
		making_done(j, m);
	return true;
}
