/* wish.h - what people may say of a source. */
#ifndef SOURCE_WISH_H
#define SOURCE_WISH_H

#include "base/error.h"
#include "base/text.h"

/* What people may say of a source.  Texts are copied; an empty one says nothing. */
struct source_wish {
	struct text id;       /* empty: one is made */
	struct text name;     /* empty: source-XXXX */
	struct text url;      /* needed */
	struct text protocol; /* empty or "auto": detected, and an http(s) one is probed */
	struct text credential, model, color;
	struct text credential_from; /* a protocol: what its producer's own configuration names */
	bool forgets_credential;     /* of a change */
	bool is_local, connect;
	bool says_connect;  /* connect was given */
	bool is_configured; /* of the configuration file: not written to the disk */
};

/* A wish as JSON: the body of POST and PATCH, and a row of sources.json.  Its texts
 * are the document's. */
struct yyjson_val;
bool source_wish_read(struct source_wish *wish, struct yyjson_val *json, struct error *why);
/* Could it be added, were its id free? */
bool source_wish_is_good(const struct source_wish *wish, struct error *why);

/* Is there a protocol of this name, and one whose URLs begin like this? */
bool source_check_protocol(struct text protocol, struct error *why);
bool source_check_scheme(struct text url, struct error *why);

/* ---- for this room ---- */

bool wish_read(struct source_wish *wish, struct yyjson_val *json, bool is_stored,
               struct error *why);
bool wish_check(const struct source_wish *wish, struct error *why); /* but for what is needed */

#endif
