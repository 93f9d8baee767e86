/* discover.h - which services of this machine there are, and keeping the list of
 * sources true to it.
 *
 * Six services are probed at once, each for at most 300 ms, on loopback addresses
 * and without any credential: whoever holds a port learns nothing of us.  MIDI ports
 * are told by JACK.  Hooks are never installed from here.
 */
#ifndef SOURCE_DISCOVER_H
#define SOURCE_DISCOVER_H

#include "base/text.h"

struct discover;
struct discover_ask;
struct loop;
struct requests;
struct sources;

/* HOST:PORT on loopback; copied. */
struct discover_addresses {
	const char *openclaw; /* NULL: where OpenClaw's own configuration says */
	const char *lm_studio, *ollama, *codex, *opencode;
};

struct discover_options {
	struct loop *loop;
	struct requests *requests;
	struct sources *sources;
	struct discover_addresses at;
	unsigned interval_ms; /* between two scans; 0: only when somebody asks */
	bool connects;        /* OpenClaw, when its configuration names a token */
	void *self;
	bool (*tapped)(void *self); /* are our hooks in Claude Code's settings? */
};

/* Looks at once, unless interval_ms is 0. */
struct discover *discover_create(const struct discover_options *options);
void discover_destroy(struct discover *discover);

/* Looks now, or joins the look that is under way.  Then done() is called, never from
 * inside this, with {"services":[..],"midi":[..]}.  rescan: the list of sources
 * follows. */
struct discover_ask *discover_ask(struct discover *discover, bool rescan,
                                  void (*done)(void *of, struct text json), void *of);
void discover_forget(struct discover_ask *ask); /* before it is done; done() is not called */

#endif
