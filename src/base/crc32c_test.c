/* crc32c_test.c - the checksum, against published values and bit by bit. */
#include "base/crc32c.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define LONGEST 200

/* The definition: one bit at a time. */
static uint32_t slowly(const uint8_t *at, size_t n)
{
	uint32_t crc = ~0u;

	while (n--) {
		crc ^= *at++;
		for (int bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0x82F63B78u : crc >> 1;
	}
	return ~crc;
}

static void published_values_come_out(void **state)
{
	uint8_t bytes[32] = {0};

	assert_int_equal(crc32c(0, "123456789", 9), 0xE3069283u);
	assert_int_equal(crc32c(0, bytes, 32), 0x8A9136AAu);
	memset(bytes, 0xFF, 32);
	assert_int_equal(crc32c(0, bytes, 32), 0x62A8AB43u);
	assert_int_equal(crc32c(0, NULL, 0), 0);
}

static void every_length_and_alignment_agrees_with_the_definition(void **state)
{
	uint8_t bytes[LONGEST + 8];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 131 + 7);
	for (size_t from = 0; from < 8; from++)
		for (size_t n = 0; n <= LONGEST; n++)
			assert_int_equal(crc32c(0, bytes + from, n), slowly(bytes + from, n));
}

static void the_tables_and_the_instruction_agree(void **state)
{
	uint8_t bytes[LONGEST];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 151 + 3);
	for (size_t n = 0; n <= LONGEST; n++)
		assert_int_equal(crc32c_by_tables((uint32_t)n, bytes, n),
		                 crc32c((uint32_t)n, bytes, n));
	assert_int_equal(crc32c_by_tables(0, "123456789", 9), 0xE3069283u);
}

static void pieces_give_the_checksum_of_the_whole(void **state)
{
	static const char whole[] = "any source, one envelope, any client, both ways, nothing lost";
	size_t n = sizeof(whole) - 1;

	for (size_t cut = 0; cut <= n; cut++)
		assert_int_equal(crc32c(crc32c(0, whole, cut), whole + cut, n - cut),
		                 crc32c(0, whole, n));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_values_come_out),
		cmocka_unit_test(every_length_and_alignment_agrees_with_the_definition),
		cmocka_unit_test(the_tables_and_the_instruction_agree),
		cmocka_unit_test(pieces_give_the_checksum_of_the_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
