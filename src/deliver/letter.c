/* letter.c - letters and received messages, from JSON and to JSON. */
#include "deliver/letter.h"

#include <assert.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "deliver/received.h"
#include "signal/json.h"

#define TIME_MAX 1e15        /* ms: what is later is none */
#define TEXT_MAX (512 * KIB) /* of a word; a longer one is cut */
#define SHORT_MAX 256        /* bytes of a word that lies with others */
#define WORDS_MAX 32

static const char *const letter_names[LETTER_WORDS] = {
	[LETTER_ID] = "delivery",     [LETTER_REQUEST] = "request",  [LETTER_RUN] = "run",
	[LETTER_CHANNEL] = "channel", [LETTER_ACCOUNT] = "account",  [LETTER_PEER] = "peer",
	[LETTER_THREAD] = "thread",   [LETTER_REPLY_TO] = "replyTo", [LETTER_KIND] = "kind",
	[LETTER_TEXT] = "text",       [LETTER_WHY] = "why",          [LETTER_MESSAGES] = "messages",
	[LETTER_STALE] = "stale",     [LETTER_PROMPT] = "prompt",    [LETTER_NUMBER] = "number",
	[LETTER_TAKES] = "takes",     [LETTER_CHOICES] = "choices",  [LETTER_CODES] = "codes",
	[LETTER_BUTTONS] = "buttons", [LETTER_EDITS] = "edits",      [LETTER_MEDIA] = "media",
	[LETTER_VOICE] = "voice",     [LETTER_MISSED] = "missed",
};

static const char *const received_names[RECEIVED_WORDS] = {
	[RECEIVED_ID] = "request",
	[RECEIVED_CHANNEL] = "channel",
	[RECEIVED_ACCOUNT] = "account",
	[RECEIVED_MESSAGE] = "message",
	[RECEIVED_SENDER] = "sender",
	[RECEIVED_SENDER_NAME] = "senderName",
	[RECEIVED_PEER] = "peer",
	[RECEIVED_KIND] = "peerKind",
	[RECEIVED_THREAD] = "thread",
	[RECEIVED_REPLY_TO] = "replyTo",
	[RECEIVED_AGENT] = "agent",
	[RECEIVED_SESSION] = "session",
	[RECEIVED_PRINCIPAL] = "principal",
	[RECEIVED_MENTIONED] = "mentioned",
	[RECEIVED_RUN] = "run",
	[RECEIVED_TEXT] = "text",
	[RECEIVED_FILES] = "files",
};

static const char *const states[] = {
	[LETTER_PREPARED] = "prepared", [LETTER_QUEUED] = "queued",
	[LETTER_STARTED] = "started",   [LETTER_ACCEPTED] = "accepted",
	[LETTER_UNKNOWN] = "unknown",   [LETTER_DELIVERED] = "delivered",
	[LETTER_FAILED] = "failed",     [LETTER_WITHDRAWN] = "withdrawn",
};

#define STATES (sizeof(states) / sizeof(*states))

static const char *const units[] = {
	[CHUNK_UTF16] = "utf16", [CHUNK_POINTS] = "characters", [CHUNK_BYTES] = "bytes"};

#define UNITS (sizeof(units) / sizeof(*units))

const char *letter_state_name(enum letter_state state)
{
	return states[state];
}

bool letter_read_state(struct text word, enum letter_state *state)
{
	for (unsigned i = 0; i < STATES; i++)
		if (text_is(word, states[i])) {
			*state = (enum letter_state)i;
			return true;
		}
	return false;
}

bool letter_is_live(const struct letter *l)
{
	return letter_is(l, "draft") || letter_is(l, "status") || letter_is(l, "stream");
}

bool letter_may_be_there(const struct letter *l)
{
	return l->state == LETTER_FAILED && l->tries > 0;
}

/* ---- words ---- */

static bool is_in_block(const struct word_block *block, const char *word)
{
	return block->at && word >= block->at && word < block->at + block->len;
}

static void set_word(char **word, const struct word_block *block, struct text value)
{
	if (!is_in_block(block, *word))
		free(*word);
	*word = NULL;
	if (value.len > TEXT_MAX)
		value.len = TEXT_MAX;
	if (value.len && !memchr(value.at, '\0', value.len))
		*word = text_dup(value);
}

static bool is_short(struct text value)
{
	return value.len && value.len <= SHORT_MAX && !memchr(value.at, '\0', value.len);
}

/* Short ones lie in one block, which takes half of what each by itself would. */
static void read_words(char **words, struct word_block *block, const char *const *names,
                       size_t count, yyjson_val *from)
{
	struct text values[WORDS_MAX];
	uint32_t at = 0;

	assert(count <= WORDS_MAX);
	for (size_t i = 0; i < count; i++) {
		values[i] = json_text_at(from, names[i]);
		if (is_short(values[i]))
			block->len += (uint32_t)values[i].len + 1;
	}
	block->at = block->len ? must_alloc(block->len) : NULL;
	for (size_t i = 0; i < count; i++) {
		if (!is_short(values[i])) {
			set_word(&words[i], block, values[i]);
			continue;
		}
		words[i] = block->at + at;
		memcpy(words[i], values[i].at, values[i].len);
		words[i][values[i].len] = '\0';
		at += (uint32_t)values[i].len + 1;
	}
}

static void put_words(char *const *words, const char *const *names, size_t count, struct buf *out)
{
	for (size_t i = 0; i < count; i++)
		if (words[i])
			put_text(out, names[i], text_of(words[i]));
}

static void free_words(char **words, struct word_block *block, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!is_in_block(block, words[i]))
			free(words[i]);
	free(block->at);
}

static double read_time(yyjson_val *from, const char *name)
{
	double at_ms = 0;

	json_number(yyjson_obj_get(from, name), &at_ms);
	return at_ms > 0 && at_ms < TIME_MAX ? at_ms : 0;
}

/* ---- letters ---- */

static void read_limit(struct chunk_limit *limit, yyjson_val *from)
{
	struct text unit = json_text_at(from, "unit");

	for (unsigned i = 0; i < UNITS; i++)
		if (text_is(unit, units[i]))
			limit->unit = (enum chunk_unit)i;
	limit->max = yyjson_get_uint(yyjson_obj_get(from, "max"));
	limit->lines = yyjson_get_uint(yyjson_obj_get(from, "lines"));
}

struct letter *letter_read(yyjson_val *payload)
{
	struct letter *l = must_zero(1, sizeof(*l));

	read_words(l->words, &l->block, letter_names, LETTER_WORDS, payload);
	read_limit(&l->limit, yyjson_obj_get(payload, "limit"));
	letter_read_state(json_text_at(payload, "state"), &l->state);
	l->accepted = (unsigned)yyjson_get_uint(yyjson_obj_get(payload, "accepted"));
	l->drafts = (unsigned)yyjson_get_uint(yyjson_obj_get(payload, "drafts"));
	l->tries = (unsigned)yyjson_get_uint(yyjson_obj_get(payload, "tries"));
	l->is_half = yyjson_is_true(yyjson_obj_get(payload, "half"));
	l->at_ms = read_time(payload, "at");
	l->last_ms = read_time(payload, "last");
	l->seq = yyjson_get_uint(yyjson_obj_get(payload, "seq"));
	l->moved = yyjson_get_uint(yyjson_obj_get(payload, "moved"));
	list_init(&l->in_all);
	list_init(&l->in_chat);
	if (l->words[LETTER_ID] && l->words[LETTER_ACCOUNT] && l->words[LETTER_PEER])
		return l;
	letter_free(l);
	return NULL;
}

void letter_set(struct letter *l, enum letter_word word, struct text value)
{
	set_word(&l->words[word], &l->block, value);
	if (word == LETTER_TEXT)
		l->count = 0;
}

void letter_put(const struct letter *l, struct buf *out)
{
	put_words(l->words, letter_names, LETTER_WORDS, out);
	put_object(out, "limit");
	put_word(out, "unit", units[l->limit.unit]);
	put_u64(out, "max", l->limit.max);
	put_u64(out, "lines", l->limit.lines);
	put_end(out);
}

void letter_save(const struct letter *l, struct buf *out)
{
	letter_put(l, out);
	put_word(out, "state", states[l->state]);
	put_u64(out, "accepted", l->accepted);
	put_u64(out, "drafts", l->drafts);
	put_u64(out, "tries", l->tries);
	if (l->is_half)
		put_bool(out, "half", true);
	put_i64(out, "at", (int64_t)l->at_ms);
	put_i64(out, "last", (int64_t)l->last_ms);
	put_u64(out, "seq", l->seq);
	put_u64(out, "moved", l->moved);
}

void letter_free(struct letter *l)
{
	list_remove(&l->in_all);
	list_remove(&l->in_chat);
	free_words(l->words, &l->block, LETTER_WORDS);
	free(l->shown);
	free(l);
}

/* ---- messages of people ---- */

struct received *received_read(yyjson_val *payload)
{
	struct received *r = must_zero(1, sizeof(*r));

	read_words(r->words, &r->block, received_names, RECEIVED_WORDS, payload);
	r->at_ms = read_time(payload, "at");
	r->seq = yyjson_get_uint(yyjson_obj_get(payload, "seq"));
	list_init(&r->in_all);
	list_init(&r->kept);
	if (r->words[RECEIVED_ID] && r->words[RECEIVED_ACCOUNT] && r->words[RECEIVED_PEER])
		return r;
	received_free(r);
	return NULL;
}

void received_set(struct received *r, enum received_word word, struct text value)
{
	set_word(&r->words[word], &r->block, value);
}

void received_put(const struct received *r, struct buf *out)
{
	put_words(r->words, received_names, RECEIVED_WORDS, out);
}

void received_save(const struct received *r, struct buf *out)
{
	received_put(r, out);
	put_i64(out, "at", (int64_t)r->at_ms);
	put_u64(out, "seq", r->seq);
}

void received_free(struct received *r)
{
	list_remove(&r->in_all);
	free_words(r->words, &r->block, RECEIVED_WORDS);
	free(r);
}
