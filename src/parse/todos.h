/* todos.h - a whole list of todos, as the payload of `agent.plan` has it. */
#ifndef PARSE_TODOS_H
#define PARSE_TODOS_H

#include <yyjson.h>

#include "signal/make.h"

/* `"whole":true,"items":[{"text","status"}]`; words: the member that says what is to be done. */
void todos_add(struct make *m, yyjson_val *todos, const char *words);

#endif
