/* known.c - lists of people, and codes. */
#include "deliver/known.h"

#include <ctype.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "signal/json.h"

#define MAC_BYTES 32

static const char *const names[KNOWN_WORDS] = {
	[KNOWN_IDENTITY] = "identity", [KNOWN_NAME] = "name", [KNOWN_AGENT] = "agent",
	[KNOWN_ACCOUNT] = "account",   [KNOWN_PEER] = "peer", [KNOWN_REQUEST] = "request",
	[KNOWN_SERVER] = "server",
};

void known_init(struct known *k)
{
	list_init(&k->people);
	list_init(&k->waiting);
	k->count = 0;
}

static void free_person(struct known_person *p)
{
	list_remove(&p->in_all);
	for (unsigned i = 0; i < KNOWN_WORDS; i++)
		free(p->words[i]);
	free(p);
}

void known_finish(struct known *k)
{
	while (!list_is_empty(&k->people))
		free_person(list_of(k->people.next, struct known_person, in_all));
	while (!list_is_empty(&k->waiting))
		free_person(list_of(k->waiting.next, struct known_person, in_all));
	k->count = 0;
}

static void set_word(struct known_person *p, enum known_word word, struct text value)
{
	char *old = p->words[word];

	p->words[word] = value.len ? text_dup(value) : NULL;
	free(old);
}

/* ---- who is there ---- */

/* Of somebody whom an older box let in nobody knows the server. */
static bool is_who(const struct known_person *p, const struct known_who *who)
{
	if (!text_equal(known_word(p, KNOWN_IDENTITY), who->identity))
		return false;
	return who->is_everywhere ||
	       (text_equal(known_word(p, KNOWN_ACCOUNT), who->account) &&
	        (!p->words[KNOWN_SERVER] || text_equal(known_word(p, KNOWN_SERVER), who->server)));
}

static struct known_person *find(const struct link *list, const struct known_who *who)
{
	list_each(list, l) {
		struct known_person *p = list_of(l, struct known_person, in_all);

		if (is_who(p, who))
			return p;
	}
	return NULL;
}

struct known_person *known_find(const struct known *k, const struct known_who *who)
{
	return find(&k->people, who);
}

struct known_person *known_by_name(const struct known *k, struct text name)
{
	list_each(&k->people, l) {
		struct known_person *p = list_of(l, struct known_person, in_all);

		if (text_equal(known_word(p, KNOWN_NAME), name))
			return p;
	}
	return NULL;
}

struct known_person *known_waiting(const struct known *k, const struct known_who *who)
{
	return find(&k->waiting, who);
}

/* ---- who waits ---- */

bool known_expire(struct known *k, double now_ms)
{
	bool went = false;

	list_each(&k->waiting, l) {
		struct known_person *p = list_of(l, struct known_person, in_all);

		/* A clock that was set back makes nobody wait for longer. */
		if (p->at_ms + KNOWN_WAIT_MS > now_ms && p->at_ms <= now_ms + KNOWN_WAIT_MS)
			continue;
		free_person(p);
		went = true;
	}
	return went;
}

struct known_person *known_wait(struct known *k, const struct text words[KNOWN_WORDS],
                                double now_ms)
{
	unsigned there = 0, all = 0;
	struct known_person *p;

	list_each(&k->waiting, l) {
		p = list_of(l, struct known_person, in_all);
		all++;
		there += text_equal(known_word(p, KNOWN_ACCOUNT), words[KNOWN_ACCOUNT]);
	}
	if (there >= KNOWN_WAITING_MAX || all >= KNOWN_ALL_WAITING)
		return NULL;
	p = must_zero(1, sizeof(*p));
	for (unsigned i = 0; i < KNOWN_WORDS; i++)
		set_word(p, (enum known_word)i, words[i]);
	p->at_ms = now_ms;
	list_add(&k->waiting, &p->in_all);
	return p;
}

void known_code(const unsigned char key[KNOWN_KEY], struct text request,
                char code[KNOWN_CODE_LEN + 1])
{
	unsigned char bytes[MAC_BYTES];
	unsigned len = 0;
	struct buf said;

	buf_init(&said, 2 * KIB);
	buf_add(&said, TEXT("pair\n"));
	buf_add(&said, request);
	HMAC(EVP_sha256(), key, KNOWN_KEY, (const unsigned char *)said.at, said.len, bytes, &len);
	buf_finish(&said);
	for (unsigned i = 0; i < KNOWN_CODE_LEN / 2; i++)
		snprintf(code + 2 * i, 3, "%02x", bytes[i]);
}

struct known_person *known_by_code(const struct known *k, const unsigned char key[KNOWN_KEY],
                                   struct text code)
{
	char given[KNOWN_CODE_LEN], right[KNOWN_CODE_LEN + 1];
	struct known_person *found = NULL;

	code = text_trim(code);
	if (code.len != KNOWN_CODE_LEN)
		return NULL;
	for (size_t i = 0; i < KNOWN_CODE_LEN; i++)
		given[i] = (char)tolower((unsigned char)code.at[i]);
	list_each(&k->waiting, l) {
		struct known_person *p = list_of(l, struct known_person, in_all);

		known_code(key, known_word(p, KNOWN_REQUEST), right);
		if (CRYPTO_memcmp(given, right, KNOWN_CODE_LEN) == 0)
			found = p;
	}
	return found;
}

bool known_let_in(struct known *k, struct known_person *p, struct text name, struct text agent)
{
	if (k->count >= KNOWN_MAX)
		return false;
	set_word(p, KNOWN_NAME, name);
	set_word(p, KNOWN_AGENT, agent);
	list_remove(&p->in_all);
	list_add(&k->people, &p->in_all);
	k->count++;
	return true;
}

void known_drop(struct known *k, struct known_person *p)
{
	k->count -= p->words[KNOWN_AGENT] != NULL;
	free_person(p);
}

/* ---- as a file ---- */

static void put_people(const struct link *list, const char *key, struct buf *out)
{
	put_list(out, key);
	list_each(list, l) {
		const struct known_person *p = list_of(l, struct known_person, in_all);

		put_object(out, NULL);
		for (unsigned i = 0; i < KNOWN_WORDS; i++)
			if (p->words[i])
				put_text(out, names[i], known_word(p, (enum known_word)i));
		put_i64(out, "at", (int64_t)p->at_ms);
		put_end(out);
	}
	put_list_end(out);
}

void known_put(const struct known *k, struct buf *out)
{
	put_object(out, NULL);
	put_people(&k->people, "people", out);
	put_people(&k->waiting, "waiting", out);
	put_end(out);
	buf_add_char(out, '\n');
}

static void read_people(struct known *k, yyjson_val *saved, bool is_in)
{
	yyjson_arr_iter it = yyjson_arr_iter_with(saved);
	yyjson_val *one;

	while ((one = yyjson_arr_iter_next(&it))) {
		struct text words[KNOWN_WORDS];
		struct known_person *p;
		struct known_who who;

		for (unsigned i = 0; i < KNOWN_WORDS; i++)
			words[i] = json_text_at(one, names[i]);
		who = (struct known_who){words[KNOWN_IDENTITY], words[KNOWN_ACCOUNT],
		                         words[KNOWN_SERVER], false};
		if (!who.identity.len || (is_in && !words[KNOWN_AGENT].len) ||
		    (is_in ? known_find(k, &who) : known_waiting(k, &who)))
			continue;
		p = known_wait(k, words, (double)yyjson_get_sint(yyjson_obj_get(one, "at")));
		if (p && is_in && !known_let_in(k, p, words[KNOWN_NAME], words[KNOWN_AGENT]))
			free_person(p);
	}
}

bool known_read(struct known *k, struct text file, struct error *why)
{
	yyjson_doc *doc = yyjson_read(file.at, file.len, 0);
	yyjson_val *root = yyjson_doc_get_root(doc);
	bool good = yyjson_is_obj(root);

	read_people(k, yyjson_obj_get(root, "people"), true);
	read_people(k, yyjson_obj_get(root, "waiting"), false);
	yyjson_doc_free(doc);
	return good || error_set(why, "it is no object");
}
