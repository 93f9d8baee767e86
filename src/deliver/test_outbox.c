/* test_outbox.c - an outbox with a channel that does as a script says. */
#include "deliver/test_outbox.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/must.h"
#include "bus/bus.h"
#include "bus/fixture.h"
#include "bus/folds.h"
#include "deliver/tell.h"

struct custody *custody;
struct outbox *outbox;
struct channel_kind kind;
struct outbox_line line;
static struct outbox_line closed;
int64_t now_ms, wall_jump_ms;
char sent[4096];
unsigned looks;
struct test_script script;

int64_t wall_ms(void)
{
	return 1000000 + now_ms + wall_jump_ms;
}

static struct outbox_line *find(void *self, struct text account)
{
	closed.kind = line.kind;
	return text_is(account, "desk") ? &line : text_is(account, "gone") ? NULL : &closed;
}

static void answer_as(const struct channel_message *m, enum channel_act act,
                      enum channel_answer answer)
{
	struct error why = {"as the test says"};

	outbox_answered(outbox,
	                &(struct channel_result){.act = act,
	                                         .answer = answer,
	                                         .delivery = m->delivery,
	                                         .piece = m->piece,
	                                         .message = TEXT("there"),
	                                         .why = &why},
	                now_ms);
}

static void channel_sends(void *self, const struct channel_message *m)
{
	size_t n = strlen(sent);

	snprintf(sent + n, sizeof(sent) - n, "%u:%.*s%s\n", m->piece, TEXT_ARG(m->text),
	         m->file ? m->file->path : "");
	if (script.is_refusing_files && m->file)
		answer_as(m, CHANNEL_SEND, CHANNEL_REFUSED);
	else if (!script.is_silent)
		answer_as(m, CHANNEL_SEND, script.answer);
}

static void channel_looks(void *self, const struct channel_message *m)
{
	looks++;
	assert_true(m->since_ms > 0);
	answer_as(m, CHANNEL_LOOK, script.found);
}

static void note_change(const char *what, const struct channel_message *m, enum channel_act act)
{
	struct error why = {"as the test says"};
	size_t n = strlen(sent);

	snprintf(sent + n, sizeof(sent) - n, "%s %.*s:%.*s\n", what, TEXT_ARG(m->message),
	         TEXT_ARG(m->text));
	outbox_answered(outbox,
	                &(struct channel_result){.act = act,
	                                         .answer = script.changed,
	                                         .delivery = m->delivery,
	                                         .piece = m->piece,
	                                         .why = &why},
	                now_ms);
}

static void channel_edits(void *self, const struct channel_message *m)
{
	note_change("edit", m, CHANNEL_EDIT);
}

static void channel_removes(void *self, const struct channel_message *m)
{
	note_change("remove", m, CHANNEL_REMOVE);
}

static enum outbox_file find_file(void *self, const struct letter *l, unsigned number,
                                  struct channel_upload *file, struct error *why)
{
	char path[32];

	snprintf(path, sizeof(path), "<file %u>", number);
	if (script.file == OUTBOX_FILE_HERE)
		file->path = must_dup(path);
	snprintf(why->words, sizeof(why->words), "it did not come");
	return script.file;
}

static void begin(void)
{
	struct outbox_options o = {
		.again = "(again)", .wall_ms = wall_ms, .find = find, .file = find_file};

	custody = custody_create();
	folds_add(bus_folds(fixture_bus), &custody_fold, custody);
	folds_catch_up(bus_folds(fixture_bus));
	o.custody = custody;
	o.bus = fixture_bus;
	outbox = outbox_create(&o);
}

static void end(void)
{
	outbox_destroy(outbox);
	custody_destroy(custody);
}

int open_outbox(void **state)
{
	fixture_open();
	kind = (struct channel_kind){.name = "fake",
	                             .traits = {.limit = {CHUNK_POINTS, 60, 0}},
	                             .send = channel_sends,
	                             .look = channel_looks,
	                             .edit = channel_edits,
	                             .remove = channel_removes};
	line = (struct outbox_line){.account = "desk", .kind = &kind, .channel = &kind};
	memset(&script, 0, sizeof(script));
	sent[0] = '\0';
	looks = 0;
	now_ms = wall_jump_ms = 0;
	begin();
	return 0;
}

int close_outbox(void **state)
{
	fixture_stop();
	end();
	fixture_start();
	fixture_close();
	return 0;
}

/* As after a kill: what is in the journal is all there is. */
void restart(void)
{
	fixture_stop();
	end();
	fixture_start();
	line.away_until_ms = 0;
	begin();
}

const char *media;

void prepare(const char *id, const char *text, const char *of_kind)
{
	struct outbox_wish wish = {.id = text_of(id),
	                           .request = TEXT("r1"),
	                           .account = TEXT("desk"),
	                           .peer = TEXT("ada"),
	                           .text = text_of(text),
	                           .kind = of_kind,
	                           .more = {[LETTER_MEDIA] = text_of(media)}};
	bool taken = outbox_prepare(outbox, &wish);

	assert_true(taken);
}

enum letter_state state_of(const char *id)
{
	const struct letter *l = custody_letter(custody, text_of(id));

	assert_non_null(l);
	return l->state;
}

/* The disk has all that was told so far; then there may be more to do. */
void sync_once(void)
{
	uint64_t seq = 0;

	list_each(custody_letters(custody), l) {
		const struct letter *letter = list_of(l, struct letter, in_all);

		seq = letter->seq > seq ? letter->seq : seq;
	}
	bus_durable(fixture_bus, seq);
	outbox_work(outbox, now_ms);
}

void sync_all(void)
{
	for (unsigned i = 0; i < 20; i++)
		sync_once();
}

void draft(const char *text)
{
	prepare("r1.1", text, "draft");
	sync_all();
	assert_int_equal(state_of("r1.1"), LETTER_ACCEPTED);
}

void finish(const char *text)
{
	bool good = outbox_finish(outbox, TEXT("r1.1"),
	                          &(struct outbox_wish){.text = text_of(text),
	                                                .kind = "final",
	                                                .more = {[LETTER_MEDIA] = text_of(media)}});

	assert_true(good);
	sync_all();
}
