/* pool.h - many things of one size, side by side.
 *
 * For what there are ten thousand of: no header per thing, and no holes left
 * between them by other allocations that came and went.  Memory goes back to the
 * pool, and to the system when the pool is finished.
 */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include <stddef.h>

struct pool_slab;

struct pool {
	size_t size; /* of one thing */
	struct pool_slab *slabs;
	void *spare;  /* given back; each points to the next */
	size_t fresh; /* never taken yet, in the first slab */
};

void pool_init(struct pool *pool, size_t size);
void pool_finish(struct pool *pool); /* with everything that was taken */

void *pool_take(struct pool *pool);             /* zeroed */
void pool_give(struct pool *pool, void *thing); /* NULL is fine */

#endif
