/* plain.c - a signal that is whole as it came: nothing to fill in, nothing to cut.
 *
 * So its body is the producer's text, at most with a prefix to the name of its source.
 * Most signals are like that; of the others admit.c makes a document.
 */
#include "bus/inside.h"

/* Wherever `origin` is written it may be the name that must go. */
static bool keeps_metadata(const struct admit_from *from, struct text metadata)
{
	return from->keeps_origin || metadata.len == 0 ||
	       !memmem(metadata.at, metadata.len, "origin", 6);
}

bool admit_read_plain(struct admit *a)
{
	struct text raw = text_trim(a->raw);

	if (a->raw.len > a->options.size_max || a->options.depth_max < ENVELOPE_DEPTH_MAX ||
	    !envelope_read(&a->members, raw, a->options.mode != ADMIT_OFF) ||
	    !keeps_metadata(a->from, a->members.metadata))
		return false;
	a->raw = raw;
	a->cuts = false;
	return true;
}

bool admit_place_plain(struct admit *a, struct draft *out)
{
	struct text body = {a->raw.at + 1, a->raw.len - 1}, prefix = a->from->prefix;
	size_t before = (size_t)(a->members.source.at - body.at);
	char *at;

	out->body = body;
	if (prefix.len == 0)
		return true;
	buf_clear(&a->body);
	at = buf_reserve(&a->body, body.len + prefix.len);
	if (!at)
		return false;
	memcpy(at, body.at, before);
	memcpy(at + before, prefix.at, prefix.len);
	memcpy(at + before + prefix.len, body.at + before, body.len - before);
	out->body = (struct text){at, body.len + prefix.len};
	return true;
}
