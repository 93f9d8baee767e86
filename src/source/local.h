/* local.h - what was found on this machine, against the list of sources.
 *
 *   found, and not on the list          it is added, disconnected
 *   found, on the list                  its models are brought up to date
 *   on the list, and not there now      it is unavailable
 *   connected or connecting             it is never touched
 */
#ifndef SOURCE_LOCAL_H
#define SOURCE_LOCAL_H

#include "base/buf.h"
#include "base/text.h"

struct sources;

struct local_service {
	struct text id, label, protocol, url;
	struct text spoken; /* the protocol as the documents call it; empty: the same */
	bool is_there, needs_key;
	bool is_hook; /* it comes to us, or does not, and cannot be dialled */
	bool comes;
	const struct text *models;
	size_t model_count;
};

struct local_look {
	const struct local_service *services;
	size_t count;
	struct text prefix; /* of the ids that are gone when they are not in it; may be empty */
	bool keeps_errors;  /* nobody asked: one that failed keeps saying why */
};

void local_reconcile(struct sources *sources, const struct local_look *look);

void local_add_json(struct buf *out, const struct local_service *service);

#endif
