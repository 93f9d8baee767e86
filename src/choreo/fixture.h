/* fixture.h - for tests: a document that is played, and what it said.
 *
 * A command is one line:
 *
 *	100 start perf-1 move peon {"to":"solver"} 800 easeInOut
 *	200 update perf-1 move peon {"to":"solver"} 0.0078125 100
 *	500 interrupt perf-1 c1 error
 */
#ifndef CHOREO_FIXTURE_H
#define CHOREO_FIXTURE_H

#include "base/buf.h"
#include "choreo/choreo.h"

struct troupe {
	struct choreo *choreo;
	yyjson_doc *doc;
	yyjson_val *choreographies;
	struct buf said;
	/* Hears every command too, if it is set. */
	void (*also)(void *self, const struct stage_command *command);
	void *self;
};

/* The test fails if the document is not good. */
void troupe_init(struct troupe *t, const char *choreographies, bool updates);
void troupe_finish(struct troupe *t);

/* A signal for every choreography that is `on` its type; correlation may be NULL.  How
 * many began. */
unsigned troupe_hear(struct troupe *t, const char *type, const char *payload,
                     const char *correlation, double now_ms);
unsigned troupe_hear_cue(struct troupe *t, const struct cue *cue, double now_ms);

/* Ticks at each of these times; the last is negative. */
void troupe_tick(struct troupe *t, const double *times);
/* Ticks exactly when something is due, until then. */
void troupe_run(struct troupe *t, double until_ms);

/* What was said since the last time; the test fails if it is not that. */
void assert_said(struct troupe *t, const char *lines);

/* A file under ../shared/vectors; the test is skipped, saying so, if it is not there. */
yyjson_doc *vectors_read(const char *name);

#endif
