/* schema.c - an envelope and its payload against the tables. */
#include "signal/schema.h"

#include "signal/inside.h"
#include "signal/json.h"
#include "signal/pointer.h"

bool schema_check_payload(enum signal_kind kind, struct yyjson_val *payload, struct error *why)
{
	return shape_check_quickly(schema_payloads[kind], payload, why) ||
	       pointer_member(why, TEXT("payload"));
}

bool schema_check(struct yyjson_val *envelope, struct error *why)
{
	enum signal_kind kind;

	if (!yyjson_is_obj(envelope))
		return error_set(why, "an object is needed");
	if (!shape_check_quickly(schema_envelope, envelope, why))
		return false;
	kind = kind_of(json_text_at(envelope, "type"));
	return schema_check_payload(kind, yyjson_obj_get(envelope, "payload"), why);
}
