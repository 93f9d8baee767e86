/* inspect.h - what stands on the inspector's pages; pure. */
#ifndef TUI_INSPECT_H
#define TUI_INSPECT_H

#include "tui/inside.h"
#include "tui/paper.h"

/* Adds what an event says of the chart: a transition; or of artifacts: where one is. */
void inspect_chart_event(struct paper *paper, const struct tui *tui, const struct frame *frame);
void inspect_artifact_event(struct paper *paper, const struct tui *tui, const struct frame *frame);

/* Where the chart stands, and how many rows that took. */
int inspect_states(struct area area, const struct fold *fold);

void inspect_status(struct paper *paper, struct tui *tui);
void inspect_help(struct paper *paper);

#endif
