/* run.c - hostile signals, as runs and as prompts.
 *
 * The input is signals, one a line, as a producer would send them; what admission takes
 * is heard.  Every frame is JSON with its number in it, what an agent sent comes back
 * to the byte, a run that is folded from frames is the one that is folded from signals, a
 * prompt is told as JSON and takes its own default, and what is saved and loaded between
 * any two signals says the same as what is not.  What a run has said is JSON in UTF-8, and the
 * same however its texts are cut into pieces.
 */

#include "base/must.h"
#include "base/utf8.h"
#include "bus/admit.h"
#include "lib/hold.h"
#include "run/fold.h"
#include "run/prompt.h"
#include "run/said.h"
#include "run/translate.h"

#define TEXT_MAX (64 * KIB)
#define NUMBER 4711

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

struct pass {
	struct hearing hearing;
	struct fold fold, by_frames;
	struct said *said;
	bool has_pieces; /* a text is told a character at a time */
	const struct signal *s;
	struct text origin; /* the frame that the signal came as */
	struct buf told;    /* of one signal */
};

static struct signal_reader *signals;
static struct json_reader lines, frames;
static struct buf scratch, line;
static struct admit *admit;

static void make_ready(void)
{
	static const struct admit_options options = {ADMIT_WARN, TEXT_MAX, 64};

	admit = admit_create(&options);
	signals = signal_reader_create();
	json_reader_init(&lines, 16 * TEXT_MAX);
	json_reader_init(&frames, TRANSLATE_FRAME_MAX);
	buf_init(&scratch, TRANSLATE_FRAME_MAX);
	buf_init(&line, 16 * TEXT_MAX);
}

static void fold_frame(struct pass *pass, const struct run_event *e, struct text shown)
{
	struct run_event read;
	struct frame f;

	if (!frame_read(&f, &frames, shown, NULL)) {
		must_hold(e->kind == RUN_UNREAD);
		return;
	}
	event_of_frame(&read, &f);
	must_hold(read.kind == e->kind);
	fold_event(&pass->by_frames, &read);
}

static void hear_said(struct pass *pass, const struct run_event *e)
{
	struct run_event piece = *e;
	struct text rest = e->text;

	if (!pass->has_pieces || e->kind != RUN_SAID || !rest.len) {
		said_event(pass->said, e, NUMBER);
		return;
	}
	while (rest.len) {
		piece.text = (struct text){rest.at, utf8_length(rest)};
		rest = (struct text){rest.at + piece.text.len, rest.len - piece.text.len};
		said_event(pass->said, &piece, NUMBER);
	}
}

static void take_event(void *self, const struct run_event *e)
{
	struct pass *pass = self;
	size_t before = pass->told.len;
	struct frame_pieces p;
	struct text all;
	uint64_t own;

	fold_event(&pass->fold, e);
	hear_said(pass, e);
	must_hold(translate_event(pass->s, e, &scratch, &p));
	pieces_add(&p, false, NUMBER, &pass->told);
	all = (struct text){pass->told.at + before, pass->told.len - before};
	/* As its agent sent it, but for a number that it lacked. */
	must_hold(!p.is_agents || (p.is_numbered && !text_to_u64(p.own, &own)) ||
	          text_equal(all, pass->origin));
	fold_frame(pass, e, all);
	before = pass->told.len;
	pieces_add(&p, true, NUMBER, &pass->told);
	all = (struct text){pass->told.at + before, pass->told.len - before};
	must_hold(json_read(&frames, all, NULL) != NULL);
	must_hold(!p.is_numbered || memmem(all.at, all.len, "4711", 4));
}

static void must_fold_alike(const struct pass *pass)
{
	struct buf one, other;

	buf_init(&one, 64 * MIB);
	buf_init(&other, 64 * MIB);
	fold_save(&pass->fold, &one);
	fold_save(&pass->by_frames, &other);
	must_hold(text_equal(buf_text(&one), buf_text(&other)));
	buf_finish(&one);
	buf_finish(&other);
}

static void hear_one(struct pass *pass, struct text raw)
{
	struct signal s;
	bool is_dialect;

	buf_clear(&pass->told);
	must_hold(signal_read(signals, raw, &s, NULL));
	pass->s = &s;
	pass->origin = translate_origin(s.reader, raw, s.envelope, &is_dialect);
	hear_signal(&pass->hearing, &s, take_event, pass);
	must_hold(pass->hearing.said <= HEAR_SAID_MAX);
}

static void save_and_load(struct pass *pass)
{
	struct buf saved;
	yyjson_doc *doc;

	buf_init(&saved, 64 * MIB);
	hearing_save(&pass->hearing, &saved);
	doc = yyjson_read(saved.at, saved.len, 0);
	hearing_finish(&pass->hearing);
	hearing_init(&pass->hearing);
	must_hold(hearing_load(&pass->hearing, yyjson_doc_get_root(doc)));
	yyjson_doc_free(doc);
	buf_clear(&saved);
	said_save(pass->said, &saved);
	doc = yyjson_read(saved.at, saved.len, 0);
	said_destroy(pass->said);
	pass->said = said_load(yyjson_doc_get_root(doc));
	must_hold(pass->said);
	yyjson_doc_free(doc);
	buf_finish(&saved);
}

/* Two that heard the same have it, and count it, alike. */
static void must_say_alike(const struct pass *one, const struct pass *two)
{
	struct buf a, b;

	buf_init(&a, 64 * MIB);
	buf_init(&b, 64 * MIB);
	said_save(one->said, &a);
	said_save(two->said, &b);
	must_hold(text_equal(buf_text(&a), buf_text(&b)));
	must_hold(one->said->size == two->said->size);
	buf_clear(&a);
	buf_add_char(&a, '{');
	said_json(one->said, &(struct said_page){.count = 1000, .bytes = MIB}, &a);
	buf_add_char(&a, '}');
	must_hold(json_read(&frames, buf_text(&a), NULL));
	buf_finish(&a);
	buf_finish(&b);
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
	hear_one(one, s.line);
	hear_one(two, s.line);
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
		hearing_init(&passes[i].hearing);
		fold_init(&passes[i].fold);
		fold_init(&passes[i].by_frames);
		passes[i].said = said_create();
		passes[i].has_pieces = i == 1;
		buf_init(&passes[i].told, 64 * MIB);
	}
	while (rest.len)
		hear(&passes[0], &passes[1], text_cut(rest, '\n', &rest));
	must_say_alike(&passes[0], &passes[1]);
	for (size_t i = 0; i < 2; i++) {
		must_fold_alike(&passes[i]);
		hearing_finish(&passes[i].hearing);
		fold_finish(&passes[i].fold);
		fold_finish(&passes[i].by_frames);
		said_destroy(passes[i].said);
		buf_finish(&passes[i].told);
	}
	return 0;
}
