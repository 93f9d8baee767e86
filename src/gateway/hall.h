/* hall.h - clients that were let in by their request, until they have said `connect`.
 *
 * Of strangers the hub takes care.
 */
#ifndef GATEWAY_HALL_H
#define GATEWAY_HALL_H

struct deadline;
struct gateway_view;

#define GATEWAY_HANDSHAKE_MS 15000
#define GATEWAY_FIRST_MAX (64 * KIB) /* of the first message */

void gateway_hall_enter(struct gateway_view *view); /* it leaves by in_room */
void gateway_hall_late(struct deadline *deadline);  /* gateway.patience */

#endif
