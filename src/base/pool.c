/* pool.c - slabs of 64 things, and a list of those that came back.
 *
 * Under AddressSanitizer what lies in the pool is poisoned, so that a use after
 * it was given back is found as if it had been freed.
 */
#include "base/pool.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"

#if defined(__SANITIZE_ADDRESS__)
#define POOL_POISONS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define POOL_POISONS 1
#endif
#endif

#ifdef POOL_POISONS
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, n) ((void)(at), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(at, n) ((void)(at), (void)(n))
#endif

#define SLAB_THINGS 64
#define LINE 64 /* of the processor's cache: no thing shares one with another */

struct pool_slab {
	struct pool_slab *next;
	_Alignas(LINE) char things[];
};

void pool_init(struct pool *pool, size_t size)
{
	*pool = (struct pool){.size = (size + LINE - 1) / LINE * LINE};
}

void pool_finish(struct pool *pool)
{
	while (pool->slabs) {
		struct pool_slab *slab = pool->slabs;

		pool->slabs = slab->next;
		ASAN_UNPOISON_MEMORY_REGION(slab->things, SLAB_THINGS * pool->size);
		free(slab);
	}
	pool_init(pool, pool->size);
}

static void add_slab(struct pool *pool)
{
	size_t bytes = SLAB_THINGS * pool->size;
	struct pool_slab *slab = must_align(LINE, sizeof(*slab) + bytes);

	slab->next = pool->slabs;
	pool->slabs = slab;
	pool->fresh = SLAB_THINGS;
	ASAN_POISON_MEMORY_REGION(slab->things, bytes);
}

static void *take_spare(struct pool *pool)
{
	void *thing = pool->spare;

	ASAN_UNPOISON_MEMORY_REGION(thing, pool->size);
	memcpy(&pool->spare, thing, sizeof(pool->spare));
	return thing;
}

static void *take_fresh(struct pool *pool)
{
	void *thing;

	if (pool->fresh == 0)
		add_slab(pool);
	thing = pool->slabs->things + --pool->fresh * pool->size;
	ASAN_UNPOISON_MEMORY_REGION(thing, pool->size);
	return thing;
}

void *pool_take(struct pool *pool)
{
	return memset(pool->spare ? take_spare(pool) : take_fresh(pool), 0, pool->size);
}

void pool_give(struct pool *pool, void *thing)
{
	if (!thing)
		return;
	memcpy(thing, &pool->spare, sizeof(pool->spare));
	pool->spare = thing;
	ASAN_POISON_MEMORY_REGION(thing, pool->size);
}
