/* scenario.h - the demo's scripts, which are written in demo.json.
 *
 * Three built-in scenarios, one after the other, for ever: a simple task, an
 * error and its recovery, two agents at once.  Everything they emit has the source
 * `demo` and `metadata.demo`, so that nobody takes it for an agent.
 */
#ifndef SOURCE_SCENARIO_H
#define SOURCE_SCENARIO_H

/* A moment of a script.  What an agent says or thinks comes in pieces, one after the other, so a
 * piece that is gone on from ends with its space. */
struct beat {
	unsigned after_ms; /* since the one before */
	const char *type;
	const char *payload; /* a JSON object */
};

struct script {
	const char *name;
	const struct beat *beats; /* ended by a NULL type */
};

/* Ended by a NULL name. */
extern const struct script scenario_scripts[];

#endif
