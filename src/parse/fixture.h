/* fixture.h - a stream read whole, or cut at every offset, for the tests of this room.
 *
 * What came of it is text: one envelope a line without its id and timestamp, which
 * differ from run to run.
 */
#ifndef PARSE_FIXTURE_H
#define PARSE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "parse/parse.h"

/* Who asks: source "src", correlationId "run", agent "model", at time 1. */
struct taken {
	struct parse *parse;
	struct buf lines;       /* `{"type":...}` and LF, for each */
	unsigned signals, ends; /* ends: completions and errors */
	unsigned bads;
	struct error last_bad;
	struct buf metas; /* what came through options.meta, a line each */
};

void taken_init(struct taken *t, const struct parse_kind *kind);
void taken_finish(struct taken *t);

/* Feeds all, ends it well, and checks that an answer had one end. */
void taken_read(struct taken *t, struct text bytes);

/* Reads it whole, byte by byte, and in two pieces for every cut; all must agree.
 * The caller finishes `t`, which has what came of it. */
void taken_read_cut(struct taken *t, const struct parse_kind *kind, struct text bytes);

/* However an answer breaks off, by itself, by a fault or by being cancelled, it has
 * one end. */
void taken_break_off(const struct parse_kind *kind, struct text bytes);

/* Line n (from 0) of what was given; empty when there are not so many. */
struct text taken_line(const struct taken *t, unsigned n);
unsigned taken_count(const struct taken *t, const char *type);
void assert_line(const struct taken *t, unsigned n, const char *json);
/* Is this part of some line? */
bool taken_has(const struct taken *t, const char *part);

/* tests/fixtures/NAME, from the root of the tree; the caller finishes it. */
void load_fixture(struct buf *out, const char *name);

#endif
