/* openclaw_call.h - requests of others, passed on to a gateway that has the method. */
#ifndef SOURCE_OPENCLAW_CALL_H
#define SOURCE_OPENCLAW_CALL_H

#include "parse/openclaw_names.h"
#include "source/openclaw/openclaw.h"

void openclaw_list_methods(struct openclaw *o, yyjson_val *features); /* of hello-ok */
bool openclaw_has(const struct openclaw *o, enum openclaw_method method);
enum back_answer openclaw_call(void *self, const struct back_call *call, struct error *why);

#endif
