/* decide.c - hostile prompts, as clients of the gateway dialect see and answer them.
 *
 * The input is the payload of a prompt.  Whatever it is, it is told as JSON; what is not shown
 * whole cannot be allowed; and what is offered is an answer that the prompt takes.
 */
#include "gateway/decide.h"
#include "base/put.h"
#include "gateway/inquiry.h"
#include "lib/hold.h"
#include "run/prompt.h"
#include "run/prompt_frame.h"
#include "signal/json.h"

#define TEXT_MAX (64 * KIB)
#define OUT_MAX (4 * MIB)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void hold_json(struct buf *out)
{
	yyjson_doc *doc;

	put_end(out);
	must_hold(!out->full);
	doc = yyjson_read(out->at, out->len, YYJSON_READ_BIGNUM_AS_RAW);
	must_hold(doc != NULL);
	yyjson_doc_free(doc);
	buf_finish(out);
}

static void decide(const struct prompt *p, const struct decide_reader *reader)
{
	struct deciding d;
	struct buf out;

	deciding_init(&d, p, reader);
	must_hold(!prompt_is_cut(p) || !d.value[DECIDE_ONCE].len);
	for (unsigned i = 0; i < DECISIONS; i++) {
		yyjson_doc *doc =
			yyjson_read(d.value[i].at, d.value[i].len, YYJSON_READ_BIGNUM_AS_RAW);

		must_hold(!d.value[i].len || doc);
		must_hold(!doc || prompt_takes(p, yyjson_doc_get_root(doc), NULL));
		yyjson_doc_free(doc);
	}
	for (int i = 0; i < 2; i++) {
		buf_init(&out, OUT_MAX);
		put_object(&out, NULL);
		if (i)
			deciding_put_request(&d, &out);
		else
			deciding_put_presentation(&d, &out);
		hold_json(&out);
	}
	deciding_finish(&d);
}

static void inquire(const struct prompt *p, enum answers may)
{
	struct inquiry q;
	struct buf out;

	inquiry_init(&q, p, may);
	buf_init(&out, OUT_MAX);
	put_object(&out, NULL);
	inquiry_put_words(&q, p, &out);
	inquiry_put_options(&q, &out);
	hold_json(&out);
	inquiry_option(&q, TEXT("1"));
	inquiry_finish(&q);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static struct json_reader reader;
	struct signal s = {.seq = 7, .source = TEXT("me"), .correlation = TEXT("run")};
	struct prompt *p;
	yyjson_doc *doc;

	if (n > TEXT_MAX)
		return 0;
	if (!reader.copy.max)
		json_reader_init(&reader, TEXT_MAX);
	doc = json_read(&reader, (struct text){(const char *)bytes, n}, NULL);
	if (!doc)
		return 0;
	p = prompt_create(&s, yyjson_doc_get_root(doc), "abcdefghijklmnopqrstuvwxyz");
	for (unsigned i = 0; i < 8; i++) {
		struct decide_reader for_whom = {i & 1 ? ANSWERS_ALL : ANSWERS_PLAIN, i & 2, i & 4};

		if (decide_kind(p) != DECIDE_NOTHING)
			decide(p, &for_whom);
		inquire(p, for_whom.may);
	}
	prompt_destroy(p);
	return 0;
}
