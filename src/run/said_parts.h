/* said_parts.h - what the files of said.h share. */
#ifndef RUN_SAID_PARTS_H
#define RUN_SAID_PARTS_H

#include "base/utf8.h"
#include "run/said.h"
#include "signal/json.h"

/* Whoever has begun and not left: by name, session and, for a subagent, its id. */
struct said_speaker {
	struct link in_said;       /* said.speakers */
	struct said_message *open; /* what it is saying, or NULL */
	bool is_at_work;
	bool has_streamed, has_thought;    /* since its last reply */
	struct text invoke, session, part; /* in names */
	char names[];
};

void said_text_grow(struct said_text *t, struct text piece); /* or cut its beginning */
static inline void said_text_add(struct said_text *t, struct text piece)
{
	if (piece.len == 0 || piece.len > t->room - t->end ||
	    t->end - t->start + piece.len > SAID_TEXT_MAX) {
		said_text_grow(t, piece);
		return;
	}
	memcpy(t->at + t->end, piece.at, piece.len);
	t->end += piece.len;
}
void said_text_settle(struct said_text *t); /* there will be no more of it, most likely */
void said_json_take(struct said_json *json, yyjson_val *value);

/* A name, cut where it is too long. */
static inline struct text said_name(struct text name)
{
	return name.len <= SAID_NAME_MAX ? name : utf8_cut(name, SAID_NAME_MAX);
}

/* Whatever is kept counts in said.size. */
char *said_keep_name(struct said *said, struct text name); /* NULL: it is empty */
void said_drop_name(struct said *said, char **name);
static inline void said_add_words(struct said *said, struct said_text *to, struct text words)
{
	said->size -= to->end - to->start;
	said_text_add(to, words);
	said->size += to->end - to->start;
}

struct said_message *said_add_message(struct said *said, enum said_role role);
struct said_tool *said_add_tool(struct said *said, struct said_message *m);
void said_await_tool(struct said *said, struct said_tool *tool); /* it is at work */
void said_stop_awaiting(struct said *said, struct said_tool *tool);
/* Forgets the oldest messages, where there are too many.  It is called only when one begins:
 * so it does not matter in how many pieces they came. */
void said_trim(struct said *said);
void said_bound(struct said *said); /* after each event: the oldest messages go, open or not */
struct said_agent *said_add_agent(struct said *said, struct text id);
struct said_speaker *said_add_speaker(struct said *said, struct text invoke, struct text session,
                                      struct text part);
void said_close(struct said_speaker *who); /* what it was saying is whole */
void said_forget_speaker(struct said *said, struct said_speaker *who);

#endif
