/* window.c - a ring of what came last, and two tables to find it by.
 *
 * Why SipHash-1-3 from OpenSSL: it is keyed, gives 128 bits, and is what the
 * tables of several languages trust against chosen input.  Measured for 310 bytes
 * with a context that is kept: 138 ns; SipHash-2-4 215 ns, and 169 ns from
 * libsodium, which would be one more dependency; GMAC 264 ns, SHA-256 352 ns.  A
 * collision would swallow a signal, so 128 bits; whether an id was used with
 * other bytes is only counted, so for that a cheap 64-bit hash will do.
 */
#include "bus/window.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <stdlib.h>

#include "base/crc32c.h"
#include "base/map.h"
#include "base/must.h"
#include "base/random.h"

#define TABLE_SIZE (2 * WINDOW_SIZE) /* at most half full; a power of two */
#define SAVED_MAGIC "sbwind1\n"

struct entry {
	struct window_mark mark;
	uint64_t seq;
};

/* Where an entry is in the ring, and enough of its hash to pass over it, or to
 * move it, without looking there: the ring is large and far from the processor. */
struct slot {
	uint32_t place; /* plus one; 0 is empty */
	uint32_t hash;
};

enum by { BY_FULL, BY_PAIR, BY_COUNT };

struct key {
	uint8_t full[16];
	uint64_t pair;
};

struct window {
	EVP_MAC_CTX *mac;
	struct key key;
	struct entry *ring;
	uint64_t added; /* entry n is at n % WINDOW_SIZE */
	/* Probed in line, closed up on removal.  A pair that is there several times
	 * is found at its newest. */
	struct slot *tables[BY_COUNT];
};

/* What window_save writes, before the entries and the checksum of all. */
struct saved {
	char magic[8];
	struct key key;
	uint64_t count;
};

static EVP_MAC_CTX *mac_create(void)
{
	unsigned c_rounds = 1, d_rounds = 3;
	size_t size = sizeof((struct window_mark){0}.full);
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &size),
		OSSL_PARAM_construct_uint(OSSL_MAC_PARAM_C_ROUNDS, &c_rounds),
		OSSL_PARAM_construct_uint(OSSL_MAC_PARAM_D_ROUNDS, &d_rounds),
		OSSL_PARAM_construct_end(),
	};
	EVP_MAC *siphash = EVP_MAC_fetch(NULL, "SIPHASH", NULL);
	EVP_MAC_CTX *mac = siphash ? EVP_MAC_CTX_new(siphash) : NULL;

	EVP_MAC_free(siphash);
	if (!mac || !EVP_MAC_CTX_set_params(mac, params))
		abort(); /* it is in every build of OpenSSL 3 that Debian has */
	return mac;
}

struct window *window_create(void)
{
	struct window *window = must_zero(1, sizeof(*window));

	window->mac = mac_create();
	random_bytes(&window->key, sizeof(window->key));
	window->ring = must_zero(WINDOW_SIZE, sizeof(*window->ring));
	for (enum by by = 0; by < BY_COUNT; by++)
		window->tables[by] = must_zero(TABLE_SIZE, sizeof(struct slot));
	return window;
}

void window_destroy(struct window *window)
{
	if (!window)
		return;
	EVP_MAC_CTX_free(window->mac);
	for (enum by by = 0; by < BY_COUNT; by++)
		free(window->tables[by]);
	free(window->ring);
	free(window);
}

/* --- the tables ------------------------------------------------------------ */

static uint32_t hash_by(enum by by, const struct window_mark *mark)
{
	return (uint32_t)(by == BY_FULL ? mark->full[0] : mark->pair);
}

static bool same_by(enum by by, const struct window_mark *a, const struct window_mark *b)
{
	if (by == BY_PAIR)
		return a->pair == b->pair;
	return a->full[0] == b->full[0] && a->full[1] == b->full[1];
}

/* The slot that holds one like it, or the empty one where it would go. */
static struct slot *seek(const struct window *window, enum by by, const struct window_mark *mark)
{
	uint32_t hash = hash_by(by, mark);
	struct slot *table = window->tables[by];
	size_t i = hash % TABLE_SIZE;

	while (table[i].place && (table[i].hash != hash ||
	                          !same_by(by, &window->ring[table[i].place - 1].mark, mark)))
		i = (i + 1) % TABLE_SIZE;
	return &table[i];
}

/* Empties the slot and pulls back whatever probed past it. */
static void close_up(struct slot *table, struct slot *slot)
{
	size_t hole = (size_t)(slot - table), i = hole;

	while (table[i = (i + 1) % TABLE_SIZE].place) {
		if ((i - table[i].hash) % TABLE_SIZE < (i - hole) % TABLE_SIZE)
			continue;
		table[hole] = table[i];
		hole = i;
	}
	table[hole].place = 0;
}

/* Makes room for one more.  What was used again since is found elsewhere. */
static void drop_oldest(struct window *window, uint32_t place)
{
	for (enum by by = 0; by < BY_COUNT; by++) {
		struct slot *slot = seek(window, by, &window->ring[place].mark);

		if (slot->place == place + 1)
			close_up(window->tables[by], slot);
	}
}

static void push(struct window *window, const struct entry *e)
{
	uint32_t place = (uint32_t)(window->added % WINDOW_SIZE);

	if (window->added >= WINDOW_SIZE)
		drop_oldest(window, place);
	window->ring[place] = *e;
	window->added++;
	for (enum by by = 0; by < BY_COUNT; by++)
		*seek(window, by, &e->mark) = (struct slot){place + 1, hash_by(by, &e->mark)};
}

/* --- looking and adding ---------------------------------------------------- */

/* The pair goes into the full hash too, so that it need not be hashed twice. */
struct window_mark window_mark(const struct window *window, struct text source, struct text id,
                               struct text bytes)
{
	struct window_mark mark = {.pair = map_hash(map_hash(window->key.pair, source), id)};
	size_t n = 0;

	if (!EVP_MAC_init(window->mac, window->key.full, sizeof(window->key.full), NULL) ||
	    !EVP_MAC_update(window->mac, (const unsigned char *)bytes.at, bytes.len) ||
	    !EVP_MAC_final(window->mac, (unsigned char *)mark.full, &n, sizeof(mark.full)) ||
	    n != sizeof(mark.full))
		abort(); /* it takes any bytes */
	mark.full[0] ^= mark.pair;
	return mark;
}

enum window_answer window_look(const struct window *window, const struct window_mark *mark,
                               uint64_t *seq)
{
	const struct slot *slot = seek(window, BY_FULL, mark);

	if (slot->place) {
		*seq = window->ring[slot->place - 1].seq;
		return WINDOW_SAME;
	}
	return seek(window, BY_PAIR, mark)->place ? WINDOW_REUSED : WINDOW_NEW;
}

void window_add(struct window *window, const struct window_mark *mark, uint64_t seq)
{
	struct entry e = {*mark, seq};

	if (!seek(window, BY_FULL, mark)->place)
		push(window, &e);
}

/* --- the checkpoint -------------------------------------------------------- */

static uint64_t count_of(const struct window *window)
{
	return window->added < WINDOW_SIZE ? window->added : WINDOW_SIZE;
}

bool window_save(const struct window *window, struct buf *out)
{
	struct saved head = {.key = window->key, .count = count_of(window)};
	size_t was = out->len;
	uint32_t crc;

	memcpy(head.magic, SAVED_MAGIC, sizeof(head.magic));
	buf_add(out, (struct text){(char *)&head, sizeof(head)});
	for (uint64_t n = window->added - head.count; n < window->added; n++)
		buf_add(out, (struct text){(char *)&window->ring[n % WINDOW_SIZE],
		                           sizeof(struct entry)});
	crc = crc32c(0, out->at + was, out->len - was);
	buf_add(out, (struct text){(char *)&crc, sizeof(crc)});
	if (!out->full)
		return true;
	out->len = was;
	return false;
}

static void forget(struct window *window)
{
	window->added = 0;
	for (enum by by = 0; by < BY_COUNT; by++)
		memset(window->tables[by], 0, TABLE_SIZE * sizeof(struct slot));
}

/* Is this what window_save wrote, all of it? */
static bool is_saved(struct text saved, struct saved *head)
{
	uint32_t crc;

	if (saved.len < sizeof(*head) + sizeof(crc))
		return false;
	memcpy(head, saved.at, sizeof(*head));
	memcpy(&crc, saved.at + saved.len - sizeof(crc), sizeof(crc));
	return memcmp(head->magic, SAVED_MAGIC, sizeof(head->magic)) == 0 &&
	       head->count <= WINDOW_SIZE &&
	       saved.len == sizeof(*head) + head->count * sizeof(struct entry) + sizeof(crc) &&
	       crc == crc32c(0, saved.at, saved.len - sizeof(crc));
}

bool window_load(struct window *window, struct text saved)
{
	struct saved head;
	const char *at = saved.at + sizeof(head);

	forget(window);
	if (!is_saved(saved, &head))
		return false;
	window->key = head.key;
	for (uint64_t i = 0; i < head.count; i++) {
		struct entry e;

		memcpy(&e, at + i * sizeof(e), sizeof(e));
		push(window, &e);
	}
	return true;
}
