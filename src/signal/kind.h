/* kind.h - the well-known types.  Any other type is legal: KIND_OTHER.
 *
 * The names and their payload rules are generated from
 * schema/signal.schema.json by tools/schema-tables; this enum is checked
 * against it by `make check`.
 */
#ifndef SIGNAL_KIND_H
#define SIGNAL_KIND_H

#include "base/text.h"

enum signal_kind {
	KIND_OTHER,
	KIND_TASK_DISPATCH,
	KIND_TOOL_CALL,
	KIND_TOOL_RESULT,
	KIND_TOKEN_USAGE,
	KIND_AGENT_STATE_CHANGE,
	KIND_ERROR,
	KIND_COMPLETION,
	KIND_TEXT_DELTA,
	KIND_THINKING,
	KIND_USER_CLICK,
	KIND_USER_MOVE,
	KIND_USER_ZONE,
	KIND_USER_COMMAND,
	KIND_USER_POINT,
	KIND_COUNT,
};

enum signal_kind kind_of(struct text type);
const char *kind_name(enum signal_kind kind); /* "" for KIND_OTHER */

#endif
