/* admit.c - hostile bytes at the door of the bus.
 *
 * What is admitted must be one line of JSON with our members in it, a signal that
 * the journal's reader gives back alike, and, admitted once more, itself.  What breaks
 * the schema must be known to.  What is read where it lies must be what its document
 * says.  The first byte of the input chooses the mode and who sends.
 */

#include "bus/admit.h"
#include "base/buf.h"
#include "lib/hold.h"
#include "signal/envelope.h"
#include "signal/json.h"
#include "signal/schema.h"
#include "signal/signal.h"

#define NOW 1700000000000

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static bool never_taken(void *self, struct text source)
{
	return !text_is(source, "taken");
}

static int64_t now(void)
{
	return NOW;
}

static const struct admit_from open_door = {.name = {"conn", 4}, .now_ms = now};
static const struct admit_from side_door = {
	.name = {"conn", 4},
	.now_ms = now,
	.prefix = {"local/", 6},
	.may_name = never_taken,
};

/* The small limits are easily met.  With one level less nothing is read where it lies. */
#define DEPTH ENVELOPE_DEPTH_MAX

/* One admission for each mode and depth. */
static struct admit *admit_in(enum admit_mode mode, unsigned depth)
{
	static struct admit *admits[ADMIT_STRICT + 1][2];
	struct admit **admit = &admits[mode][depth == DEPTH];
	const struct admit_options options = {mode, 64 * KIB, depth};

	if (!*admit)
		*admit = admit_create(&options);
	return *admit;
}

static bool has_nul(struct text t)
{
	return t.len && memchr(t.at, '\0', t.len);
}

static void check_members(const struct draft *d, struct text envelope)
{
	static struct signal_reader *reader;
	struct signal s;

	if (!reader)
		reader = signal_reader_create();
	must_hold(signal_read(reader, envelope, &s, NULL));
	must_hold(text_equal(s.id, d->id) && text_equal(s.type, d->type));
	must_hold(text_equal(s.source, d->source) && text_equal(s.correlation, d->correlation));
	must_hold(s.kind == d->kind && s.at_ms == d->at_ms);
	must_hold(!has_nul(d->id) && !has_nul(d->type));
	must_hold(!has_nul(d->source) && !has_nul(d->correlation));
}

static void check_document(struct text envelope)
{
	static struct json_reader reader;
	yyjson_doc *doc;
	yyjson_val *root;

	if (!reader.copy.max)
		json_reader_init(&reader, MIB);
	doc = json_read(&reader, envelope, NULL);
	must_hold(doc);
	root = yyjson_doc_get_root(doc);
	must_hold(yyjson_is_obj(yyjson_obj_get(root, "payload")));
	must_hold(!yyjson_obj_get(root, "seq"));
	must_hold(!yyjson_obj_get(yyjson_obj_get(root, "metadata"), "origin"));
}

/* Is it told when the payload or the envelope are not as the schema says? */
static void check_schema(const struct draft *d, struct text envelope)
{
	static const char *const known[] = {"id",       "type",    "timestamp",    "source",
	                                    "metadata", "payload", "correlationId"};
	yyjson_doc *doc = yyjson_read(envelope.at, envelope.len, YYJSON_READ_BIGNUM_AS_RAW);
	yyjson_val *root = yyjson_doc_get_root(doc);
	size_t given = 0;

	/* One with half of a surrogate pair is for json_read alone. */
	if (!doc)
		return;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		given += yyjson_obj_get(root, known[i]) != NULL;
	must_hold(d->breaks_schema ==
	          (given < yyjson_obj_size(root) ||
	           !schema_check_payload(d->kind, yyjson_obj_get(root, "payload"), NULL)));
	yyjson_doc_free(doc);
}

/* A line that is read again has the same in common with other tries as the draft had. */
static void check_stamp(const struct draft *d)
{
	static struct buf line;

	if (!line.max)
		buf_init(&line, MIB);
	buf_clear(&line);
	admit_stamp(&line, 7, d);
	buf_add(&line, d->body);
	must_hold(signal_seq_of(buf_text(&line)) == 7);
	must_hold(text_equal(admit_stable_line(buf_text(&line)), admit_stable(d)));
}

/* What was admitted is whole: through the open door it changes no more, and a timestamp that
 * was filled in is the producer's own. */
static void check_again(struct text envelope)
{
	struct text body = {envelope.at + 1, envelope.len - 1};
	struct error why = {""};
	struct draft again;
	enum admit_reason reason =
		admit_read(admit_in(ADMIT_OFF, DEPTH), envelope, &open_door, &again, &why);

	if (reason == ADMIT_TOO_BIG) /* with what was filled in */
		return;
	must_hold(reason == ADMIT_OK && again.filled == 0);
	check_stamp(&again);
	must_hold(text_equal(again.body, body));
}

/* An id that was drawn is another each time, and 36 letters long. */
static void check_alike(const struct draft *a, const struct draft *b)
{
	must_hold(text_equal(a->type, b->type) && text_equal(a->source, b->source));
	must_hold(text_equal(a->correlation, b->correlation) && a->kind == b->kind);
	must_hold(a->at_ms == b->at_ms && a->breaks_schema == b->breaks_schema);
	if (text_equal(a->id, b->id))
		must_hold(text_equal(a->body, b->body));
	else
		must_hold(a->id.len == 36 && b->id.len == 36 && a->body.len == b->body.len);
}

/* The same, by way of a document. */
static void check_document_of(struct text raw, const struct admit_from *from, enum admit_mode mode,
                              const struct draft *d)
{
	struct draft other;
	struct error why;
	enum admit_reason reason = admit_read(admit_in(mode, DEPTH - 1), raw, from, &other, &why);

	must_hold(reason == ADMIT_OK || reason == ADMIT_TOO_DEEP);
	if (reason == ADMIT_OK)
		check_alike(d, &other);
}

static void check_admitted(const struct draft *d, enum admit_mode mode)
{
	static struct buf envelope;

	if (!envelope.max)
		buf_init(&envelope, MIB);
	must_hold(d->body.len > 0 && d->filled <= d->body.len);
	must_hold(!memchr(d->body.at, '\n', d->body.len));
	must_hold(!memchr(d->body.at, '\r', d->body.len));
	buf_clear(&envelope);
	buf_add_char(&envelope, '{');
	buf_add(&envelope, d->body);
	check_stamp(d);
	check_document(buf_text(&envelope));
	check_members(d, buf_text(&envelope));
	if (mode != ADMIT_OFF)
		check_schema(d, buf_text(&envelope));
	check_again(buf_text(&envelope));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	const struct admit_from *from;
	struct draft draft;
	struct error why = {""};
	enum admit_mode mode;
	struct text raw;

	if (n == 0)
		return 0;
	mode = bytes[0] % 3;
	from = bytes[0] & 4 ? &side_door : &open_door;
	raw = (struct text){(const char *)bytes + 1, n - 1};
	if (admit_read(admit_in(mode, DEPTH), raw, from, &draft, &why) != ADMIT_OK) {
		must_hold(why.words[0] != '\0');
		return 0;
	}
	check_document_of(raw, from, mode, &draft);
	check_admitted(&draft, mode);
	return 0;
}
