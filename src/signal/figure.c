/* figure.c - the figures of sessions and their subagents. */
#include "signal/figure.h"

#include "base/buf.h"
#include "signal/json.h"

#define FIGURE_MAX 1024 /* bytes; who has a longer name is known by the agent's own */

static bool figure_add(char *at, size_t *len, struct text word)
{
	if (word.len > FIGURE_MAX - *len)
		return false;
	if (word.len)
		memcpy(at + *len, word.at, word.len);
	*len += word.len;
	return true;
}

/* `NAME#PART@SESSION`, or `@SESSION` without a part.  NULL: it is too long. */
static yyjson_val *figure_make(struct text session, struct text name, struct text part)
{
	static _Thread_local char words[FIGURE_MAX];
	static _Thread_local yyjson_val made;
	size_t len = 0;

	if (part.len && (!figure_add(words, &len, name) || !figure_add(words, &len, TEXT("#")) ||
	                 !figure_add(words, &len, part)))
		return NULL;
	if (!figure_add(words, &len, TEXT("@")) || !figure_add(words, &len, session))
		return NULL;
	yyjson_set_strn(&made, words, len);
	return &made;
}

/* The figure of the session, or of the part of it that `member` names; or else the member. */
static yyjson_val *figure_of(const struct cue *cue, const char *member, struct text part)
{
	yyjson_val *plain = yyjson_obj_get(cue->payload, member);
	yyjson_val *made = NULL;

	if (cue->session.len)
		made = figure_make(cue->session, json_text(plain), part);
	return made ? made : plain;
}

/* Who hands over: the session to its own subagent, or somebody else to the session. */
static yyjson_val *figure_from(const struct cue *cue)
{
	if (!cue->part.len)
		return yyjson_obj_get(cue->payload, "from");
	return figure_of(cue, "from", TEXT(""));
}

static yyjson_val *figure_part(const struct cue *cue)
{
	static _Thread_local yyjson_val made;

	if (!cue->part.len || !cue->session.len)
		return NULL;
	yyjson_set_strn(&made, cue->part.at, cue->part.len);
	return &made;
}

bool figure_at(const struct cue *cue, struct text path, yyjson_val **found)
{
	if (text_is(path, "figure"))
		*found = figure_of(cue, "agentId", cue->part);
	else if (text_is(path, "figureTo"))
		*found = figure_of(cue, "to", cue->part);
	else if (text_is(path, "figureFrom"))
		*found = figure_from(cue);
	else if (text_is(path, "figurePart"))
		*found = figure_part(cue);
	else
		return false;
	return true;
}
