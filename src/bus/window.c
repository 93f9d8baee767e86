/* window.c - two generations of what came last: the newer is filled, the older is
 * only looked at, and when the newer is full the older one is emptied and takes its
 * place.  So nothing is ever taken out singly, and the newest 65,536 are always
 * there.  What is remembered lies in the order in which it came; a table says where.
 * The tables are large and each signal leads elsewhere, so a look into them waits for
 * memory.  A few bits, which stay near the processor, say of most that are new that
 * they are: these only write a slot, and nobody waits for that.
 *
 * Why XXH3 with a secret: it is keyed, gives 128 bits, and takes 46 ns for 310
 * bytes; OpenSSL's SipHash-1-3, the next best, takes 137.  The secret is random and
 * nobody sees a hash, so nobody can look for two texts with the same one.  A
 * collision would swallow a signal, so 128 bits; whether an id was used with other
 * bytes is only counted, so for that a 64-bit hash will do.
 */
#include "bus/window.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/mman.h>
#define XXH_INLINE_ALL /* made with our flags, and without calls: 2 % of an ingest */
#include <xxhash.h>

#include "base/crc32c.h"
#include "base/must.h"
#include "base/random.h"

#define HUGE_PAGE (2 * MIB)
#define TABLE_SIZE (2 * WINDOW_SIZE) /* at most half full; a power of two */
#define BITS (8 * WINDOW_SIZE)       /* at most an eighth of them set */
#define PIECE 2048                   /* entries that are saved at a time: 64 KiB */
#define SAVED_MAGIC "sbwind6\n"

struct window_entry {
	struct window_mark mark;
	uint64_t seq;
};

struct key {
	uint8_t full[XXH3_SECRET_SIZE_MIN + 56]; /* as long as XXH3's own */
	uint64_t pair;
};

/* A slot is where a hash says, or in line behind it.  The first entry of a source
 * and id is found by their hash, another one of the same by its full hash: so an id
 * that is used for ever with other bytes makes no long line. */
struct generation {
	struct window_entry *entries; /* the first `count` of WINDOW_SIZE */
	uint32_t *slots;              /* TABLE_SIZE, of slot_of(); 0: empty */
	uint64_t *bits;               /* BITS; one is set for each source and id */
	uint32_t count;
};

/* A generation as it was when a save began. */
struct window_part {
	const struct window_entry *entries;
	uint32_t count, written;
	struct window_entry *own; /* entries, when they had to be copied */
};

struct window_saving {
	bool is_begun;               /* the head is written */
	struct window_part parts[2]; /* the older one, the newer one */
	uint32_t crc;
};

struct window {
	struct key key;
	struct generation newer, older;
	struct window_saving *saving; /* NULL: nothing is being saved */
};

/* What is saved, before the entries of the older generation, those of the
 * newer one, and the checksum of all. */
struct saved {
	char magic[8];
	struct key key;
	uint64_t older, newer; /* how many */
};

/* Each signal goes to another slot, which with small pages costs more than all
 * else. */
static void generation_init(struct generation *g)
{
	size_t entries = WINDOW_SIZE * sizeof(*g->entries), slots = TABLE_SIZE * sizeof(*g->slots);
	size_t size = (entries + slots + BITS / 8 + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
	char *memory = must_align(HUGE_PAGE, size);

	madvise(memory, size, MADV_HUGEPAGE);
	memset(memory, 0, size);
	g->entries = (struct window_entry *)memory;
	g->slots = (uint32_t *)(memory + entries);
	g->bits = (uint64_t *)(memory + entries + slots);
	g->count = 0;
}

struct window *window_create(void)
{
	struct window *window = must_zero(1, sizeof(*window));

	random_bytes(&window->key, sizeof(window->key));
	generation_init(&window->newer);
	generation_init(&window->older);
	return window;
}

static void end_saving(struct window *window)
{
	if (!window->saving)
		return;
	free(window->saving->parts[0].own);
	free(window->saving->parts[1].own);
	free(window->saving);
	window->saving = NULL;
}

void window_destroy(struct window *window)
{
	if (!window)
		return;
	end_saving(window);
	free(window->newer.entries); /* and the slots with them */
	free(window->older.entries);
	free(window);
}

/* --- a generation ---------------------------------------------------------- */

/* The number of an entry, and beside it enough of the hash that led here to pass
 * by all others without a look at them. */
static uint32_t slot_of(uint64_t hash, uint32_t number)
{
	return 1u << 31 | (uint32_t)(hash >> 49) << 16 | number;
}

static bool is_equal(const struct window_mark *a, const struct window_mark *b)
{
	return a->full[0] == b->full[0] && a->full[1] == b->full[1];
}

/* Other parts of the hash say where the slot is. */
static uint64_t *word_of(const struct generation *g, uint64_t pair)
{
	return &g->bits[(pair >> 26) % (BITS / 64)];
}

static uint64_t bit_of(uint64_t pair)
{
	return (uint64_t)1 << (pair >> 20) % 64;
}

/* NULL when there is none. */
static const struct window_entry *find_pair(const struct generation *g, uint64_t pair)
{
	if (!(*word_of(g, pair) & bit_of(pair)))
		return NULL;
	for (size_t i = pair % TABLE_SIZE; g->slots[i]; i = (i + 1) % TABLE_SIZE) {
		const struct window_entry *e = &g->entries[g->slots[i] & 0xFFFF];

		if (g->slots[i] == slot_of(pair, g->slots[i] & 0xFFFF) && e->mark.pair == pair)
			return e;
	}
	return NULL;
}

static const struct window_entry *find_full(const struct generation *g,
                                            const struct window_mark *mark)
{
	uint64_t hash = mark->full[0];

	for (size_t i = hash % TABLE_SIZE; g->slots[i]; i = (i + 1) % TABLE_SIZE) {
		const struct window_entry *e = &g->entries[g->slots[i] & 0xFFFF];

		if (g->slots[i] == slot_of(hash, g->slots[i] & 0xFFFF) && is_equal(&e->mark, mark))
			return e;
	}
	return NULL;
}

static enum window_answer look_in(const struct generation *g, const struct window_mark *mark,
                                  uint64_t *seq)
{
	const struct window_entry *e = find_pair(g, mark->pair);

	if (!e)
		return WINDOW_NEW;
	if (!is_equal(&e->mark, mark) && !(e = find_full(g, mark)))
		return WINDOW_REUSED;
	*seq = e->seq;
	return WINDOW_SAME;
}

/* is_first: no other entry of the same source and id is in it. */
static void put(struct generation *g, const struct window_entry *entry, bool is_first)
{
	uint64_t hash = is_first ? entry->mark.pair : entry->mark.full[0];
	size_t i = hash % TABLE_SIZE;

	assert(g->count < WINDOW_SIZE);
	while (g->slots[i])
		i = (i + 1) % TABLE_SIZE;
	g->slots[i] = slot_of(hash, g->count);
	*word_of(g, entry->mark.pair) |= bit_of(entry->mark.pair);
	g->entries[g->count++] = *entry;
}

/* Its entries are about to be overwritten: what is not saved of them yet is set aside. */
static void keep_for_saving(struct window_part *part)
{
	size_t rest = part->count - part->written;

	if (!rest || part->own)
		return;
	part->own = must_alloc(rest * sizeof(*part->own));
	memcpy(part->own, part->entries + part->written, rest * sizeof(*part->own));
	part->entries = part->own;
	part->count = (uint32_t)rest;
	part->written = 0;
}

static void turn_over(struct window *window)
{
	struct generation empty = window->older;

	for (size_t i = 0; window->saving && i < 2; i++)
		if (window->saving->parts[i].entries == empty.entries)
			keep_for_saving(&window->saving->parts[i]);
	memset(empty.slots, 0, TABLE_SIZE * sizeof(*empty.slots));
	memset(empty.bits, 0, BITS / 8);
	empty.count = 0;
	window->older = window->newer;
	window->newer = empty;
	assert(window->newer.count == 0);
}

/* --- looking and adding ---------------------------------------------------- */

/* The pair goes into the full hash too, so that it need not be hashed twice. */
struct window_mark window_mark(const struct window *window, struct text source, struct text id,
                               struct text bytes)
{
	uint64_t by = XXH3_64bits_withSeed(source.at, source.len, window->key.pair);
	uint64_t pair = XXH3_64bits_withSeed(id.at, id.len, by);
	XXH128_hash_t full;

	__builtin_prefetch(&window->newer.slots[pair % TABLE_SIZE], 1);
	full = XXH3_128bits_withSecret(bytes.at, bytes.len, window->key.full,
	                               sizeof(window->key.full));
	return (struct window_mark){{full.low64 ^ pair, full.high64}, pair};
}

enum window_answer window_look(const struct window *window, const struct window_mark *mark,
                               uint64_t *seq)
{
	enum window_answer newer = look_in(&window->newer, mark, seq), older;

	if (newer == WINDOW_SAME)
		return newer;
	older = look_in(&window->older, mark, seq);
	return older == WINDOW_NEW ? newer : older;
}

void window_add(struct window *window, const struct window_mark *mark, uint64_t seq,
                enum window_answer looked)
{
	struct window_entry entry = {*mark, seq};

	if (looked == WINDOW_SAME)
		return;
	if (window->newer.count == WINDOW_SIZE)
		turn_over(window);
	put(&window->newer, &entry, looked == WINDOW_NEW || !find_pair(&window->newer, mark->pair));
	assert(window->newer.count > 0 && window->newer.count <= WINDOW_SIZE);
}

/* --- the checkpoint -------------------------------------------------------- */

static struct window_part part_of(const struct generation *g)
{
	return (struct window_part){.entries = g->entries, .count = g->count};
}

void window_save_begin(struct window *window)
{
	end_saving(window);
	window->saving = must_zero(1, sizeof(*window->saving));
	window->saving->parts[0] = part_of(&window->older);
	window->saving->parts[1] = part_of(&window->newer);
}

static void save_bytes(struct window_saving *saving, struct buf *out, const void *at, size_t len)
{
	buf_add(out, (struct text){at, len});
	saving->crc = crc32c(saving->crc, at, len);
}

static void save_head(struct window *window, struct buf *out)
{
	struct saved head = {
		.key = window->key,
		.older = window->saving->parts[0].count,
		.newer = window->saving->parts[1].count,
	};

	memcpy(head.magic, SAVED_MAGIC, sizeof(head.magic));
	save_bytes(window->saving, out, &head, sizeof(head));
	window->saving->is_begun = true;
}

static void save_part(struct window_saving *saving, struct window_part *part, struct buf *out)
{
	uint32_t n = part->count - part->written;

	if (n > PIECE)
		n = PIECE;
	save_bytes(saving, out, part->entries + part->written, n * sizeof(*part->entries));
	part->written += n;
}

bool window_save_more(struct window *window, struct buf *out)
{
	struct window_saving *saving = window->saving;

	if (!saving->is_begun)
		save_head(window, out);
	for (size_t i = 0; i < 2; i++)
		if (saving->parts[i].written < saving->parts[i].count) {
			save_part(saving, &saving->parts[i], out);
			return true;
		}
	buf_add(out, (struct text){(const char *)&saving->crc, sizeof(saving->crc)});
	end_saving(window);
	return false;
}

/* Is this what was saved, all of it? */
static bool is_saved(struct text saved, struct saved *head)
{
	uint32_t crc;

	if (saved.len < sizeof(*head) + sizeof(crc))
		return false;
	memcpy(head, saved.at, sizeof(*head));
	memcpy(&crc, saved.at + saved.len - sizeof(crc), sizeof(crc));
	return memcmp(head->magic, SAVED_MAGIC, sizeof(head->magic)) == 0 &&
	       crc == crc32c(0, saved.at, saved.len - sizeof(crc)) && head->older <= WINDOW_SIZE &&
	       head->newer <= WINDOW_SIZE &&
	       saved.len == sizeof(*head) +
	                            (head->older + head->newer) * sizeof(struct window_entry) +
	                            sizeof(crc);
}

/* Returns where the next one's bytes begin. */
static const char *load_generation(struct generation *g, const char *at, uint64_t count)
{
	for (; count > 0; count--, at += sizeof(struct window_entry)) {
		struct window_entry e;

		memcpy(&e, at, sizeof(e));
		put(g, &e, !find_pair(g, e.mark.pair));
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
	at = load_generation(&window->older, at, head.older);
	load_generation(&window->newer, at, head.newer);
	return true;
}
