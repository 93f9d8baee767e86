/* crc32c.c - with the processor's own instruction where it has one, else with
 * eight tables.  Both give the same number; the test compares them. */
#include "base/crc32c.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#if defined(__aarch64__)
#include <sys/auxv.h>
#define CRC_TARGET /* the assembler is told: gcc and clang spell it differently */
#elif defined(__x86_64__)
#define CRC_TARGET __attribute__((target("sse4.2")))
#endif

#define CRC_POLYNOMIAL 0x82F63B78u /* reflected */

static uint32_t tables[8][256];
static bool have_instruction;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool processor_has_crc(void)
{
#if defined(__aarch64__)
	return getauxval(AT_HWCAP) & (1ul << 7); /* HWCAP_CRC32 */
#elif defined(__x86_64__)
	return __builtin_cpu_supports("sse4.2");
#else
	return false;
#endif
}

static void crc32c_prepare(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;

		for (int bit = 0; bit < 8; bit++)
			c = c & 1 ? c >> 1 ^ CRC_POLYNOMIAL : c >> 1;
		tables[0][i] = c;
	}
	for (int t = 1; t < 8; t++)
		for (int i = 0; i < 256; i++)
			tables[t][i] = tables[t - 1][i] >> 8 ^ tables[0][tables[t - 1][i] & 0xFF];
	have_instruction = processor_has_crc();
}

#ifdef CRC_TARGET
CRC_TARGET static uint32_t step8(uint32_t crc, uint64_t word)
{
#if defined(__aarch64__)
	__asm__(".arch_extension crc\n\tcrc32cx %w0, %w0, %x1" : "+r"(crc) : "r"(word));
	return crc;
#else
	return (uint32_t)__builtin_ia32_crc32di(crc, word);
#endif
}

/* For the same processor as step8(), which could not be inlined into it otherwise. */
CRC_TARGET static size_t by_instruction(uint32_t *crc, const uint8_t *at, size_t n)
{
	size_t i = 0;
	uint64_t word;

	for (; i + 8 <= n; i += 8) {
		memcpy(&word, at + i, 8);
		*crc = step8(*crc, word);
	}
	return i;
}
#endif

static size_t by_tables(uint32_t *crc, const uint8_t *at, size_t n)
{
	size_t i = 0;

	for (; i + 8 <= n; i += 8) {
		uint32_t low = *crc ^ ((uint32_t)at[i] | (uint32_t)at[i + 1] << 8 |
		                       (uint32_t)at[i + 2] << 16 | (uint32_t)at[i + 3] << 24);

		*crc = tables[7][low & 0xFF] ^ tables[6][low >> 8 & 0xFF] ^
		       tables[5][low >> 16 & 0xFF] ^ tables[4][low >> 24] ^ tables[3][at[i + 4]] ^
		       tables[2][at[i + 5]] ^ tables[1][at[i + 6]] ^ tables[0][at[i + 7]];
	}
	return i;
}

/* The fewer than eight that are left from i on. */
static uint32_t last_bytes(uint32_t crc, const uint8_t *at, size_t i, size_t n)
{
	for (; i < n; i++)
		crc = crc >> 8 ^ tables[0][(crc ^ at[i]) & 0xFF];
	return crc;
}

uint32_t crc32c_by_tables(uint32_t before, const void *bytes, size_t n)
{
	uint32_t crc = ~before;
	size_t done;

	pthread_once(&once, crc32c_prepare);
	done = by_tables(&crc, bytes, n);
	return ~last_bytes(crc, bytes, done, n);
}

uint32_t crc32c(uint32_t before, const void *bytes, size_t n)
{
#ifdef CRC_TARGET
	uint32_t crc = ~before;
	size_t done;

	pthread_once(&once, crc32c_prepare);
	if (have_instruction) {
		done = by_instruction(&crc, bytes, n);
		return ~last_bytes(crc, bytes, done, n);
	}
#endif
	return crc32c_by_tables(before, bytes, n);
}
