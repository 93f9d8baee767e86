/* custody_inside.h - what the files of custody.h share. */
#ifndef DELIVER_CUSTODY_INSIDE_H
#define DELIVER_CUSTODY_INSIDE_H

#include "bus/saving.h"
#include "deliver/custody.h"
#include "deliver/notes.h"
#include "signal/json.h"

struct signal;

struct custody_list { /* letters or messages, oldest first */
	struct link all;
	size_t count;
	struct saving saving;
};

struct custody {
	struct notes seen, places, sessions;
	struct custody_list requests, open, over;
	struct map requests_by_id, letters_by_id;
	struct json_reader reader;
	struct custody_ear ear;
	uint64_t durable;
	uint64_t newest; /* signal about a letter or a message */
	unsigned saved;  /* sections, while they are saved */
};

void custody_add_letter(struct custody *c, struct custody_list *list, struct letter *l);
void custody_drop_letter(struct custody *c, struct custody_list *list); /* its oldest */
void custody_drop_kept(struct custody *c, struct received *r);
void custody_hear_delivery(struct custody *c, struct text what, yyjson_val *payload,
                           const struct signal *s);
void custody_add_request(struct custody *c, struct received *r);
void custody_stir(struct custody *c); /* tells its ear */
bool custody_wants(const struct signal *s);
bool custody_may_want(struct text line);

#endif
