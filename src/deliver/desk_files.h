/* desk_files.h - what came with messages of people, fetched before an agent is asked. */
#ifndef DELIVER_DESK_FILES_H
#define DELIVER_DESK_FILES_H

#include "deliver/desk_inside.h"
#include "deliver/media.h"

bool desk_fetch(struct nexus *x, int64_t now_ms); /* what came with it is here, or is not */
void desk_free_files(struct nexus *x);
void desk_lose_fetches(struct desk_account *account); /* its channel is closed */
void desk_sweep_files(struct desk *d);
struct media_rules desk_media_rules(struct desk *d);
bool desk_take_part(struct desk *d, uint64_t number, struct text bytes);
void desk_take_fetched(struct desk *d, uint64_t number, const struct error *why);

#endif
