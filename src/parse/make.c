/* make.c - signals of a stream. */
#include "parse/make.h"

#include <math.h>
#include <xxhash.h>

#include "base/clock.h"
#include "base/random.h"
#include "parse/inside.h"

/* A version 8 UUID: ours to fill. */
static void seeded_uuid(struct parse *p, char out[RANDOM_UUID_LEN])
{
	uint64_t of[2] = {p->seed, ++p->seeded};
	XXH128_hash_t hash = XXH3_128bits(of, sizeof(of));
	char uuid[RANDOM_UUID_LEN + 1];

	snprintf(uuid, sizeof(uuid), "%08x-%04x-8%03x-%04x-%012llx", (unsigned)(hash.high64 >> 32),
	         (unsigned)(hash.high64 >> 16 & 0xffff), (unsigned)(hash.high64 & 0xfff),
	         (unsigned)(0x8000 | (hash.low64 >> 48 & 0x3fff)),
	         (unsigned long long)(hash.low64 & 0xffffffffffff));
	memcpy(out, uuid, RANDOM_UUID_LEN);
}

static int64_t time_of_stream(const struct parse *p)
{
	if (p->at_ms || p->fed_ms)
		return p->at_ms ? p->at_ms : p->fed_ms;
	return p->options.now_ms ? p->options.now_ms() : clock_wall_ms();
}

void parse_set_fed(struct parse *p, bool is_fed)
{
	p->fed_ms = 0;
	if (is_fed)
		p->fed_ms = time_of_stream(p);
}

/* --- heads ----------------------------------------------------------------------- */

/* Most signals of a stream begin like the one before, but for their id and their time. */

static void parse_add_id(struct parse *p, char out[RANDOM_UUID_LEN])
{
	if (p->seed)
		seeded_uuid(p, out);
	else
		random_uuid(out);
}

/* False: it is not as long as the one that is there. */
static bool change_time(struct parse_head *last, double ms)
{
	char room[TEXT_U64_MAX], *at = last->bytes.at + last->time_at;
	const char *end = memchr(at, ',', last->bytes.len - last->time_at);
	struct text digits;

	if (!end || ms < 1 || ms >= MAKE_WHOLE_MAX || ms != floor(ms))
		return false;
	digits = text_of_u64((uint64_t)ms, room);
	if (digits.len != (size_t)(end - at))
		return false;
	memcpy(at, digits.at, digits.len);
	last->at_ms = ms;
	return true;
}

static bool begin_like_last(struct parse *p, const char *type, double ms)
{
	struct parse_head *last = &p->head;

	if (!last->bytes.len || strcmp(type, last->type) != 0 ||
	    (ms != last->at_ms && !change_time(last, ms)))
		return false;
	make_begin_like(&p->make, &p->out, buf_text(&last->bytes));
	parse_add_id(p, p->out.at + last->id_at);
	return true;
}

static void keep_head(struct parse *p, const struct make_head *head)
{
	struct parse_head *last = &p->head;

	buf_clear(&last->bytes);
	if (strlen(head->type) >= sizeof(last->type) || p->out.full)
		return;
	memcpy(last->type, head->type, strlen(head->type) + 1);
	last->id_at = p->make.id_at;
	last->time_at = p->make.time_at;
	last->at_ms = head->at_ms;
	buf_add(&last->bytes, buf_text(&p->out));
}

void parse_begin_as(struct parse *p, const struct make_head *head)
{
	bool is_usual = head->type && !head->id.len && !head->source.len && !head->correlation.len;
	struct make_head full = *head;
	char uuid[RANDOM_UUID_LEN];

	if (full.at_ms == 0 || !isfinite(full.at_ms))
		full.at_ms = (double)time_of_stream(p);
	buf_clear(&p->out);
	if (is_usual && begin_like_last(p, full.type, full.at_ms))
		return;
	if (!full.id.len) {
		parse_add_id(p, uuid);
		full.id = (struct text){uuid, sizeof(uuid)};
	}
	if (!full.source.len)
		full.source = p->options.source;
	if (!full.correlation.len)
		full.correlation = p->options.correlation;
	make_begin(&p->make, &p->out, &full);
	make_payload(&p->make);
	if (is_usual)
		keep_head(p, &full);
}

void parse_begin(struct parse *p, const char *type)
{
	parse_begin_as(p, &(struct make_head){.type = type});
}

bool parse_give(struct parse *p)
{
	bool is_good = make_end(&p->make);

	if (is_good)
		p->options.signal(p->options.self, buf_text(&p->out));
	else
		parse_bad(p, "%s", p->out.full ? "a signal larger than 1 MiB" : p->make.broken);
	return is_good;
}

void parse_add_input(struct parse *p, const char *key, struct text json)
{
	struct text trimmed = text_trim(json);
	yyjson_doc *doc = trimmed.len ? json_read(&p->input, trimmed, NULL) : NULL;

	if (doc && yyjson_is_obj(yyjson_doc_get_root(doc))) {
		make_raw(&p->make, key, trimmed);
		return;
	}
	make_key(&p->make, key);
	buf_add_char(&p->out, '{');
	p->make.has_member = false;
	if (doc)
		make_raw(&p->make, "value", trimmed);
	else if (trimmed.len)
		make_text(&p->make, "value", json);
	buf_add_char(&p->out, '}');
	p->make.has_member = true;
}
