/* salvage.c - line by line, until one is not the next. */
#include "journal/salvage.h"

#include "base/crc32c.h"
#include "journal/disk.h"
#include "signal/json.h"
#include "signal/position.h"
#include "signal/signal.h"

#define PART_BYTES (1 * MIB)    /* what is read at once, and a batch at most */
#define ENTRIES_MAX (256 * MIB) /* as long as an index may be */

/* What is being read, and the batch that its lines make. */
struct salvage_part {
	struct salvage *to;
	struct json_reader json;
	struct text lines;
	uint64_t first; /* the seq that the batch begins with */
	size_t start;   /* where in the lines it begins */
	size_t at;      /* how far they were judged */
};

void salvage_init(struct salvage *s, int fd, uint64_t next, uint64_t offset, uint64_t end)
{
	*s = (struct salvage){.fd = fd, .first = next, .next = next, .offset = offset, .end = end};
	buf_init(&s->entries, ENTRIES_MAX);
}

void salvage_finish(struct salvage *s)
{
	buf_finish(&s->entries);
}

size_t salvage_count(const struct salvage *s)
{
	return s->entries.len / sizeof(struct index_entry);
}

/* From `start` to `at`, as a commit of its own. */
static bool add_entry(struct salvage_part *p, uint64_t last, uint8_t kind)
{
	struct salvage *s = p->to;
	const char *at = p->lines.at + p->start;
	struct index_entry e = {
		.first = p->first,
		.last = last,
		.offset = s->offset,
		.length = (uint32_t)(p->at - p->start),
		.kind = kind,
	};

	e.crc = crc32c(0, at, e.length);
	index_entry_seal(&e);
	if (!buf_add(&s->entries, (struct text){(const char *)&e, sizeof e}))
		return false;
	s->offset += e.length;
	s->next = p->first = last + 1;
	p->start = p->at;
	return true;
}

static bool end_batch(struct salvage_part *p)
{
	return p->at == p->start || add_entry(p, p->to->next - 1, ENTRY_LINES);
}

/* A journal.gap line of ours stands for from..to and has the seq of the last. */
static bool is_gap(const struct salvage_part *p, yyjson_val *line, uint64_t seq, uint8_t *kind)
{
	yyjson_val *payload = yyjson_obj_get(line, "payload");

	*kind = yyjson_equals_str(yyjson_obj_get(payload, "why"), "forgotten") ? ENTRY_FORGOTTEN
	                                                                       : ENTRY_GAP;
	return yyjson_equals_str(yyjson_obj_get(line, "type"), "journal.gap") &&
	       yyjson_equals_str(yyjson_obj_get(line, "source"), "signalbox") &&
	       yyjson_get_uint(yyjson_obj_get(payload, "from")) == p->to->next &&
	       yyjson_get_uint(yyjson_obj_get(payload, "to")) == seq && seq < SEQ_MAX;
}

/* Takes one line with its newline, or says that this is the end. */
static bool salvage_take_line(struct salvage_part *p, struct text line)
{
	struct salvage *s = p->to;
	uint64_t seq = signal_seq_of(line);
	yyjson_doc *doc;
	uint8_t kind;

	if (seq < s->next || !(doc = json_read(&p->json, line, NULL)) ||
	    !yyjson_is_obj(yyjson_doc_get_root(doc)))
		return false;
	if (is_gap(p, yyjson_doc_get_root(doc), seq, &kind)) {
		if (!end_batch(p))
			return false;
		p->at += line.len + 1;
		return add_entry(p, seq, kind);
	}
	if (seq != s->next)
		return false;
	s->next++;
	p->at += line.len + 1;
	return true;
}

/* False when there is nothing more to be had. */
static bool salvage_take_part(struct salvage_part *p)
{
	bool good = true;

	p->start = p->at = 0;
	p->first = p->to->next;
	while (good && p->at < p->lines.len) {
		const char *at = p->lines.at + p->at, *end;

		end = memchr(at, '\n', p->lines.len - p->at);
		good = end && salvage_take_line(p, (struct text){at, (size_t)(end - at)});
	}
	return end_batch(p) && good;
}

/* Whole lines from where we are, at least one; false: there is none. */
static bool salvage_read_part(struct salvage_part *p, struct buf *room)
{
	const struct salvage *s = p->to;

	for (size_t want = PART_BYTES; want <= BATCH_BYTES_MAX; want *= 2) {
		uint64_t left = s->end - s->offset;
		size_t len = left < want ? (size_t)left : want;
		const char *end;
		ssize_t got;
		char *at;

		buf_clear(room);
		at = buf_reserve(room, len + 1);
		got = at ? disk_read(s->fd, at, len, s->offset) : -1;
		end = got > 0 ? memrchr(at, '\n', (size_t)got) : NULL;
		p->lines = (struct text){at, end ? (size_t)(end - at) + 1 : 0};
		if (end)
			return true;
		if (got < (ssize_t)want)
			return false;
	}
	return false;
}

void salvage_run(struct salvage *s)
{
	struct salvage_part p = {.to = s};
	struct buf room;

	buf_init(&room, BATCH_BYTES_MAX + 1);
	json_reader_init(&p.json, BATCH_BYTES_MAX);
	while (s->offset < s->end && salvage_read_part(&p, &room) && salvage_take_part(&p))
		;
	json_reader_finish(&p.json);
	buf_finish(&room);
}
