/* origin.c - where the origin of a line begins. */
#include "signal/origin.h"

#include <string.h>

#include "base/scan.h"

#define MARK "\"origin\":{\"dialect\":\""
#define ENDS "}}}" /* of the origin, the metadata and the envelope */

/* Quickly no: this is asked of every signal, and few have one. */
static bool may_have(struct text line)
{
	struct text end = {line.at + line.len - strlen(ENDS), strlen(ENDS)};

	return line.len > strlen(ENDS) && text_is(end, ENDS) &&
	       memmem(line.at, line.len, MARK, strlen(MARK));
}

/* The last member, and whether it is the only one. */
static bool last_member(struct text object, struct text *key, struct text *value, bool *alone)
{
	struct scan scan;
	unsigned n = 0;

	scan_object(&scan, object);
	while (scan_member(&scan, key, value))
		n++;
	*alone = n == 1;
	return n > 0;
}

/* Everything before the member of this key, and before the comma that it needed. */
static struct text before(struct text line, struct text key)
{
	size_t n = (size_t)(key.at - line.at) - 1;

	while (n > 0 && (line.at[n - 1] == ' ' || line.at[n - 1] == ','))
		n--;
	return (struct text){line.at, n};
}

void origin_cut(struct text line, struct text *head, struct text *tail)
{
	struct text metadata, origin, value;
	bool alone;

	*head = line;
	*tail = TEXT("");
	if (!may_have(line) || !last_member(line, &metadata, &value, &alone) ||
	    !text_is(metadata, "metadata") || !last_member(value, &origin, &value, &alone) ||
	    !text_is(origin, "origin"))
		return;
	*head = before(line, alone ? metadata : origin);
	*tail = alone ? TEXT("}") : TEXT("}}");
}
