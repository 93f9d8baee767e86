/* log.h - an event as lines that a person reads. */
#ifndef TUI_LOG_H
#define TUI_LOG_H

#include "base/buf.h"
#include "run/frame.h"

struct model;

/* Adds none, one or several lines to the model's log. */
void log_event(struct model *model, const struct frame *frame);

/* A value as the agents' own language writes it: {:a 1, :b ["x" nil]}.  Cut with "…"
 * when it is longer than max bytes. */
void log_add_value(struct buf *out, yyjson_val *value, size_t max);

#endif
