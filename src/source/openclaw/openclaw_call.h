/* openclaw_call.h - requests of others, passed on to a gateway that has the method. */
#ifndef SOURCE_OPENCLAW_CALL_H
#define SOURCE_OPENCLAW_CALL_H

#include "source/openclaw/openclaw.h"

void openclaw_list_methods(struct openclaw *o, yyjson_val *features); /* of hello-ok */
enum back_answer openclaw_call(void *self, const struct back_call *call, struct error *why);

#endif
