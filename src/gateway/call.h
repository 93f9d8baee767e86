/* call.h - a request of a client, and its answer. */
#ifndef GATEWAY_CALL_H
#define GATEWAY_CALL_H

#include <yyjson.h>

#include "base/buf.h"
#include "base/error.h"
#include "parse/openclaw_wire.h"

struct gateway;
struct gateway_view;

struct gateway_call {
	struct gateway *gateway;
	struct gateway_view *view;
	struct text id, method;
	struct text raw;       /* the whole frame */
	yyjson_val *params;    /* an object, or NULL */
	struct error *instead; /* hears the client's refusal in its place; or NULL */
};

void gateway_answer(const struct gateway_call *call, struct text payload);
/* One that did not fit into its buffer is refused. */
void gateway_answer_buf(const struct gateway_call *call, const struct buf *payload);
void gateway_refuse(const struct gateway_call *call, const struct gateway_fault *fault);
void gateway_refuse_words(const struct gateway_call *call, const char *words); /* as invalid */

#endif
