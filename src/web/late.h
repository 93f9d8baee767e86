/* late.h - requests that wait until the runs, the crew or the stage are folded, or texts are read
 * again. */
#ifndef WEB_LATE_H
#define WEB_LATE_H

#include <stdbool.h>

struct call;
struct run;
struct said;
struct web;

/* True: all that was admitted by now is folded.  Otherwise `answer` is called once it is, or
 * that is refused. */
bool web_has_runs(struct call *call, void (*answer)(struct call *call));
bool web_has_crew(struct call *call, void (*answer)(struct call *call));
bool web_has_stage(struct call *call, void (*answer)(struct call *call));
/* What a run has said.  NULL: `answer` is called once it is there, or that is refused. */
const struct said *web_has_said(struct call *call, struct run *run,
                                void (*answer)(struct call *call));
void web_late_turn(struct web *web, bool stops);

#endif
