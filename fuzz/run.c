/* run.c - hostile signals, as runs and as prompts.
 *
 * The input is signals, one a line, as a producer would send them; what admission takes
 * is translated.  Every frame is JSON with its number in it, what an agent sent comes back
 * to the byte, a prompt is told as JSON and takes its own default, and a translation that
 * is saved and loaded between any two signals says the same as one that is not.
 */

#include "base/must.h"
#include "bus/admit.h"
#include "lib/hold.h"
#include "run/fold.h"
#include "run/prompt.h"
#include "run/translate.h"

#define TEXT_MAX (64 * KIB)
#define NUMBER 4711

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

struct pass {
	struct translate translate;
	struct fold fold;
	struct text origin; /* the frame that the signal came as */
	struct buf told;    /* of one signal */
};

static struct json_reader lines, frames;
static struct buf scratch, line;
static struct admit *admit;

static void make_ready(void)
{
	static const struct admit_options options = {ADMIT_WARN, TEXT_MAX, 64};

	admit = admit_create(&options);
	json_reader_init(&lines, 16 * TEXT_MAX);
	json_reader_init(&frames, TRANSLATE_FRAME_MAX);
	buf_init(&scratch, TRANSLATE_FRAME_MAX);
	buf_init(&line, 16 * TEXT_MAX);
}

static void take_frame(void *self, const struct pieces *p)
{
	struct pass *pass = self;
	size_t before = pass->told.len;
	struct frame f;
	struct text all;
	uint64_t own;

	pieces_add(p, false, NUMBER, &pass->told);
	all = (struct text){pass->told.at + before, pass->told.len - before};
	/* As its agent sent it, but for a number that it lacked. */
	must_hold(!p->is_agents || (p->is_numbered && !text_to_u64(p->own, &own)) ||
	          text_equal(all, pass->origin));
	if (frame_read(&f, &frames, all, NULL))
		fold_frame(&pass->fold, &f);
	before = pass->told.len;
	pieces_add(p, true, NUMBER, &pass->told);
	all = (struct text){pass->told.at + before, pass->told.len - before};
	must_hold(json_read(&frames, all, NULL) != NULL);
	must_hold(!p->is_numbered || memmem(all.at, all.len, "4711", 4));
}

static void translate(struct pass *pass, const struct signal *s)
{
	yyjson_val *envelope = yyjson_doc_get_root(json_read(&lines, s->line, NULL));
	bool is_dialect;

	buf_clear(&pass->told);
	pass->origin = translate_origin(&lines, s->line, envelope, &is_dialect);
	translate_signal(&pass->translate, &(struct translation){
						   .reader = &lines,
						   .envelope = envelope,
						   .s = s,
						   .scratch = &scratch,
						   .each = take_frame,
						   .self = pass,
					   });
	must_hold(pass->translate.said <= TRANSLATE_SAID_MAX);
}

static void save_and_load(struct pass *pass)
{
	struct buf saved;
	yyjson_doc *doc;

	buf_init(&saved, 64 * MIB);
	translate_save(&pass->translate, &saved);
	doc = yyjson_read(saved.at, saved.len, 0);
	translate_finish(&pass->translate);
	translate_init(&pass->translate);
	must_hold(translate_load(&pass->translate, yyjson_doc_get_root(doc)));
	yyjson_doc_free(doc);
	buf_finish(&saved);
}

static void ask(const struct signal *s)
{
	yyjson_val *envelope = yyjson_doc_get_root(json_read(&lines, s->line, NULL));
	struct prompt *p =
		prompt_create(s, yyjson_obj_get(envelope, "payload"), "abcdefghijklmnopqrstuvwxyz");
	yyjson_doc *doc;
	struct buf out;

	buf_init(&out, 4 * MIB);
	for (int may = ANSWERS_NOTHING; may <= ANSWERS_ALL; may++) {
		buf_clear(&out);
		prompt_json(p, (enum answers)may, &out);
		must_hold(!out.full && json_read(&frames, buf_text(&out), NULL));
	}
	if (p->other) {
		doc = yyjson_read(p->other, strlen(p->other), YYJSON_READ_BIGNUM_AS_RAW);
		must_hold(prompt_takes(p, yyjson_doc_get_root(doc), NULL));
		yyjson_doc_free(doc);
	}
	buf_finish(&out);
	prompt_destroy(p);
}

static void hear(struct pass *one, struct pass *two, struct text raw)
{
	struct admit_from from = {.name = TEXT("fuzz"), .is_box = true, .keeps_origin = true};
	struct draft d;
	struct signal s;

	if (admit_read(admit, raw, &from, &d, NULL) != ADMIT_OK)
		return;
	buf_clear(&line);
	buf_add(&line, TEXT("{\"seq\":1,"));
	buf_add(&line, d.body);
	s = (struct signal){
		.seq = 1,
		.line = buf_text(&line),
		.id = d.id,
		.type = d.type,
		.source = d.source,
		.correlation = d.correlation,
		.kind = d.kind,
		.at_ms = d.at_ms,
	};
	translate(one, &s);
	translate(two, &s);
	must_hold(text_equal(buf_text(&one->told), buf_text(&two->told)));
	save_and_load(two);
	ask(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct text rest = {(const char *)bytes, n};
	struct pass passes[2];

	if (n > TEXT_MAX)
		return 0;
	if (!admit)
		make_ready();
	for (size_t i = 0; i < 2; i++) {
		translate_init(&passes[i].translate);
		fold_init(&passes[i].fold);
		buf_init(&passes[i].told, 64 * MIB);
	}
	while (rest.len)
		hear(&passes[0], &passes[1], text_cut(rest, '\n', &rest));
	for (size_t i = 0; i < 2; i++) {
		translate_finish(&passes[i].translate);
		fold_finish(&passes[i].fold);
		buf_finish(&passes[i].told);
	}
	return 0;
}
