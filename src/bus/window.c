/* window.c - two generations of what came last: the newer is filled, the older is
 * only looked at, and when the newer is full the older one is emptied and takes its
 * place.  So nothing is ever taken out singly, and the newest 65,536 are always
 * there.  A new signal, which most are, is known by two bits that are not set; the
 * tables, large and far from the processor, are then only written to.
 *
 * Why XXH3 with a secret: it is keyed, gives 128 bits, and takes 46 ns for 310
 * bytes; OpenSSL's SipHash-1-3, the next best, takes 137.  The secret is random and
 * nobody sees a hash, so nobody can look for two texts with the same one.  A
 * collision would swallow a signal, so 128 bits; whether an id was used with other
 * bytes is only counted, so for that a 64-bit hash will do.
 */
#include "bus/window.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <xxhash.h>

#include "base/crc32c.h"
#include "base/map.h"
#include "base/must.h"
#include "base/random.h"

#define HUGE_PAGE (2 * MIB)
#define TABLE_SIZE (2 * WINDOW_SIZE) /* at most half full; a power of two */
#define HINTS (16 * WINDOW_SIZE)     /* bits: 128 KiB stay near the processor */
#define SAVED_MAGIC "sbwind3\n"

struct entry {
	uint64_t full[2];
	uint64_t seq; /* 0: empty */
};

struct key {
	uint8_t full[XXH3_SECRET_SIZE_MIN + 56]; /* as long as XXH3's own */
	uint64_t pair;
};

/* Both tables are probed in line.  A pair is there once, however many bytes it was
 * used with. */
struct generation {
	struct entry *entries; /* where full[0] says */
	uint64_t *pairs;       /* where the pair itself says; 0: empty */
	uint8_t *hints;        /* a bit for each pair: without it the pair is not there */
	uint64_t count;
};

struct window {
	struct key key;
	struct generation newer, older;
};

/* What window_save writes, before the entries and pairs of the older generation,
 * those of the newer one, and the checksum of all. */
struct saved {
	char magic[8];
	struct key key;
	struct {
		uint64_t entries, pairs;
	} older, newer;
};

/* Each signal goes to another place in it, which with small pages costs more than
 * all else: 4 MiB are two huge ones. */
static void generation_init(struct generation *g)
{
	size_t entries = TABLE_SIZE * sizeof(*g->entries), pairs = TABLE_SIZE * sizeof(*g->pairs);
	char *memory = must_align(HUGE_PAGE, entries + pairs);

	madvise(memory, entries + pairs, MADV_HUGEPAGE);
	memset(memory, 0, entries + pairs);
	g->entries = (struct entry *)memory;
	g->pairs = (uint64_t *)(memory + entries);
	g->hints = must_zero(HINTS / 8, 1);
	g->count = 0;
}

static void generation_finish(struct generation *g)
{
	free(g->entries); /* and the pairs with them */
	free(g->hints);
}

struct window *window_create(void)
{
	struct window *window = must_zero(1, sizeof(*window));

	random_bytes(&window->key, sizeof(window->key));
	generation_init(&window->newer);
	generation_init(&window->older);
	return window;
}

void window_destroy(struct window *window)
{
	if (!window)
		return;
	generation_finish(&window->newer);
	generation_finish(&window->older);
	free(window);
}

/* --- the tables ------------------------------------------------------------ */

/* The entry with this mark, or the empty one where it would go. */
static struct entry *seek(const struct generation *g, const struct window_mark *mark)
{
	size_t i = mark->full[0] % TABLE_SIZE;

	while (g->entries[i].seq &&
	       (g->entries[i].full[0] != mark->full[0] || g->entries[i].full[1] != mark->full[1]))
		i = (i + 1) % TABLE_SIZE;
	return &g->entries[i];
}

static uint64_t *seek_pair(const struct generation *g, uint64_t pair)
{
	size_t i = pair % TABLE_SIZE;

	while (g->pairs[i] && g->pairs[i] != pair)
		i = (i + 1) % TABLE_SIZE;
	return &g->pairs[i];
}

/* The top bits, because the tables are indexed by the others. */
static size_t hint_of(uint64_t pair)
{
	return (size_t)(pair >> 40) % HINTS;
}

static bool may_have(const struct generation *g, uint64_t pair)
{
	return g->hints[hint_of(pair) / 8] >> hint_of(pair) % 8 & 1;
}

static void add_pair(struct generation *g, uint64_t pair)
{
	*seek_pair(g, pair) = pair;
	g->hints[hint_of(pair) / 8] |= (uint8_t)(1 << hint_of(pair) % 8);
}

static void turn_over(struct window *window)
{
	struct generation empty = window->older;

	memset(empty.entries, 0, TABLE_SIZE * sizeof(*empty.entries));
	memset(empty.pairs, 0, TABLE_SIZE * sizeof(*empty.pairs));
	memset(empty.hints, 0, HINTS / 8);
	empty.count = 0;
	window->older = window->newer;
	window->newer = empty;
}

/* --- looking and adding ---------------------------------------------------- */

/* The pair goes into the full hash too, so that it need not be hashed twice. */
struct window_mark window_mark(const struct window *window, struct text source, struct text id,
                               struct text bytes)
{
	struct window_mark mark = {.pair = map_hash(map_hash(window->key.pair, source), id) | 1};
	XXH128_hash_t full;

	/* Where it will be written, most likely. */
	__builtin_prefetch(&window->newer.pairs[mark.pair % TABLE_SIZE], 1);
	full = XXH3_128bits_withSecret(bytes.at, bytes.len, window->key.full,
	                               sizeof(window->key.full));
	mark.full[0] = full.low64;
	mark.full[1] = full.high64;
	mark.full[0] ^= mark.pair;
	__builtin_prefetch(&window->newer.entries[mark.full[0] % TABLE_SIZE], 1);
	return mark;
}

/* NULL when there is none. */
static const struct entry *find(const struct window *window, const struct window_mark *mark)
{
	const struct entry *e = NULL;

	if (may_have(&window->newer, mark->pair))
		e = seek(&window->newer, mark);
	if ((!e || !e->seq) && may_have(&window->older, mark->pair))
		e = seek(&window->older, mark);
	return e && e->seq ? e : NULL;
}

static bool has_pair(const struct generation *g, uint64_t pair)
{
	return may_have(g, pair) && *seek_pair(g, pair);
}

enum window_answer window_look(const struct window *window, const struct window_mark *mark,
                               uint64_t *seq)
{
	const struct entry *e = find(window, mark);

	if (e) {
		*seq = e->seq;
		return WINDOW_SAME;
	}
	if (has_pair(&window->newer, mark->pair) || has_pair(&window->older, mark->pair))
		return WINDOW_REUSED;
	return WINDOW_NEW;
}

void window_add(struct window *window, const struct window_mark *mark, uint64_t seq)
{
	if (find(window, mark))
		return;
	if (window->newer.count == WINDOW_SIZE)
		turn_over(window);
	*seek(&window->newer, mark) = (struct entry){{mark->full[0], mark->full[1]}, seq};
	add_pair(&window->newer, mark->pair);
	window->newer.count++;
}

/* --- the checkpoint -------------------------------------------------------- */

static uint64_t save_entries(const struct generation *g, struct buf *out)
{
	uint64_t count = 0;

	for (size_t i = 0; i < TABLE_SIZE; i++) {
		const struct entry *e = &g->entries[i];

		if (e->seq && buf_add(out, (struct text){(const char *)e, sizeof(*e)}))
			count++;
	}
	return count;
}

static uint64_t save_pairs(const struct generation *g, struct buf *out)
{
	uint64_t count = 0;

	for (size_t i = 0; i < TABLE_SIZE; i++) {
		const uint64_t *pair = &g->pairs[i];

		if (*pair && buf_add(out, (struct text){(const char *)pair, sizeof(*pair)}))
			count++;
	}
	return count;
}

bool window_save(const struct window *window, struct buf *out)
{
	struct saved head = {.key = window->key};
	size_t was = out->len;
	uint32_t crc;

	memcpy(head.magic, SAVED_MAGIC, sizeof(head.magic));
	buf_add(out, (struct text){(char *)&head, sizeof(head)});
	head.older.entries = save_entries(&window->older, out);
	head.older.pairs = save_pairs(&window->older, out);
	head.newer.entries = save_entries(&window->newer, out);
	head.newer.pairs = save_pairs(&window->newer, out);
	if (!out->full) {
		memcpy(out->at + was, &head, sizeof(head));
		crc = crc32c(0, out->at + was, out->len - was);
		buf_add(out, (struct text){(char *)&crc, sizeof(crc)});
	}
	if (!out->full)
		return true;
	out->len = was;
	return false;
}

/* Is this what window_save wrote, all of it? */
static bool is_saved(struct text saved, struct saved *head)
{
	uint64_t entries, pairs;
	uint32_t crc;

	if (saved.len < sizeof(*head) + sizeof(crc))
		return false;
	memcpy(head, saved.at, sizeof(*head));
	memcpy(&crc, saved.at + saved.len - sizeof(crc), sizeof(crc));
	if (memcmp(head->magic, SAVED_MAGIC, sizeof(head->magic)) != 0 ||
	    crc != crc32c(0, saved.at, saved.len - sizeof(crc)))
		return false;
	entries = head->older.entries + head->newer.entries;
	pairs = head->older.pairs + head->newer.pairs;
	return head->older.entries <= WINDOW_SIZE && head->newer.entries <= WINDOW_SIZE &&
	       head->older.pairs <= WINDOW_SIZE && head->newer.pairs <= WINDOW_SIZE &&
	       saved.len == sizeof(*head) + entries * sizeof(struct entry) +
	                            pairs * sizeof(uint64_t) + sizeof(crc);
}

/* Returns where the next one's bytes begin. */
static const char *load_generation(struct generation *g, const char *at, uint64_t entries,
                                   uint64_t pairs)
{
	for (; entries > 0; entries--, at += sizeof(struct entry)) {
		struct entry e;

		memcpy(&e, at, sizeof(e));
		*seek(g, &(struct window_mark){{e.full[0], e.full[1]}, 0}) = e;
		g->count++;
	}
	for (; pairs > 0; pairs--, at += sizeof(uint64_t)) {
		uint64_t pair;

		memcpy(&pair, at, sizeof(pair));
		add_pair(g, pair);
	}
	return at;
}

bool window_load(struct window *window, struct text saved)
{
	struct saved head;
	const char *at = saved.at + sizeof(head);

	turn_over(window);
	turn_over(window);
	if (!is_saved(saved, &head))
		return false;
	window->key = head.key;
	at = load_generation(&window->older, at, head.older.entries, head.older.pairs);
	load_generation(&window->newer, at, head.newer.entries, head.newer.pairs);
	return true;
}
