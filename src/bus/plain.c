/* plain.c - a signal that is whole as it came: nothing to fill in, nothing to cut.
 *
 * So its body is the producer's text, at most with a prefix to the name of its source.
 * Most signals are like that; the others, and all that may have to be refused, are
 * admit.c's.
 */
#include "bus/inside.h"
#include "signal/envelope.h"

/* Wherever `origin` is written it may be the name that must go. */
static bool keeps_metadata(const struct admit_from *from, struct text metadata)
{
	return from->keeps_origin || metadata.len == 0 ||
	       !memmem(metadata.at, metadata.len, "origin", 6);
}

/* May whoever sends it use that type and that name? */
static bool is_allowed(const struct admit_from *from, const struct envelope *e)
{
	if (from->is_client && text_starts(e->type, TEXT("user.")))
		return false;
	if (from->prefix.len && (admit_is_closed(e->type) ||
	                         (from->may_name && !from->may_name(from->self, e->source))))
		return false;
	return from->is_box || !text_equal(e->source, SOURCE_OF_BOX);
}

/* The text with the prefix before the name of its source. */
static bool add_prefix(struct admit *a, struct text raw, struct text prefix, struct draft *out)
{
	size_t before = (size_t)(out->source.at - raw.at) - 1;
	size_t len = raw.len - 1 + prefix.len;
	char *at;

	buf_clear(&a->body);
	at = buf_reserve(&a->body, len);
	if (!at)
		return false;
	memcpy(at, raw.at + 1, before);
	memcpy(at + before, prefix.at, prefix.len);
	memcpy(at + before + prefix.len, out->source.at, raw.len - 1 - before);
	out->source = (struct text){at + before, prefix.len + out->source.len};
	out->body = (struct text){at, len};
	return true;
}

bool admit_plainly(struct admit *a, struct text raw, const struct admit_from *from,
                   struct draft *out)
{
	struct envelope e;

	if (raw.len > a->options.size_max || a->options.depth_max < ENVELOPE_DEPTH_MAX)
		return false;
	raw = text_trim(raw);
	if (!envelope_read(&e, raw, a->options.mode != ADMIT_OFF) || !is_allowed(from, &e) ||
	    !keeps_metadata(from, e.metadata))
		return false;
	out->id = e.id;
	out->type = e.type;
	out->source = e.source;
	out->correlation = e.correlation;
	out->kind = e.kind;
	out->at_ms = (double)e.timestamp;
	out->breaks_schema = false;
	out->body = (struct text){raw.at + 1, raw.len - 1};
	return admit_stable(out->body).len == out->body.len &&
	       (from->prefix.len == 0 || add_prefix(a, raw, from->prefix, out));
}
