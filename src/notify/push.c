/* push.c - notes that wait, notes that go, and the signature that goes with each. */
#include "notify/push.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base64url.h"
#include "base/clock.h"
#include "base/list.h"
#include "base/log.h"
#include "base/must.h"
#include "base/put.h"
#include "base/whole.h"
#include "net/loop.h"
#include "net/request.h"
#include "net/url.h"

#define KEY_FILE_MAX 256
#define ANSWER_MAX (16 * KIB)
#define TURN_MS 1 /* each note takes some tenths of a millisecond to seal and sign: one a turn */
#define TOKEN_S (12 * 3600)
#define TOKEN_MAX (2 * KIB)
#define HEADER_MAX (4 * KIB)
#define TOPIC_BYTES 24             /* 32 characters */
#define AFTER_MAX_MS (3600 * 1000) /* of what a service wants us to wait */

static const unsigned again_ms[] = {2000, 10000, 60000}; /* and so on */
#define AGAIN_STEPS (sizeof(again_ms) / sizeof(again_ms[0]))

struct push {
	struct push_options o;
	unsigned char secret[CURVE_SECRET];
	char key[PUSH_KEY_LEN + 1];
	struct link waiting, flying; /* parcel.in_list */
	unsigned waiting_count, flying_count;
	struct deadline turn;
	char *contact;
};

struct push_parcel {
	struct link in_list;
	struct push *push;
	char *endpoint;
	struct seal_keys keys;
	struct buf plain;
	char topic[PUSH_TOPIC_MAX + 1];
	uint64_t until_ms, next_ms; /* it is of use until then, and goes not before */
	bool is_urgent;
	unsigned tries;
	struct request *request;
	int status;
	unsigned after_ms; /* that a service wants us to wait */
};

/* ---- our key ---- */

static bool read_push_key(const char *path, unsigned char secret[CURVE_SECRET], struct error *why)
{
	unsigned char point[CURVE_POINT];
	struct buf bytes;
	int failure;
	bool good;

	buf_init(&bytes, KEY_FILE_MAX);
	good = whole_load(path, WHOLE_PRIVATE | WHOLE_NO_LINK, &bytes, why);
	failure = errno;
	if (good && (!base64url_read(text_trim(buf_text(&bytes)), secret, CURVE_SECRET) ||
	             !curve_point(secret, point))) {
		failure = EINVAL;
		good = error_set(why, "%s holds no key; without the file a new one is made", path);
	}
	whole_forget(&bytes);
	errno = failure;
	return good;
}

static bool make_push_key(const char *path, unsigned char secret[CURVE_SECRET], struct error *why)
{
	struct buf words;
	bool good;

	curve_draw(secret);
	buf_init(&words, KEY_FILE_MAX);
	base64url_add(&words, secret, CURVE_SECRET);
	buf_add_char(&words, '\n');
	good = whole_replace(path, 0600, buf_text(&words), why);
	whole_forget(&words);
	return good;
}

bool push_check_key(const char *data, struct error *why)
{
	char *path = must_print("%s/push-key", data);
	unsigned char secret[CURVE_SECRET];
	bool good = read_push_key(path, secret, why) || errno == ENOENT;

	explicit_bzero(secret, sizeof(secret));
	free(path);
	return good;
}

/* Browsers were told the public half: another key would be none of theirs. */
static bool load_push_key(struct push *push, struct error *why)
{
	char *path = must_print("%s/push-key", push->o.data);
	unsigned char point[CURVE_POINT];
	struct buf words;
	bool good = read_push_key(path, push->secret, why);

	if (!good && errno == ENOENT)
		good = make_push_key(path, push->secret, why);
	if (good && !curve_point(push->secret, point))
		good = error_set(why, "libcrypto makes no key");
	buf_init(&words, KEY_FILE_MAX);
	if (good)
		base64url_add(&words, point, sizeof(point));
	snprintf(push->key, sizeof(push->key), "%.*s", TEXT_ARG(buf_text(&words)));
	buf_finish(&words);
	free(path);
	return good;
}

const char *push_key(const struct push *push)
{
	return push->key;
}

/* ---- endpoints ---- */

bool push_takes(struct text endpoint, struct error *why)
{
	struct url url;

	if (endpoint.len > PUSH_ENDPOINT_MAX)
		return error_set(why, "an endpoint has at most %d bytes", PUSH_ENDPOINT_MAX);
	if (!url_parse(&url, endpoint, why))
		return false;
	return (url.is_secure && !url.is_ws) || error_set(why, "an endpoint is https");
}

/* ---- the signature: RFC 8292 ---- */

static void add_claims(const struct push *push, const struct url *url, struct buf *out)
{
	struct text place = url->authority, usual = TEXT(":443");
	struct buf audience;

	if (place.len > usual.len &&
	    text_equal((struct text){place.at + place.len - usual.len, usual.len}, usual))
		place.len -= usual.len;
	buf_init(&audience, PUSH_ENDPOINT_MAX);
	buf_print(&audience, "https://%.*s", TEXT_ARG(place));
	put_object(out, NULL);
	put_text(out, "aud", buf_text(&audience));
	put_i64(out, "exp", clock_wall_ms() / 1000 + TOKEN_S);
	put_word(out, "sub", push->contact);
	put_end(out);
	buf_finish(&audience);
}

static void add_part(struct buf *out, const struct buf *part)
{
	base64url_add(out, part->at, part->len);
	buf_add_char(out, '.');
}

static bool add_token(const struct push *push, const struct url *url, struct buf *out)
{
	unsigned char signature[CURVE_SIGNATURE];
	struct buf head, claims, words;
	bool good;

	buf_init(&head, TOKEN_MAX);
	buf_init(&claims, TOKEN_MAX);
	buf_init(&words, TOKEN_MAX);
	put_object(&head, NULL);
	put_word(&head, "typ", "JWT");
	put_word(&head, "alg", "ES256");
	put_end(&head);
	add_claims(push, url, &claims);
	add_part(&words, &head);
	add_part(&words, &claims);
	words.len--; /* what is signed ends before the last point */
	good = !claims.full && !words.full && curve_sign(push->secret, buf_text(&words), signature);
	buf_add_char(&words, '.');
	base64url_add(&words, signature, sizeof(signature));
	buf_add(out, buf_text(&words));
	good = good && !words.full && !out->full;
	buf_finish(&words);
	buf_finish(&claims);
	buf_finish(&head);
	return good;
}

/* ---- one note ---- */

static void free_parcel(struct push_parcel *p)
{
	list_remove(&p->in_list);
	free(p->endpoint);
	buf_finish(&p->plain);
	free(p);
}

static void hear_head(void *self, const struct request_head *head)
{
	struct push_parcel *p = self;

	p->status = head->status;
	p->after_ms = head->retry_after_ms;
}

/* ---- whose turn it is ---- */

static uint64_t mono_ms(void)
{
	return clock_mono_ns() / 1000000;
}

/* The one of the same matter and endpoint, or NULL. */
static struct push_parcel *find_like(const struct link *list, const struct push_parcel *p)
{
	list_each(list, l) {
		struct push_parcel *other = list_of(l, struct push_parcel, in_list);

		if (strcmp(other->topic, p->topic) == 0 &&
		    strcmp(other->endpoint, p->endpoint) == 0)
			return other;
	}
	return NULL;
}

/* Of those that wait and for which nothing of the same is under way: the one whose time comes
 * first, and of equals the oldest. */
static struct push_parcel *find_next(const struct push *push)
{
	struct push_parcel *next = NULL;

	list_each(&push->waiting, l) {
		struct push_parcel *p = list_of(l, struct push_parcel, in_list);

		if ((!next || p->next_ms < next->next_ms) && !find_like(&push->flying, p))
			next = p;
	}
	return next;
}

static void push_soon(struct push *push)
{
	struct push_parcel *next = push->flying_count < PUSH_AT_ONCE ? find_next(push) : NULL;
	uint64_t now = mono_ms();

	if (next)
		deadline_set(push->o.loop, &push->turn,
		             next->next_ms > now ? (unsigned)(next->next_ms - now) : TURN_MS);
}

static void drop_waiting(struct push *push, struct push_parcel *p)
{
	free_parcel(p);
	push->waiting_count--;
}

/* ---- what became of it ---- */

/* Is it worth another try?  Not if the place is none that we go to, or is not who it should be. */
static bool may_recover(const struct push_parcel *p, const char *why)
{
	enum request_fault fault;

	if (!why)
		return p->status == 429 || p->status / 100 == 5;
	fault = request_fault(p->request);
	return fault != REQUEST_UNTRUSTED && fault != REQUEST_UNREADABLE;
}

/* False: there is no use in it any more. */
static bool wait_again(struct push_parcel *p)
{
	struct push *push = p->push;
	unsigned wait = again_ms[p->tries < AGAIN_STEPS ? p->tries : AGAIN_STEPS - 1];
	unsigned after = p->after_ms < AFTER_MAX_MS ? p->after_ms : AFTER_MAX_MS;

	p->next_ms = mono_ms() + (after > wait ? after : wait);
	if (p->next_ms >= p->until_ms || push->waiting_count == PUSH_WAITING_MAX ||
	    find_like(&push->waiting, p))
		return false;
	p->tries++;
	p->status = 0;
	p->after_ms = 0;
	p->request = NULL;
	list_remove(&p->in_list);
	list_add(push->waiting.next, &p->in_list); /* it is the oldest */
	push->waiting_count++;
	return true;
}

static void say_failure(const struct push_parcel *p, const char *why)
{
	char words[40];

	snprintf(words, sizeof(words), "it answers %d", p->status);
	if (p->tries == 0)
		log_warn("notify", "a push service did not take a note: %s", why ? why : words);
}

static void land(void *self, const char *why)
{
	struct push_parcel *p = self;
	struct push *push = p->push;

	push->flying_count--;
	if (why || p->status / 100 != 2)
		say_failure(p, why);
	if (!why && (p->status == 404 || p->status == 410))
		push->o.gone(push->o.self, p->endpoint);
	if (!may_recover(p, why) || !wait_again(p))
		free_parcel(p);
	push_soon(push);
}

static bool start_request(struct push_parcel *p, const char *authorization, struct text body,
                          struct error *why)
{
	char ttl[32], topic[PUSH_TOPIC_MAX + 16];
	const char *headers[] = {authorization,
	                         "Content-Encoding: aes128gcm",
	                         "Content-Type: application/octet-stream",
	                         p->is_urgent ? "Urgency: high" : "Urgency: normal",
	                         ttl,
	                         topic,
	                         NULL};
	struct request_options o = {
		.url = p->endpoint,
		.method = "POST",
		.headers = headers,
		.body = body,
		.is_public = !p->push->o.anywhere,
		.connect_ms = PUSH_PATIENCE_MS,
		.head_ms = PUSH_PATIENCE_MS,
		.total_ms = PUSH_PATIENCE_MS,
		.body_max = ANSWER_MAX,
		.self = p,
		.head = hear_head,
		.done = land,
	};

	snprintf(ttl, sizeof(ttl), "TTL: %u", (unsigned)((p->until_ms - p->next_ms + 999) / 1000));
	snprintf(topic, sizeof(topic), "Topic: %s", p->topic);
	p->request = request_start(p->push->o.requests, &o, why);
	return p->request != NULL;
}

static bool launch(struct push_parcel *p, struct error *why)
{
	struct buf sealed, authorization;
	struct seal_once once;
	struct url url;
	bool good;

	buf_init(&sealed, 8 * KIB);
	buf_init(&authorization, HEADER_MAX);
	seal_draw(&once);
	buf_add(&authorization, TEXT("Authorization: vapid t="));
	good = url_parse(&url, text_of(p->endpoint), why);
	if (good && !(seal_write(&p->keys, &once, buf_text(&p->plain), &sealed) &&
	              add_token(p->push, &url, &authorization)))
		good = error_set(why, "the note could not be sealed");
	buf_print(&authorization, ", k=%s", p->push->key);
	buf_add_char(&authorization, '\0');
	good = good && start_request(p, authorization.at, buf_text(&sealed), why);
	OPENSSL_cleanse(&once, sizeof(once));
	buf_finish(&authorization);
	buf_finish(&sealed);
	return good;
}

static void push_turn(struct deadline *deadline)
{
	struct push *push = list_of(deadline, struct push, turn);
	struct push_parcel *p;
	struct error why;

	p = push->flying_count < PUSH_AT_ONCE ? find_next(push) : NULL;
	if (p && !push->o.is_wanted(push->o.self, p->endpoint)) {
		drop_waiting(push, p);
		p = NULL;
	}
	if (!p || p->next_ms > mono_ms()) {
		push_soon(push);
		return;
	}
	list_remove(&p->in_list);
	list_add(&push->flying, &p->in_list);
	push->waiting_count--;
	push->flying_count++;
	if (!launch(p, &why)) {
		push->flying_count--;
		log_warn("notify", "a note was not sent: %s", why.words);
		free_parcel(p);
	}
	push_soon(push);
}

/* The same for the same matter, and nothing that a service could read it from. */
static void write_topic(struct text matter, char topic[PUSH_TOPIC_MAX + 1])
{
	unsigned char digest[32];
	struct buf words;

	if (!EVP_Digest(matter.at, matter.len, digest, NULL, EVP_sha256(), NULL))
		must_give_up("libcrypto gives no SHA-256");
	buf_init(&words, 64);
	base64url_add(&words, digest, TOPIC_BYTES);
	snprintf(topic, PUSH_TOPIC_MAX + 1, "%.*s", TEXT_ARG(buf_text(&words)));
	buf_finish(&words);
}

void push_send(struct push *push, const char *endpoint, const struct seal_keys *keys,
               const struct push_note *note)
{
	struct push_parcel *p = must_zero(1, sizeof(*p)), *old;

	p->push = push;
	p->endpoint = must_dup(endpoint);
	p->keys = *keys;
	p->next_ms = mono_ms();
	p->until_ms = p->next_ms + UINT64_C(1000) * note->ttl_s;
	p->is_urgent = note->is_urgent;
	buf_init(&p->plain, SEAL_PLAIN_MAX);
	buf_add(&p->plain, note->plain);
	write_topic(note->matter, p->topic);
	list_init(&p->in_list);
	old = find_like(&push->waiting, p);
	if (old)
		drop_waiting(push, old);
	else if (push->waiting_count == PUSH_WAITING_MAX)
		drop_waiting(push, list_of(push->waiting.next, struct push_parcel, in_list));
	list_add(&push->waiting, &p->in_list);
	push->waiting_count++;
	push_soon(push);
}

/* ---- life ---- */

struct push *push_create(const struct push_options *options, struct error *why)
{
	struct push *push = must_zero(1, sizeof(*push));

	push->o = *options;
	push->contact = must_dup(options->contact);
	list_init(&push->waiting);
	list_init(&push->flying);
	push->turn.fire = push_turn;
	if (load_push_key(push, why))
		return push;
	push_destroy(push);
	return NULL;
}

void push_destroy(struct push *push)
{
	if (!push)
		return;
	deadline_clear(&push->turn);
	while (!list_is_empty(&push->waiting))
		free_parcel(list_of(push->waiting.next, struct push_parcel, in_list));
	while (!list_is_empty(&push->flying)) {
		struct push_parcel *p = list_of(push->flying.next, struct push_parcel, in_list);

		request_cancel(p->request);
		free_parcel(p);
	}
	OPENSSL_cleanse(push->secret, sizeof(push->secret));
	free(push->contact);
	free(push);
}
