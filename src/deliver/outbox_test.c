/* outbox_test.c - custody: what is on the disk before what leaves, and what a crash makes of it. */
#include "deliver/outbox_inside.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/put.h"
#include "bus/bus.h"
#include "bus/fixture.h"
#include "bus/folds.h"
#include "deliver/tell.h"

static struct custody *custody;
static struct outbox *outbox;
static struct channel_kind kind;
static struct outbox_line line, closed;
static int64_t now_ms;
static char sent[4096]; /* what left, a line each */
static unsigned looks;
static struct {
	enum channel_answer answer;
	bool is_silent;
	enum channel_answer found;
	enum channel_answer changed; /* of edits and removals */
	enum outbox_file file;
	bool is_refusing_files;
} script;

static int64_t wall_ms(void)
{
	return 1000000 + now_ms;
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
		file->path = strdup(path);
	snprintf(why->words, sizeof(why->words), "it did not come");
	return script.file;
}

static void begin(void)
{
	struct outbox_options o = {.custody = custody = custody_create(),
	                           .again = "(again)",
	                           .wall_ms = wall_ms,
	                           .find = find,
	                           .file = find_file};

	folds_add(bus_folds(fixture_bus), &custody_fold, custody);
	folds_catch_up(bus_folds(fixture_bus));
	o.bus = fixture_bus;
	outbox = outbox_create(&o);
}

static void end(void)
{
	outbox_destroy(outbox);
	custody_destroy(custody);
}

static int open_outbox(void **state)
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
	now_ms = 0;
	begin();
	return 0;
}

static int close_outbox(void **state)
{
	fixture_stop();
	end();
	fixture_start();
	fixture_close();
	return 0;
}

/* As after a kill: what is in the journal is all there is. */
static void restart(void)
{
	fixture_stop();
	end();
	fixture_start();
	line.away_until_ms = 0;
	begin();
}

/* Of two pieces. */
#define LONG "The first sentence is of this length. The second one follows it. Then a third."

static const char *media; /* of what is prepared, or NULL */

static void prepare(const char *id, const char *text, const char *of_kind)
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

static enum letter_state state_of(const char *id)
{
	const struct letter *l = custody_letter(custody, text_of(id));

	assert_non_null(l);
	return l->state;
}

/* The disk has all that was told so far; then there may be more to do. */
static void sync_once(void)
{
	uint64_t seq = 0;

	list_each(custody_letters(custody), l) {
		const struct letter *letter = list_of(l, struct letter, in_all);

		seq = letter->seq > seq ? letter->seq : seq;
	}
	bus_durable(fixture_bus, seq);
	outbox_work(outbox, now_ms);
}

static void sync_all(void)
{
	for (unsigned i = 0; i < 20; i++)
		sync_once();
}

/* ---- in order ---- */

static void nothing_leaves_before_the_disk_knows(void **state)
{
	prepare("r1.1", "good day", "final");
	outbox_work(outbox, now_ms);
	assert_int_equal(state_of("r1.1"), LETTER_PREPARED);
	sync_once();
	assert_int_equal(state_of("r1.1"), LETTER_STARTED);
	outbox_work(outbox, now_ms);
	assert_string_equal(sent, "");
	sync_once();
	assert_string_equal(sent, "1:good day\n");
	assert_int_equal(state_of("r1.1"), LETTER_ACCEPTED);
	sync_once();
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
	assert_string_equal(custody_letter(custody, TEXT("r1.1"))->words[LETTER_MESSAGES], "there");
	assert_null(custody_letter(custody, TEXT("r1.1"))->words[LETTER_TEXT]);
}

static void a_piece_waits_for_the_one_before_it(void **state)
{
	prepare("r1.1", LONG, "final");
	sync_once();
	sync_once();
	outbox_work(outbox, now_ms);
	assert_int_equal(custody_letter(custody, TEXT("r1.1"))->accepted, 1);
	assert_null(strchr(sent, '2'));
	sync_all();
	assert_non_null(strstr(sent, "\n2:"));
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

static void letters_of_a_chat_leave_one_after_the_other(void **state)
{
	script.is_silent = true;
	prepare("r1.1", "one", "final");
	prepare("r1.2", "two", "final");
	sync_all();
	assert_string_equal(sent, "1:one\n");
	assert_int_equal(state_of("r1.2"), LETTER_PREPARED);
}

/* ---- what goes wrong ---- */

static void what_is_refused_fails_with_words_and_can_be_retried(void **state)
{
	struct error why;
	bool good;

	script.answer = CHANNEL_REFUSED;
	prepare("r1.1", "good day", "final");
	sync_all();
	assert_int_equal(state_of("r1.1"), LETTER_FAILED);
	assert_string_equal(custody_letter(custody, TEXT("r1.1"))->words[LETTER_WHY],
	                    "as the test says");
	script.answer = CHANNEL_ACCEPTED;
	good = outbox_retry(outbox, TEXT("r1.1"), &why);
	assert_true(good);
	sync_all();
	assert_string_equal(sent, "1:good day\n1:good day\n");
	assert_false(outbox_retry(outbox, TEXT("none"), &why));
}

static void a_channel_that_is_away_is_tried_again(void **state)
{
	script.answer = CHANNEL_AWAY;
	prepare("r1.1", "good day", "final");
	sync_all();
	assert_int_equal(state_of("r1.1"), LETTER_QUEUED);
	assert_string_equal(sent, "1:good day\n");
	assert_true(outbox_due(outbox, now_ms) <= now_ms + OUTBOX_AWAY_MS);
	script.answer = CHANNEL_ACCEPTED;
	now_ms += OUTBOX_AWAY_MS;
	sync_all();
	assert_string_equal(sent, "1:good day\n1:good day\n"); /* and does not say "again" */
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

static void after_a_day_it_is_given_up(void **state)
{
	line.channel = NULL;
	prepare("r1.1", "good day", "final");
	custody_letter(custody, TEXT("r1.1"))->at_ms = (double)wall_ms();
	sync_all();
	assert_int_equal(state_of("r1.1"), LETTER_QUEUED);
	now_ms += (int64_t)OUTBOX_DAY_MS + 1;
	sync_all();
	assert_int_equal(state_of("r1.1"), LETTER_FAILED);
}

static void a_send_without_an_answer_is_sent_again_once(void **state)
{
	script.is_silent = true;
	prepare("r1.1", "good day", "block");
	sync_all();
	now_ms += OUTBOX_SEND_MS;
	sync_all();
	assert_string_equal(sent, "1:good day\n1:(again)\ngood day\n");
	now_ms += OUTBOX_SEND_MS;
	sync_all();
	assert_int_equal(state_of("r1.1"), LETTER_FAILED);
	assert_true(letter_may_be_there(custody_letter(custody, TEXT("r1.1"))));
	assert_string_equal(sent, "1:good day\n1:(again)\ngood day\n");
}

static void a_block_that_is_given_up_is_kept_when_it_has_left(void **state)
{
	script.is_silent = true;
	prepare("r1.1", "one", "block");
	prepare("r1.2", "two", "block");
	sync_all();
	assert_true(outbox_give_up(outbox, TEXT("r1.1")));
	assert_false(outbox_give_up(outbox, TEXT("r1.2")));
	assert_int_equal(state_of("r1.2"), LETTER_FAILED);
	assert_false(letter_may_be_there(custody_letter(custody, TEXT("r1.2"))));
	script.is_silent = false;
	script.answer = CHANNEL_AWAY;
	now_ms += OUTBOX_SEND_MS;
	sync_all();
	assert_true(outbox_give_up(outbox, TEXT("r1.1")));
	script.answer = CHANNEL_ACCEPTED;
	now_ms += OUTBOX_AWAY_MS;
	sync_all();
	assert_string_equal(sent, "1:one\n1:(again)\none\n1:(again)\none\n");
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

/* ---- crashes ---- */

static void crash_after_start(void)
{
	script.is_silent = true;
	prepare("r1.1", "good day", "final");
	sync_all();
	assert_string_equal(sent, "1:good day\n");
	script.is_silent = false;
	restart();
	sync_all();
}

static void what_is_prepared_is_sent_after_a_crash(void **state)
{
	prepare("r1.1", "good day", "final");
	restart();
	sync_all();
	assert_string_equal(sent, "1:good day\n");
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

static void what_is_there_is_not_sent_again(void **state)
{
	kind.traits.can_recognise = true;
	script.found = CHANNEL_ACCEPTED;
	crash_after_start();
	assert_int_equal(looks, 1);
	assert_string_equal(sent, "1:good day\n");
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

static void what_is_not_there_is_sent_as_it_was(void **state)
{
	kind.traits.can_recognise = true;
	script.found = CHANNEL_ABSENT;
	crash_after_start();
	assert_string_equal(sent, "1:good day\n1:good day\n");
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

static void an_answer_that_is_lost_is_looked_for(void **state)
{
	kind.traits.can_recognise = true;
	script.answer = CHANNEL_UNKNOWN;
	script.found = CHANNEL_ACCEPTED;
	prepare("r1.1", "good day", "final");
	sync_all();
	assert_int_equal(looks, 0);
	assert_int_equal(state_of("r1.1"), LETTER_STARTED);
	now_ms += OUTBOX_DOUBT_MS;
	sync_all();
	assert_int_equal(looks, 1);
	assert_string_equal(sent, "1:good day\n");
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

static void who_could_tell_and_is_away_is_asked_again(void **state)
{
	kind.traits.can_recognise = true;
	script.found = CHANNEL_AWAY;
	crash_after_start();
	assert_int_equal(looks, 1);
	now_ms += OUTBOX_AWAY_MS;
	script.found = CHANNEL_LATER;
	sync_all();
	assert_int_equal(looks, 2);
	assert_int_equal(state_of("r1.1"), LETTER_STARTED);
	now_ms += 2 * OUTBOX_AWAY_MS;
	script.found = CHANNEL_UNKNOWN;
	sync_all();
	assert_int_equal(looks, 3);
	assert_string_equal(sent, "1:good day\n1:(again)\ngood day\n");
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

static void where_nobody_knows_it_says_again(void **state)
{
	crash_after_start();
	assert_int_equal(looks, 0);
	assert_string_equal(sent, "1:good day\n1:(again)\ngood day\n");
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

static void or_it_is_left(void **state)
{
	line.leaves_unknown = true;
	crash_after_start();
	assert_string_equal(sent, "1:good day\n");
	assert_int_equal(state_of("r1.1"), LETTER_FAILED);
}

/* ---- drafts ---- */

static void draft(const char *text)
{
	prepare("r1.1", text, "draft");
	sync_all();
	assert_int_equal(state_of("r1.1"), LETTER_ACCEPTED);
}

static void finish(const char *text)
{
	bool good = outbox_finish(outbox, TEXT("r1.1"),
	                          &(struct outbox_wish){.text = text_of(text),
	                                                .kind = "final",
	                                                .more = {[LETTER_MEDIA] = text_of(media)}});

	assert_true(good);
	sync_all();
}

static void a_draft_rests_and_the_last_edit_ends_it(void **state)
{
	bool good;

	draft("good");
	prepare("r1.2", "another", "final");
	sync_all();
	assert_int_equal(state_of("r1.2"), LETTER_DELIVERED);
	good = outbox_edit(outbox, TEXT("r1.1"), &(struct outbox_edit){1, TEXT("good day")},
	                   now_ms);
	assert_true(good);
	assert_int_equal(custody_letter(custody, TEXT("r1.1"))->live, LETTER_LIVE_DONE);
	finish("good day, Ada");
	assert_string_equal(sent, "1:good\n1:another\nedit there:good day\n"
	                          "edit there:good day, Ada\n");
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

static void a_draft_that_has_its_text_is_not_edited(void **state)
{
	draft("good day");
	finish("good day");
	assert_string_equal(sent, "1:good day\n");
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

static void a_draft_that_has_not_left_is_sent_as_a_final(void **state)
{
	prepare("r1.1", "good", "draft");
	finish("good day");
	assert_string_equal(sent, "1:good day\n");
}

static void a_longer_end_goes_on_in_another_message(void **state)
{
	draft("The first sentence is of");
	finish(LONG);
	assert_non_null(strstr(sent, "edit there:The first sentence is of this length."));
	assert_non_null(strstr(sent, "\n2:"));
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

static void an_edit_that_is_refused_makes_it_a_new_message(void **state)
{
	draft("good");
	script.changed = CHANNEL_REFUSED;
	finish("good day");
	assert_string_equal(sent, "1:good\nedit there:good day\n1:good day\nremove there:\n");
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

static void an_edit_that_is_lost_is_made_again(void **state)
{
	draft("good");
	script.changed = CHANNEL_UNKNOWN;
	finish("good day");
	script.changed = CHANNEL_ACCEPTED;
	now_ms += OUTBOX_AWAY_MS;
	sync_all();
	assert_string_equal(sent, "1:good\nedit there:good day\nedit there:good day\n");
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

static void what_is_dropped_is_taken_away(void **state)
{
	draft("good");
	assert_true(outbox_drop(outbox, TEXT("r1.1")));
	sync_all();
	assert_string_equal(sent, "1:good\nremove there:\n");
	assert_int_equal(state_of("r1.1"), LETTER_WITHDRAWN);
	assert_false(outbox_drop(outbox, TEXT("r1.1")));
}

static void a_crash_between_the_end_and_the_edit_edits(void **state)
{
	draft("good");
	assert_true(
		outbox_finish(outbox, TEXT("r1.1"),
	                      &(struct outbox_wish){.text = TEXT("good day"), .kind = "final"}));
	restart();
	sync_all();
	assert_string_equal(sent, "1:good\nedit there:good day\n");
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

/* Nobody knows whether the draft is there: the end says so. */
static void a_crash_while_a_draft_leaves_is_not_taken_for_its_end(void **state)
{
	script.is_silent = true;
	prepare("r1.1", "good", "draft");
	sync_all();
	script.is_silent = false;
	line.leaves_unknown = true; /* all that was left was a half */
	restart();
	finish("good day");
	assert_string_equal(sent, "1:good\n1:(again)\ngood day\n");
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

static void draft_in_doubt(void)
{
	script.is_silent = true;
	prepare("r1.1", "good", "draft");
	sync_all();
	now_ms += OUTBOX_SEND_MS;
	sync_all();
	script.is_silent = false;
}

static void a_draft_of_which_nobody_knows_waits_for_its_end(void **state)
{
	draft_in_doubt();
	assert_int_equal(state_of("r1.1"), LETTER_UNKNOWN);
	prepare("r1.2", "another", "aside");
	sync_all();
	assert_int_equal(state_of("r1.2"), LETTER_DELIVERED); /* nobody waits for it */
	finish("good day");
	assert_string_equal(sent, "1:good\n1:another\n1:(again)\ngood day\n");
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

static void a_draft_that_is_found_becomes_its_end(void **state)
{
	kind.traits.can_recognise = true;
	script.found = CHANNEL_ACCEPTED;
	draft_in_doubt();
	now_ms += OUTBOX_DOUBT_MS;
	sync_all();
	assert_int_equal(state_of("r1.1"), LETTER_ACCEPTED);
	finish("good day");
	assert_string_equal(sent, "1:good\nedit there:good day\n");
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

static void a_draft_of_which_nobody_knows_and_that_is_dropped_has_failed(void **state)
{
	draft_in_doubt();
	assert_true(outbox_drop(outbox, TEXT("r1.1")));
	sync_all();
	assert_string_equal(sent, "1:good\n");
	assert_int_equal(state_of("r1.1"), LETTER_FAILED);
}

static bool prepare_for(const char *account, const char *peer, unsigned number, bool is_stranger)
{
	char id[32];

	snprintf(id, sizeof(id), "%s.%u", account, number);
	return outbox_prepare(outbox, &(struct outbox_wish){.id = text_of(id),
	                                                    .request = TEXT("r"),
	                                                    .account = text_of(account),
	                                                    .peer = text_of(peer),
	                                                    .text = TEXT("good day"),
	                                                    .kind = "final",
	                                                    .is_for_stranger = is_stranger});
}

static void another_chat_does_not_wait(void **state)
{
	script.is_silent = true;
	prepare("r1.1", "one", "final");
	assert_true(prepare_for("desk", "bob", 0, false));
	sync_all();
	assert_string_equal(sent, "1:one\n1:good day\n");
}

static bool prepare_one(const char *account, unsigned number)
{
	return prepare_for(account, "ada", number, false);
}

static void strangers_leave_room_for_those_who_are_known(void **state)
{
	unsigned n = 0;

	while (n < OUTBOX_CHAT_MAX)
		assert_true(prepare_for("away", "room", n++, true));
	assert_false(prepare_for("away", "room", n, true));
	for (char peer[] = "a"; n < OUTBOX_WAITING_MAX - OUTBOX_ROOM;
	     peer[0] = (char)('a' + n % 20))
		assert_true(prepare_for("away", peer, n++, true));
	assert_false(prepare_for("away", "eve", n, true));
	while (n < OUTBOX_WAITING_MAX)
		assert_true(prepare_for("away", "room", n++, false));
	assert_false(prepare_for("away", "ada", n, false));
}

static void letters_of_an_account_that_is_gone_end_with_words(void **state)
{
	assert_true(prepare_one("gone", 0));
	sync_all();
	assert_int_equal(state_of("gone.0"), LETTER_FAILED);
}

static void an_account_has_so_many_waiting_and_others_do_not_wait(void **state)
{
	for (unsigned i = 0; i < OUTBOX_WAITING_MAX; i++)
		assert_true(prepare_one("away", i));
	sync_all();
	assert_int_equal(custody_open_count(custody), OUTBOX_WAITING_MAX);
	assert_false(prepare_one("away", OUTBOX_WAITING_MAX));
	assert_true(prepare_one("desk", 0));
	sync_all();
	assert_int_equal(state_of("desk.0"), LETTER_DELIVERED);
}

static unsigned lines_sent(void)
{
	unsigned count = 0;

	for (const char *c = sent; *c; c++)
		count += *c == '\n';
	return count;
}

static void a_channel_that_is_away_is_tried_with_few(void **state)
{
	const unsigned all = 40;
	char peer[16];

	script.answer = CHANNEL_AWAY;
	for (unsigned i = 0; i < all; i++) {
		snprintf(peer, sizeof(peer), "p%u", i);
		assert_true(prepare_for("desk", peer, i, false));
	}
	sync_all();
	assert_in_range(lines_sent(), 1, all / 2);
	assert_int_equal(custody_open_count(custody), all);
	sent[0] = '\0';
	script.answer = CHANNEL_ACCEPTED;
	now_ms += OUTBOX_AWAY_MS;
	sync_all();
	assert_int_equal(lines_sent(), all);
	assert_int_equal(custody_open_count(custody), 0);
}

/* ---- files ---- */

#define FILES "a.png\nhttps://h/b.pdf?key=secret"

static void prepare_files(const char *text, const char *of_kind)
{
	kind.traits.can_media = true;
	media = FILES;
	prepare("r1.1", text, of_kind);
	media = NULL;
}

static const char *missed_of(const char *id)
{
	return custody_letter(custody, text_of(id))->words[LETTER_MISSED];
}

static void files_are_pieces_behind_the_text(void **state)
{
	script.file = OUTBOX_FILE_COMES;
	prepare_files("good day", "final");
	sync_all();
	assert_string_equal(sent, "1:good day\n");
	assert_int_equal(state_of("r1.1"), LETTER_ACCEPTED); /* nothing was begun without bytes */
	script.file = OUTBOX_FILE_HERE;
	now_ms += OUTBOX_AWAY_MS;
	sync_once();
	assert_int_equal(state_of("r1.1"), LETTER_STARTED);
	assert_string_equal(sent, "1:good day\n");
	sync_once();
	assert_string_equal(sent, "1:good day\n2:<file 1>\n");
	outbox_work(outbox, now_ms);
	assert_string_equal(sent, "1:good day\n2:<file 1>\n");
	sync_all();
	assert_string_equal(sent, "1:good day\n2:<file 1>\n3:<file 2>\n");
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
	assert_null(missed_of("r1.1"));
}

static void a_file_that_cannot_be_sent_is_told_and_stops_nothing(void **state)
{
	script.file = OUTBOX_FILE_MISSING;
	prepare_files("good day", "final");
	sync_all();
	assert_string_equal(sent, "1:good day\n");
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
	assert_string_equal(missed_of("r1.1"), "a.png: it did not come\nb.pdf: it did not come");
}

static void files_that_are_refused_fail_a_letter_of_files_alone(void **state)
{
	struct error why;
	bool good;

	script.is_refusing_files = true;
	prepare_files("", "final");
	sync_all();
	assert_string_equal(sent, "1:<file 1>\n2:<file 2>\n");
	assert_int_equal(state_of("r1.1"), LETTER_FAILED);
	assert_string_equal(missed_of("r1.1"), "a.png: as the test says\nb.pdf: as the test says");
	script.is_refusing_files = false;
	sent[0] = '\0';
	good = outbox_retry(outbox, TEXT("r1.1"), &why);
	assert_true(good);
	sync_all();
	assert_string_equal(sent, "1:<file 1>\n2:<file 2>\n");
}

static void after_a_crash_a_file_that_was_begun_goes_again_and_says_so(void **state)
{
	prepare_files("", "final");
	script.is_silent = true;
	sync_all();
	assert_string_equal(sent, "1:<file 1>\n");
	script.is_silent = false;
	restart();
	sync_all();
	assert_string_equal(sent, "1:<file 1>\n1:(again)<file 1>\n2:<file 2>\n");
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

static void a_file_of_which_nobody_knows_is_told_as_well(void **state)
{
	prepare_files("", "final");
	script.is_silent = true;
	for (int i = 0; i < 2; i++) {
		sync_all();
		now_ms += OUTBOX_SEND_MS;
	}
	script.is_silent = false;
	sync_all();
	assert_string_equal(sent, "1:<file 1>\n1:(again)<file 1>\n2:<file 2>\n");
	assert_string_equal(missed_of("r1.1"), "a.png: nobody knows whether it arrived");
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

static void where_no_files_are_shown_the_text_names_them(void **state)
{
	kind.traits.limit.max = 200;
	media = FILES;
	prepare("r1.1", "good day", "final");
	media = NULL;
	sync_all();
	assert_string_equal(sent, "1:good day\n\n[picture: a.png]\n[file: b.pdf]\n");
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

/* Of two pieces; so many rounds. */
static void begin_draft(unsigned rounds)
{
	kind.traits.can_media = kind.traits.can_edit = true;
	prepare("r1.1", LONG, "draft");
	while (rounds--)
		sync_once();
	sent[0] = '\0';
}

static void finish_draft(void)
{
	media = "a.png";
	finish("short");
	media = NULL;
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

static void files_of_a_draft_follow_its_last_text_and_stay(void **state)
{
	begin_draft(20);
	assert_int_equal(custody_letter(custody, TEXT("r1.1"))->accepted, 2);
	finish_draft();
	assert_string_equal(sent, "edit there:short\n3:<file 1>\nremove there:\n");
}

static void a_piece_that_the_last_text_lacks_does_not_leave(void **state)
{
	begin_draft(3);
	assert_int_equal(custody_letter(custody, TEXT("r1.1"))->accepted, 1);
	assert_int_equal(state_of("r1.1"), LETTER_STARTED);
	finish_draft();
	assert_string_equal(sent, "edit there:short\n2:<file 1>\n");
}

static void a_file_is_not_the_piece_of_which_nobody_knows(void **state)
{
	begin_draft(3);
	script.is_silent = true;
	sync_all();
	now_ms += OUTBOX_SEND_MS;
	sync_all();
	assert_int_equal(state_of("r1.1"), LETTER_UNKNOWN);
	script.is_silent = false;
	sent[0] = '\0';
	finish_draft();
	assert_string_equal(sent, "edit there:short\n2:<file 1>\n");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_outbox, close_outbox)
	const struct CMUnitTest tests[] = {
		TEST(nothing_leaves_before_the_disk_knows),
		TEST(a_piece_waits_for_the_one_before_it),
		TEST(letters_of_a_chat_leave_one_after_the_other),
		TEST(what_is_refused_fails_with_words_and_can_be_retried),
		TEST(a_channel_that_is_away_is_tried_again),
		TEST(after_a_day_it_is_given_up),
		TEST(a_send_without_an_answer_is_sent_again_once),
		TEST(a_block_that_is_given_up_is_kept_when_it_has_left),
		TEST(a_draft_of_which_nobody_knows_waits_for_its_end),
		TEST(a_draft_that_is_found_becomes_its_end),
		TEST(a_draft_of_which_nobody_knows_and_that_is_dropped_has_failed),
		TEST(what_is_prepared_is_sent_after_a_crash),
		TEST(what_is_there_is_not_sent_again),
		TEST(what_is_not_there_is_sent_as_it_was),
		TEST(an_answer_that_is_lost_is_looked_for),
		TEST(who_could_tell_and_is_away_is_asked_again),
		TEST(where_nobody_knows_it_says_again),
		TEST(or_it_is_left),
		TEST(a_draft_rests_and_the_last_edit_ends_it),
		TEST(a_draft_that_has_its_text_is_not_edited),
		TEST(a_draft_that_has_not_left_is_sent_as_a_final),
		TEST(a_longer_end_goes_on_in_another_message),
		TEST(an_edit_that_is_refused_makes_it_a_new_message),
		TEST(an_edit_that_is_lost_is_made_again),
		TEST(what_is_dropped_is_taken_away),
		TEST(a_crash_between_the_end_and_the_edit_edits),
		TEST(a_crash_while_a_draft_leaves_is_not_taken_for_its_end),
		TEST(another_chat_does_not_wait),
		TEST(an_account_has_so_many_waiting_and_others_do_not_wait),
		TEST(strangers_leave_room_for_those_who_are_known),
		TEST(letters_of_an_account_that_is_gone_end_with_words),
		TEST(a_channel_that_is_away_is_tried_with_few),
		TEST(files_are_pieces_behind_the_text),
		TEST(a_file_that_cannot_be_sent_is_told_and_stops_nothing),
		TEST(files_that_are_refused_fail_a_letter_of_files_alone),
		TEST(after_a_crash_a_file_that_was_begun_goes_again_and_says_so),
		TEST(a_file_of_which_nobody_knows_is_told_as_well),
		TEST(where_no_files_are_shown_the_text_names_them),
		TEST(files_of_a_draft_follow_its_last_text_and_stay),
		TEST(a_piece_that_the_last_text_lacks_does_not_leave),
		TEST(a_file_is_not_the_piece_of_which_nobody_knows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
