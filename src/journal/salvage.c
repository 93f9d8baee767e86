/* salvage.c - line by line, until one is not the next. */
#include "journal/salvage.h"

#include "base/crc32c.h"
#include "journal/batch.h"
#include "journal/disk.h"
#include "signal/json.h"
#include "signal/position.h"
#include "signal/signal.h"

#define PART_BYTES (1 * MIB)    /* what is read at once */
#define OTHERS_MAX 4            /* bytes of a head that may be damaged */
#define PLACES_TRIED 256        /* parts of a commit */
#define ENTRIES_MAX (256 * MIB) /* as long as an index may be */

#define CRC TEXT(",\"crc32c\":\"")

/* What is being read, and the batch that its lines make. */
struct salvage_part {
	struct salvage *to;
	struct json_reader json;
	struct text lines;
	uint64_t base;             /* where in the file they begin */
	uint64_t first;            /* the seq that the batch begins with */
	size_t start;              /* where in the lines it begins */
	size_t at;                 /* how far they were judged */
	char head[BATCH_HEAD_MAX]; /* the line that was passed over last */
	size_t head_len;
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

/* What the head of such a batch would be, if it were part `place` of its commit: does the line
 * say the same, but for a few bytes, or does it contradict? */
enum head_word { HEAD_SILENT, HEAD_VOUCHES, HEAD_CONTRADICTS };

static enum head_word compare_head(struct text line, struct index_entry e, uint16_t place)
{
	char head[BATCH_HEAD_MAX];
	unsigned others = 0;
	char *crc;

	e.place = place;
	if (batch_head_write(head, &e) != line.len + 1)
		return HEAD_SILENT;
	for (size_t i = 0; i < line.len; i++)
		others += head[i] != line.at[i];
	if (others <= OTHERS_MAX)
		return HEAD_VOUCHES;
	crc = memmem(head, line.len, CRC.at, CRC.len);
	return crc && memcmp(head, line.at, (size_t)(crc - head) + CRC.len) == 0 ? HEAD_CONTRADICTS
	                                                                         : HEAD_SILENT;
}

/* Which part of its commit it was nobody knows: the next, or the first of another.  Lines that
 * were acknowledged are believed unless their head has another checksum. */
static bool is_vouched_for(const struct salvage_part *p, const struct index_entry *e)
{
	struct text head = {p->head, p->head_len};

	if (!p->to->has_heads)
		return true;
	for (uint16_t place = 0; place < PLACES_TRIED; place++) {
		enum head_word word = compare_head(head, *e, place);

		if (word != HEAD_SILENT)
			return word == HEAD_VOUCHES;
	}
	return e->last <= p->to->acked;
}

/* From `start` to `at`, as a commit of its own. */
static bool add_entry(struct salvage_part *p, uint64_t last, uint8_t kind)
{
	struct salvage *s = p->to;
	const char *at = p->lines.at + p->start;
	struct index_entry e = {
		.first = p->first,
		.last = last,
		.offset = p->base + p->start,
		.length = (uint32_t)(p->at - p->start),
		.kind = kind,
	};

	e.crc = crc32c(0, at, e.length);
	index_entry_seal(&e);
	if (!is_vouched_for(p, &e) ||
	    !buf_add(&s->entries, (struct text){(const char *)&e, sizeof e})) {
		s->next = p->first;
		p->at = p->start;
		return false;
	}
	s->offset = e.offset + e.length;
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
	       yyjson_get_uint(yyjson_obj_get(payload, "to")) == seq && seq < SEGMENT_SEQ_MAX;
}

/* A head, what is left of one, or nothing: no line of a signal. */
static bool skip_line(struct salvage_part *p, struct text line)
{
	if (!end_batch(p))
		return false;
	p->at += line.len + 1;
	p->start = p->at;
	memcpy(p->head, line.at, line.len);
	p->head_len = line.len;
	return true;
}

/* Takes one line with its newline, or says that this is the end. */
static bool salvage_take_line(struct salvage_part *p, struct text line)
{
	struct salvage *s = p->to;
	uint64_t seq = signal_seq_of(line);
	yyjson_doc *doc;
	uint8_t kind;

	if (s->has_heads && line.len < BATCH_HEAD_MAX && !text_starts(line, TEXT("{\"seq\":")))
		return skip_line(p, line);
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
	return s->has_heads || p->at - p->start < BATCH_AIM || end_batch(p);
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
	/* A batch may go on in the next part. */
	if (good && p->to->has_heads && p->start > 0 && p->base + p->at < p->to->end) {
		p->to->next = p->first;
		p->at = p->start;
		return true;
	}
	return end_batch(p) && good;
}

/* Whole lines from where we are, at least one; false: there is none. */
static bool salvage_read_part(struct salvage_part *p, struct buf *room)
{
	const struct salvage *s = p->to;

	for (size_t want = PART_BYTES; want <= BATCH_BYTES_MAX; want *= 2) {
		uint64_t left = s->end - p->base;
		size_t len = left < want ? (size_t)left : want;
		const char *end;
		ssize_t got;
		char *at;

		buf_clear(room);
		at = buf_reserve(room, len + 1);
		got = at ? disk_read(s->fd, at, len, p->base) : -1;
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
	struct salvage_part p = {.to = s, .base = s->offset};
	struct buf room;

	buf_init(&room, BATCH_BYTES_MAX + 1);
	json_reader_init(&p.json, BATCH_BYTES_MAX);
	while (p.base < s->end && salvage_read_part(&p, &room) && salvage_take_part(&p))
		p.base += p.at;
	json_reader_finish(&p.json);
	buf_finish(&room);
}
