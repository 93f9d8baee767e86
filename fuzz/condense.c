/* condense.c - hostile lines of files that grow: in whatever pieces they come the same is left of
 * them, never more than may be, and JSON stays JSON.
 *
 * The first two bytes of the input are limits, the third is the length of a piece. */
#include "source/transcript/condense.h"

#include <yyjson.h>

#include "lib/hold.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void feed(struct condense *c, struct text line, size_t piece)
{
	while (line.len) {
		struct text part = {line.at, line.len < piece ? line.len : piece};

		condense_add(c, part);
		line = (struct text){line.at + part.len, line.len - part.len};
	}
}

static bool is_json(struct text words)
{
	yyjson_doc *doc = words.len ? yyjson_read(words.at, words.len, 0) : NULL;
	bool is = doc != NULL;

	yyjson_doc_free(doc);
	return is;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct condense_limits limits;
	struct condense whole, pieces;
	struct text line;

	if (n < 3)
		return 0;
	limits.string = bytes[0];
	limits.then = bytes[0] / 2;
	limits.much = bytes[1];
	limits.most = 4 * KIB;
	line = (struct text){(const char *)bytes + 3, n - 3};
	condense_init(&whole, &limits);
	condense_init(&pieces, &limits);
	feed(&whole, line, line.len);
	feed(&pieces, line, bytes[2] + 1U);
	must_hold(whole.is_bad == pieces.is_bad);
	if (!whole.is_bad) {
		must_hold(text_equal(buf_text(&whole.out), buf_text(&pieces.out)));
		must_hold(condense_hash(&whole) == condense_hash(&pieces));
		must_hold(whole.out.len + whole.dropped == line.len);
		must_hold(!is_json(line) || is_json(buf_text(&whole.out)));
	}
	condense_finish(&whole);
	condense_finish(&pieces);
	return 0;
}
