/* ballot.c - hostile prompts, as chats show them, and what people write as answers.
 *
 * The input is the payload of a prompt, a NUL, and what somebody writes.  Whatever it is: what is
 * not shown whole cannot be allowed, what is offered is an answer that the prompt takes, and so
 * is what is read.
 */
#include "deliver/ballot.h"
#include "deliver/button.h"
#include "lib/hold.h"
#include "run/prompt_frame.h"
#include "signal/json.h"

#define TEXT_MAX (64 * KIB)
#define VALUE_MAX (4 * MIB)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void hold_value(const struct prompt *p, struct buf *value)
{
	yyjson_doc *doc = yyjson_read(value->at, value->len, YYJSON_READ_BIGNUM_AS_RAW);

	must_hold(doc != NULL);
	must_hold(p->type == PROMPT_MULTI || prompt_takes(p, yyjson_doc_get_root(doc), NULL));
	must_hold(!prompt_needs_control(p, yyjson_doc_get_root(doc)));
	yyjson_doc_free(doc);
}

static void show(const struct prompt *p, size_t max, unsigned buttons, struct text said)
{
	struct ballot_reader r = {.limit = {CHUNK_UTF16, max, 0}, .buttons = buttons, .first = 3};
	struct ballot b;
	struct ballot_asked asked;
	struct buf value;

	ballot_init(&b, p, &r);
	asked = (struct ballot_asked){p->type, buf_text(&b.choices), r.first, buttons > 0};
	buf_init(&value, VALUE_MAX);
	for (unsigned i = 0; ballot_choice(buf_text(&b.choices), i, &value, NULL); i++) {
		if (p->type != PROMPT_MULTI)
			hold_value(p, &value);
		buf_clear(&value);
	}
	if (ballot_read(&asked, said, &value))
		hold_value(p, &value);
	buf_finish(&value);
	ballot_finish(&b);
}

static void press(struct text said)
{
	static const unsigned char key[BUTTON_KEY];
	struct text value, delivery;
	unsigned index;

	must_hold(!button_read(said, &delivery, &index) || index < BUTTONS_MAX);
	button_read_code(&(struct button_codes){key}, said, &value);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static struct json_reader reader;
	struct signal s = {.seq = 7, .source = TEXT("me"), .correlation = TEXT("run")};
	struct text said, payload = text_cut((struct text){(const char *)bytes, n}, '\0', &said);
	struct prompt *p;
	yyjson_doc *doc;

	if (n > TEXT_MAX)
		return 0;
	if (!reader.copy.max)
		json_reader_init(&reader, TEXT_MAX);
	doc = json_read(&reader, payload, NULL);
	if (!doc)
		return 0;
	p = prompt_create(&s, yyjson_doc_get_root(doc), "abcdefghijklmnopqrstuvwxyz");
	show(p, 4096, 8, said);
	show(p, 400, 0, said);
	press(said);
	prompt_destroy(p);
	return 0;
}
