/* place_form.h - the written form of an index of places, for those who write and read it. */
#ifndef JOURNAL_PLACE_FORM_H
#define JOURNAL_PLACE_FORM_H

#include "journal/places.h"

#define PLACE_MAGIC "sbxplac1"
#define PLACE_PAGE_BYTES (PLACE_PAGE - sizeof(uint32_t)) /* of a page, before its checksum */

/* As on the disk. */
struct place_header {
	char magic[8];
	uint64_t first, last;
	uint64_t segment_bytes;
	uint64_t lists; /* bytes */
	uint32_t segment_tail;
	uint32_t keys;
};

struct place_key {
	uint32_t hash;
	uint32_t end; /* of its list */
};

_Static_assert(sizeof(struct place_header) == 48, "a header is as on the disk");

#endif
