/* schema.h - do a signal's envelope and payload keep the published schema?
 *
 * The rules are tables generated from schema/signal.schema.json, so that the
 * document that others read and the code that checks are one thing.
 */
#ifndef SIGNAL_SCHEMA_H
#define SIGNAL_SCHEMA_H

#include "base/error.h"
#include "signal/kind.h"

struct yyjson_val;

/* `why` says where and what, e.g. "/payload/success: required". */
bool schema_check_payload(enum signal_kind kind, struct yyjson_val *payload, struct error *why);

/* The whole envelope as a document: required members, their types, nothing
 * unknown, and the payload of its kind. */
bool schema_check(struct yyjson_val *envelope, struct error *why);

#endif
