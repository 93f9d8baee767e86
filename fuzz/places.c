/* places.c - an index of places that somebody else has written.
 *
 * The first bytes say what is looked for, the rest is the file.  Its pages get the
 * checksums they ought to have if the first byte is odd, so that the rest is reached, too.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/crc32c.h"
#include "base/must.h"
#include "journal/places.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void sign(char *at, size_t len)
{
	for (uint32_t page = 0; (size_t)(page + 1) * PLACE_PAGE <= len; page++) {
		char *start = at + (size_t)page * PLACE_PAGE;
		uint32_t crc = crc32c(page, start, PLACE_PAGE - sizeof(crc));

		memcpy(start + PLACE_PAGE - sizeof(crc), &crc, sizeof(crc));
	}
}

static void look(const struct place_file *file, const uint32_t *hashes)
{
	struct place_list list = {0};

	if (place_file_find(file, hashes, 2, &list)) {
		uint64_t seq = list.first;

		for (size_t i = 0; i < 100 && (seq = place_list_next(&list, seq)) <= list.last; i++)
			seq += PLACE_BLOCK;
		assert(list.first > 0 && list.last >= list.first);
	} else {
		assert(list.last < list.first);
	}
	place_list_finish(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct place_file file;
	uint32_t hashes[2];
	char *copy;
	size_t len, padded;

	if (size < 1 + sizeof(hashes))
		return 0;
	memcpy(hashes, data + 1, sizeof(hashes));
	len = size - 1 - sizeof(hashes);
	padded = data[0] & 1 ? (len + PLACE_PAGE - 1) / PLACE_PAGE * PLACE_PAGE : len;
	copy = must_zero(padded + 1, 1);
	if (len)
		memcpy(copy, data + size - len, len);
	if (data[0] & 1)
		sign(copy, padded);
	file = place_file_in_memory((struct text){copy, padded});
	look(&file, hashes);
	free(copy);
	return 0;
}
