/* custody.c - messages of people and letters to them, folded. */
#include "deliver/custody.h"

#include <openssl/sha.h>
#include <stdlib.h>

#include "base/must.h"
#include "bus/admit.h"
#include "deliver/custody_inside.h"
#include "deliver/files.h"
#include "signal/signal.h"

#define LINE_MAX_BYTES (16 * MIB)
#define SESSIONS_MAX 4096
#define MARK_LEN 16 /* characters of an id that the message makes; the others are its time */
#define HASH_BYTES 10

/* ---- ids ---- */

static void write_crockford(char *out, size_t len, const unsigned char *bytes, size_t count)
{
	static const char digits[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
	unsigned bits = 0, held = 0;
	size_t at = 0;

	/* From the end, so that the first digit is the one that is not full. */
	for (size_t i = len; i-- > 0;) {
		if (held < 5 && at < count) {
			bits |= (unsigned)bytes[count - 1 - at++] << held;
			held += 8;
		}
		out[i] = digits[bits & 31];
		bits >>= 5;
		held = held > 5 ? held - 5 : 0;
	}
}

static void mark_of(const struct custody_key *key, char mark[MARK_LEN])
{
	unsigned char hash[SHA256_DIGEST_LENGTH];
	struct buf all;

	buf_init(&all, 4 * KIB);
	buf_add(&all, key->channel);
	buf_add_char(&all, '\n');
	buf_add(&all, key->account);
	buf_add_char(&all, '\n');
	buf_add(&all, key->message);
	SHA256((const unsigned char *)all.at, all.len, hash);
	buf_finish(&all);
	write_crockford(mark, MARK_LEN, hash, HASH_BYTES);
}

void custody_id(const struct custody_key *key, int64_t at_ms, char id[CUSTODY_ID_LEN + 1])
{
	unsigned char time[6];

	for (unsigned i = 0; i < sizeof(time); i++)
		time[i] = (unsigned char)((uint64_t)at_ms >> (8 * (sizeof(time) - 1 - i)));
	write_crockford(id, CUSTODY_ID_LEN - MARK_LEN, time, sizeof(time));
	mark_of(key, id + CUSTODY_ID_LEN - MARK_LEN);
	id[CUSTODY_ID_LEN] = '\0';
}

bool custody_has_seen(const struct custody *c, const struct custody_key *key, double now_ms)
{
	char mark[MARK_LEN];
	struct text at;
	uint64_t ms;

	mark_of(key, mark);
	at = notes_get(&c->seen, (struct text){mark, MARK_LEN});
	return at.at && text_to_u64(at, &ms) && (double)ms + CUSTODY_DAY_MS > now_ms;
}

/* ---- lists ---- */

void custody_add_letter(struct custody *c, struct custody_list *list, struct letter *l)
{
	list_add(&list->all, &l->in_all);
	list->count++;
	map_set(&c->letters_by_id, letter_word(l, LETTER_ID), l);
}

static void drop_request(struct custody *c, struct received *r)
{
	saving_change(&c->requests.saving, &r->to_save);
	custody_drop_kept(c, r);
	map_remove(&c->requests_by_id, received_word(r, RECEIVED_ID));
	c->requests.count--;
	received_free(r);
}

void custody_add_request(struct custody *c, struct received *r)
{
	if (c->requests.count >= CUSTODY_OPEN_MAX)
		drop_request(c, list_of(c->requests.all.next, struct received, in_all));
	list_add(&c->requests.all, &r->in_all);
	c->requests.count++;
	map_set(&c->requests_by_id, received_word(r, RECEIVED_ID), r);
}

/* ---- signals ---- */

static void forget_old(struct custody *c, double now_ms)
{
	struct text name, at;
	uint64_t ms;

	while (notes_first(&c->seen, &name, &at) &&
	       (!text_to_u64(at, &ms) || (double)ms + CUSTODY_DAY_MS <= now_ms))
		notes_forget(&c->seen, name);
}

static void note_seen(struct custody *c, yyjson_val *payload, const struct signal *s)
{
	char mark[MARK_LEN], digits[TEXT_U64_MAX];

	mark_of(&(struct custody_key){json_text_at(payload, "channel"),
	                              json_text_at(payload, "account"),
	                              json_text_at(payload, "message")},
	        mark);
	notes_set(&c->seen, (struct text){mark, MARK_LEN},
	          text_of_u64(s->at_ms > 0 ? (uint64_t)s->at_ms : 0, digits));
	forget_old(c, s->at_ms);
}

/* A text that follows another quickly belongs to the same question. */
static void gather_text(struct custody *c, struct received *into, struct text text,
                        const struct signal *s)
{
	struct buf both;

	saving_change(&c->requests.saving, &into->to_save);
	buf_init(&both, MIB);
	buf_add(&both, received_word(into, RECEIVED_TEXT));
	if (both.len && text.len)
		buf_add_char(&both, '\n');
	buf_add(&both, text);
	received_set(into, RECEIVED_TEXT, buf_text(&both));
	buf_finish(&both);
	into->seq = s->seq;
}

static void gather_files(struct received *into, struct text files)
{
	struct buf both;

	if (!files.len)
		return;
	buf_init(&both, MIB);
	files_join(received_word(into, RECEIVED_FILES), files, &both);
	received_set(into, RECEIVED_FILES, buf_text(&both));
	buf_finish(&both);
}

static void hear_received(struct custody *c, yyjson_val *payload, const struct signal *s)
{
	struct received *into = map_get(&c->requests_by_id, json_text_at(payload, "into"));
	struct text place = json_text_at(payload, "place");
	struct received *r;

	note_seen(c, payload, s);
	if (place.len)
		notes_set(&c->places, json_text_at(payload, "account"), place);
	if (into) {
		gather_text(c, into, json_text_at(payload, "text"), s);
		gather_files(into, json_text_at(payload, "files"));
		return;
	}
	if (map_get(&c->requests_by_id, json_text_at(payload, "request")))
		return;
	r = received_read(payload);
	if (!r)
		return;
	r->seq = s->seq;
	r->at_ms = s->at_ms;
	custody_add_request(c, r);
}

/* One that is asked again is called the same, and a plus for each time. */
static struct received *hear_asked(struct custody *c, struct text run)
{
	struct text id = {run.at, run.len < CUSTODY_ID_LEN ? run.len : CUSTODY_ID_LEN};
	struct received *r = map_get(&c->requests_by_id, id);

	for (size_t i = id.len; i < run.len; i++)
		if (run.at[i] != '+')
			return NULL;
	if (!r)
		return NULL;
	saving_change(&c->requests.saving, &r->to_save);
	received_set(r, RECEIVED_RUN, run);
	return r;
}

/* Its agent is asked when this is on the disk. */
static void hear_asking(struct custody *c, yyjson_val *payload, const struct signal *s)
{
	struct received *r = hear_asked(c, json_text_at(payload, "run"));

	if (r)
		r->seq = s->seq;
}

/* One that was collected is asked with the other, which has its text from then on. */
static void hear_request(struct custody *c, yyjson_val *payload, const struct signal *s)
{
	struct received *r = map_get(&c->requests_by_id, json_text_at(payload, "request_id"));
	struct received *into =
		map_get(&c->requests_by_id, json_text_at(payload, "collected_into"));
	struct text reset = json_text_at(payload, "session_reset");
	char digits[TEXT_U64_MAX];

	if (r && into && r != into)
		gather_text(c, into, received_word(r, RECEIVED_TEXT), s);
	if (r)
		drop_request(c, r);
	if (reset.len)
		notes_set(&c->sessions, reset, text_of_u64(custody_session(c, reset) + 1, digits));
}

static bool is_ask(const struct signal *s)
{
	return s->kind == KIND_TASK_DISPATCH && text_is(s->source, "user");
}

static bool is_own(const struct signal *s)
{
	return text_equal(s->source, SOURCE_OF_BOX) &&
	       (text_starts(s->type, TEXT("nex.")) || text_starts(s->type, TEXT("delivery.")));
}

bool custody_wants(const struct signal *s)
{
	return is_ask(s) || is_own(s);
}

bool custody_may_want(struct text line)
{
	return memmem(line.at, line.len, "\"nex.", 5) ||
	       memmem(line.at, line.len, "task_dispatch", 13) ||
	       memmem(line.at, line.len, "\"delivery.", 10);
}

void custody_hear(struct custody *c, const struct signal *s)
{
	yyjson_val *payload;
	struct text what;

	if (is_ask(s))
		hear_asked(c, s->correlation);
	if (!is_own(s) || s->line.len > LINE_MAX_BYTES)
		return;
	payload = yyjson_obj_get(yyjson_doc_get_root(json_read(&c->reader, s->line, NULL)),
	                         "payload");
	text_cut(s->type, '.', &what);
	c->newest = s->seq;
	if (text_is(s->type, "nex.received"))
		hear_received(c, payload, s);
	else if (text_is(s->type, "nex.asking"))
		hear_asking(c, payload, s);
	else if (text_is(s->type, "nex.request"))
		hear_request(c, payload, s);
	else if (text_starts(s->type, TEXT("delivery.")))
		custody_hear_delivery(c, what, payload, s);
	custody_stir(c);
}

/* ---- asked ---- */

void custody_set_ear(struct custody *c, const struct custody_ear *ear)
{
	c->ear = *ear;
}

void custody_stir(struct custody *c)
{
	if (c->ear.changed)
		c->ear.changed(c->ear.self);
}

uint64_t custody_durable(const struct custody *c)
{
	return c->durable;
}

struct text custody_place(const struct custody *c, struct text account)
{
	return notes_get(&c->places, account);
}

unsigned custody_session(const struct custody *c, struct text key)
{
	uint64_t n = 0;

	return text_to_u64(notes_get(&c->sessions, key), &n) ? (unsigned)n : 0;
}

struct received *custody_request(const struct custody *c, struct text id)
{
	return map_get(&c->requests_by_id, id);
}

struct link *custody_requests(struct custody *c)
{
	return &c->requests.all;
}

struct letter *custody_letter(const struct custody *c, struct text id)
{
	return map_get(&c->letters_by_id, id);
}

struct link *custody_letters(struct custody *c)
{
	return &c->open.all;
}

struct link *custody_over(struct custody *c)
{
	return &c->over.all;
}

size_t custody_open_count(const struct custody *c)
{
	return c->open.count;
}

/* ---- life ---- */

static void list_begin(struct custody_list *list)
{
	list_init(&list->all);
}

struct custody *custody_create(void)
{
	struct custody *c = must_zero(1, sizeof(*c));

	notes_init(&c->seen, CUSTODY_SEEN_MAX);
	notes_init(&c->places, CUSTODY_PLACES_MAX);
	notes_init(&c->sessions, SESSIONS_MAX);
	list_begin(&c->requests);
	list_begin(&c->open);
	list_begin(&c->over);
	map_init(&c->requests_by_id);
	map_init(&c->letters_by_id);
	json_reader_init(&c->reader, 64 * MIB);
	return c;
}

void custody_destroy(struct custody *c)
{
	if (!c)
		return;
	notes_finish(&c->seen);
	notes_finish(&c->places);
	notes_finish(&c->sessions);
	saving_finish(&c->requests.saving);
	saving_finish(&c->open.saving);
	saving_finish(&c->over.saving);
	while (c->requests.count)
		drop_request(c, list_of(c->requests.all.next, struct received, in_all));
	while (c->open.count)
		custody_drop_letter(c, &c->open);
	while (c->over.count)
		custody_drop_letter(c, &c->over);
	map_finish(&c->requests_by_id);
	map_finish(&c->letters_by_id);
	json_reader_finish(&c->reader);
	free(c);
}
