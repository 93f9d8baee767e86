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
	if (p->at_ms)
		return p->at_ms;
	return p->options.now_ms ? p->options.now_ms() : clock_wall_ms();
}

void parse_begin_as(struct parse *p, const struct make_head *head)
{
	struct make_head full = *head;
	char uuid[RANDOM_UUID_LEN];

	if (!full.id.len) {
		if (p->seed)
			seeded_uuid(p, uuid);
		else
			random_uuid(uuid);
		full.id = (struct text){uuid, sizeof(uuid)};
	}
	if (full.at_ms == 0 || !isfinite(full.at_ms))
		full.at_ms = (double)time_of_stream(p);
	if (!full.source.len)
		full.source = p->options.source;
	if (!full.correlation.len)
		full.correlation = p->options.correlation;
	buf_clear(&p->out);
	make_begin(&p->make, &p->out, &full);
	make_payload(&p->make);
}

void parse_begin(struct parse *p, const char *type)
{
	parse_begin_as(p, &(struct make_head){.type = type});
}

void parse_give(struct parse *p)
{
	if (make_end(&p->make))
		p->options.signal(p->options.self, buf_text(&p->out));
	else
		parse_bad(p, "%s", p->out.full ? "a signal larger than 1 MiB" : p->make.broken);
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
