/* desk_work.h - requests that have to be looked at. */
#ifndef DELIVER_DESK_WORK_H
#define DELIVER_DESK_WORK_H

struct desk;
struct letter;
struct nexus;

void desk_stir(struct nexus *x); /* something happened to it */
void desk_stir_all(struct desk *d);
void desk_stir_letter(void *self, const struct letter *l); /* of a letter: to its request */
void desk_stir_unsaved(struct desk *d);                    /* more is on the disk */

#endif
