/* place_file.c - reading the written form of an index of places, which anybody may have garbled. */
#include <stdlib.h>

#include "base/crc32c.h"
#include "base/must.h"
#include "journal/place_form.h"
#include "signal/position.h"

#define NUMBER_BYTES_MAX 5

/* ---- reading what was written ---- */

static bool read_in_memory(const struct place_file *file, void *into, size_t len, uint64_t offset)
{
	if (offset > file->bytes.len || file->bytes.len - offset < len)
		return false;
	memcpy(into, file->bytes.at + offset, len);
	return true;
}

struct place_file place_file_in_memory(struct text bytes)
{
	return (struct place_file){
		.read = read_in_memory, .size = bytes.len, .bytes = bytes, .fd = -1};
}

/* A file that is being read: its header, and the page that was looked at last. */
struct place_pages {
	const struct place_file *file;
	struct place_header head;
	uint64_t page; /* UINT64_MAX: none */
	unsigned char at[PLACE_PAGE];
};

static bool load_page(struct place_pages *p, uint64_t page)
{
	uint32_t crc;

	if (p->page == page)
		return true;
	p->page = UINT64_MAX;
	if (!p->file->read(p->file, p->at, PLACE_PAGE, page * PLACE_PAGE))
		return false;
	memcpy(&crc, p->at + PLACE_PAGE_BYTES, sizeof(crc));
	if (crc != crc32c((uint32_t)page, p->at, PLACE_PAGE_BYTES))
		return false;
	p->page = page;
	return true;
}

/* Bytes as they were before they were cut into pages. */
static bool read_bytes(struct place_pages *p, void *into, size_t len, uint64_t offset)
{
	char *to = into;

	while (len) {
		size_t in_page = (size_t)(offset % PLACE_PAGE_BYTES),
		       n = PLACE_PAGE_BYTES - in_page;

		if (n > len)
			n = len;
		if (!load_page(p, offset / PLACE_PAGE_BYTES))
			return false;
		memcpy(to, p->at + in_page, n);
		to += n;
		offset += n;
		len -= n;
	}
	return true;
}

static uint64_t lists_start(const struct place_header *h)
{
	return sizeof(*h) + (uint64_t)h->keys * sizeof(struct place_key);
}

static bool open_pages(struct place_pages *p, const struct place_file *file)
{
	struct place_header *h = &p->head;
	uint64_t bytes;

	p->file = file;
	p->page = UINT64_MAX;
	if (file->size < PLACE_PAGE || file->size > PLACE_FILE_MAX || file->size % PLACE_PAGE ||
	    !read_bytes(p, h, sizeof(*h), 0))
		return false;
	if (memcmp(h->magic, PLACE_MAGIC, sizeof(h->magic)) != 0 || h->first == 0 ||
	    h->last < h->first || h->last > SEQ_MAX || h->lists > PLACE_FILE_MAX ||
	    h->lists > UINT32_MAX || (h->last - h->first) / PLACE_BLOCK >= UINT32_MAX)
		return false;
	bytes = lists_start(h) + h->lists;
	return (bytes + PLACE_PAGE_BYTES - 1) / PLACE_PAGE_BYTES == file->size / PLACE_PAGE;
}

bool place_file_is_of(const struct place_file *file, uint64_t first,
                      const struct place_segment *segment)
{
	struct place_pages p;

	return open_pages(&p, file) && p.head.first == first &&
	       p.head.segment_bytes == segment->bytes && p.head.segment_tail == segment->tail;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Those of several hashes become one row. */
static void list_sort(struct place_list *list)
{
	size_t kept = 0;

	if (list->count)
		qsort(list->numbers, list->count, sizeof(*list->numbers), by_number);
	for (size_t i = 0; i < list->count; i++)
		if (!kept || list->numbers[kept - 1] != list->numbers[i])
			list->numbers[kept++] = list->numbers[i];
	list->count = kept;
}

/* *start and *end of the list of a hash; both 0 when it has none. */
static bool find_key(struct place_pages *p, uint32_t hash, uint64_t *start, uint64_t *end)
{
	uint64_t low = 0, high = p->head.keys;
	struct place_key pair[2];

	*start = *end = 0;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		size_t before = middle ? 1 : 0;

		pair[0] = (struct place_key){0};
		if (!read_bytes(p, pair + 1 - before, (before + 1) * sizeof(*pair),
		                sizeof(p->head) + (middle - before) * sizeof(*pair)) ||
		    (before && pair[0].hash >= pair[1].hash))
			return false;
		if (pair[1].hash == hash) {
			*start = pair[0].end;
			*end = pair[1].end;
			return *start < *end && *end <= p->head.lists;
		}
		if (pair[1].hash < hash)
			low = middle + 1;
		else
			high = middle;
	}
	return true;
}

/* A number of 7 bits a byte, in as few bytes as it takes. */
static bool take_number(const unsigned char **at, const unsigned char *end, uint64_t *out)
{
	*out = 0;
	for (unsigned i = 0; i < NUMBER_BYTES_MAX && *at < end; i++) {
		unsigned char byte = *(*at)++;

		*out |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (!(byte & 0x80))
			return byte || i == 0;
	}
	return false;
}

static bool note_list(const struct place_header *h, struct text bytes, struct place_list *out)
{
	const unsigned char *at = (const unsigned char *)bytes.at, *end = at + bytes.len;
	uint64_t most = (h->last - h->first) / PLACE_BLOCK, number = 0, more;

	for (bool is_first = true; at < end; is_first = false) {
		if (!take_number(&at, end, &more) || (!is_first && more == 0))
			return false;
		number += more;
		if (number > most)
			return false;
		place_list_note(out, (uint32_t)number);
	}
	return true;
}

static bool note_hash(struct place_pages *p, uint32_t hash, struct place_list *out)
{
	uint64_t start, end;
	char *bytes;
	bool good;

	if (!find_key(p, hash, &start, &end))
		return false;
	if (start == end)
		return true;
	bytes = must_alloc((size_t)(end - start));
	good = read_bytes(p, bytes, (size_t)(end - start), lists_start(&p->head) + start) &&
	       note_list(&p->head, (struct text){bytes, (size_t)(end - start)}, out);
	free(bytes);
	return good;
}

bool place_file_find(const struct place_file *file, const uint32_t *hashes, size_t n,
                     struct place_list *out)
{
	struct place_pages p;
	bool good = open_pages(&p, file);

	if (good)
		place_list_begin(out, p.head.first, p.head.last);
	good = good && note_hash(&p, PLACE_ANY, out);
	for (size_t i = 0; good && i < n; i++)
		good = note_hash(&p, hashes[i], out);
	if (good)
		list_sort(out);
	else
		place_list_begin(out, 1, 0);
	return good;
}
