/* opencode_parts.h - what the files of a connection to opencode do for each other. */
#ifndef SOURCE_OPENCODE_PARTS_H
#define SOURCE_OPENCODE_PARTS_H

#include "source/opencode/opencode.h"

/* ---- opencode.c ---- */
/* To the parser.  True: it has told a piece of it, and wants to have it again. */
bool opencode_feed(struct opencode_memory *m, struct text event);

/* ---- opencode_stream.c ---- */
void opencode_got_event(void *self, const struct parse_event *event);
void opencode_flush_events(struct opencode_line *o); /* those that wait, at once */
void opencode_drop_events(struct opencode_line *o);

/* ---- opencode_call.c ---- */
struct opencode_asked {
	const char *method;    /* NULL: GET, or POST with a body */
	const char *route;     /* with its slash; a `?` has its query */
	struct text directory; /* of the project; empty: where the server was started */
	struct text body, what;
	uint64_t token;
	void (*take)(struct opencode_line *o, const struct opencode_call *call, yyjson_val *answer);
};

bool opencode_call(struct opencode_line *o, const struct opencode_asked *asked);
void opencode_drop_calls(struct opencode_line *o); /* none will be answered */
char *opencode_header(
	const struct opencode_line *o); /* that lets us in; NULL: none.  To be wiped */

/* ---- opencode_sync.c ---- */
void opencode_sync(struct opencode_line *o); /* the stream has begun */
void opencode_stop_sync(struct opencode_line *o);
void opencode_next_step(struct opencode_line *o);
void opencode_hear_state(struct opencode_line *o, struct text session, bool is_busy);

/* ---- opencode_feed.c ---- */
/* As the event that it would have been.  True: it wants to have it again. */
bool opencode_feed_value(struct opencode_line *o, const char *type, const char *key,
                         yyjson_val *value);
void opencode_feed_status(struct opencode_line *o, struct text session, const char *status);
/* The document of the call is its own from now on; .each, .left, .feed and .done say how. */
void opencode_feed_slices(struct opencode_line *o, const struct opencode_call *call,
                          const struct opencode_slices *how);
void opencode_feed_messages(struct opencode_line *o, const struct opencode_call *call,
                            yyjson_val *list);
void opencode_stop_slices(struct opencode_line *o);

/* ---- opencode_permissions.c ---- */
void opencode_hear_permission(struct opencode_line *o, struct text type, yyjson_val *properties);
bool opencode_answer_permission(struct opencode_line *o, const struct back_outcome *reply,
                                struct error *why);
void opencode_unlist_permissions(struct opencode_memory *m);
void opencode_list_permission(struct opencode_line *o, yyjson_val *asked, const struct map *shown);
bool opencode_asks_permission(struct opencode_memory *m, struct text prompt);

/* ---- opencode_questions.c ---- */
bool opencode_is_question(struct text id);
void opencode_hear_question(struct opencode_line *o, struct text type, yyjson_val *properties);
bool opencode_answer_question(struct opencode_line *o, const struct back_outcome *reply,
                              struct error *why);
void opencode_list_question(struct opencode_line *o, yyjson_val *record);
bool opencode_asks_question(const struct opencode_memory *m, struct text prompt);
void opencode_ask_listed(struct opencode_line *o, const struct map *shown); /* and no others */
void opencode_begin_questions(struct opencode_memory *m);

/* ---- opencode_back.c ---- */
bool opencode_is_name(struct text id); /* that may stand in a route */
void opencode_hear(struct opencode_line *o, struct text type, yyjson_val *properties);
bool opencode_ask(void *self, const struct back_ask *ask, struct error *why);
bool opencode_can(void *self, struct text run, struct text op);
enum back_answer opencode_cancel(void *self, const struct back_control *control, struct error *why);
bool opencode_reply(void *self, const struct back_outcome *reply, struct error *why);
void opencode_end_runs(struct opencode_memory *m, const char *why); /* each in an error */
void opencode_drop_pending(struct opencode_line *o, const char *why);
void opencode_drop_names(struct opencode_memory *m);

#endif
