/* plan.h - what a session means to do, and which files it touched; pure.
 *
 *	agent.plan    {"whole":bool,"items":[{"id"?,"text","status"}]}
 *	agent.change  {"path","kind","added","removed","callId"?}
 *
 * A plan that is whole takes the place of the one before.  Otherwise its items are new, or take
 * the place of those with the same id; the status `deleted` takes one away.
 */
#ifndef CREW_PLAN_H
#define CREW_PLAN_H

#include "base/buf.h"
#include "signal/json.h"

#define PLAN_ITEMS_MAX 200
#define PLAN_WORDS_MAX 300 /* bytes of an item, an id, a path's end */
#define PLAN_FILES_MAX 500 /* more are counted in the sums alone */
#define PLAN_PATH_MAX 1024

enum plan_status { PLAN_PENDING, PLAN_IN_PROGRESS, PLAN_COMPLETED };

struct plan_item {
	char *id, *text; /* id may be NULL */
	enum plan_status status;
};

struct plan {
	struct plan_item *items;
	size_t count;
	double at_ms; /* of the newest that was whole */
};

struct changed_file {
	char *path, *kind;
	uint64_t added, removed, calls;
};

struct changes {
	struct changed_file *files;
	size_t count, more; /* more: changes of files beyond the limit */
	uint64_t added, removed;
	uint64_t calls[64]; /* hashes of calls that were counted, a ring */
	unsigned next;
};

void plan_finish(struct plan *plan);
void plan_hear(struct plan *plan, yyjson_val *payload, double at_ms);
/* `{"done","total","now"?}`; nothing where there is no plan. */
void plan_brief(const struct plan *plan, const char *name, struct buf *out);
void plan_json(const struct plan *plan, const char *name, struct buf *out); /* its items */
/* The same as these items, in any order?  None say the same as a plan of which all is done. */
bool plan_says(const struct plan *plan, yyjson_val *items);
void plan_load(struct plan *plan, yyjson_val *items);

void changes_finish(struct changes *changes);
void changes_forget_files(struct changes *changes); /* the sums stay */
/* One call of a tool counts once, whoever tells of it. */
void changes_hear(struct changes *changes, yyjson_val *payload);
void changes_brief(const struct changes *changes, const char *name, struct buf *out);
void changes_json(const struct changes *changes, const char *name, struct buf *out);
void changes_save(const struct changes *changes, const char *name, struct buf *out);
void changes_load(struct changes *changes, yyjson_val *saved);

#endif
