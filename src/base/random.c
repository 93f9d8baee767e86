/* random.c - getrandom(2), and what is made of it. */
#include "base/random.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "base/hex.h"
#include "base/must.h"

void random_bytes(void *out, size_t n)
{
	char *at = out;

	while (n) {
		ssize_t got = getrandom(at, n, 0);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			must_give_up("the kernel gives no random bytes");
		at += got;
		n -= (size_t)got;
	}
}

void random_uuid(char out[RANDOM_UUID_LEN])
{
	static _Thread_local uint8_t pool[4096];
	static _Thread_local size_t used = sizeof(pool);
	uint8_t raw[16];
	char two[3];
	size_t at = 0;

	if (used == sizeof(pool)) {
		random_bytes(pool, sizeof(pool));
		used = 0;
	}
	memcpy(raw, pool + used, sizeof(raw));
	used += sizeof(raw);
	raw[6] = (uint8_t)((raw[6] & 0x0F) | 0x40);
	raw[8] = (uint8_t)((raw[8] & 0x3F) | 0x80);
	for (size_t i = 0; i < sizeof(raw); i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			out[at++] = '-';
		hex_write(two, &raw[i], 1);
		memcpy(out + at, two, 2);
		at += 2;
	}
}

void random_hex(char *out, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t byte;

		random_bytes(&byte, 1);
		hex_write(out + 2 * i, &byte, 1);
	}
	out[2 * n] = '\0';
}

uint64_t random_draw(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}
