/* facts.c - what is known of a session, as a signal. */
#include "source/transcript/facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <xxhash.h>

#include "base/utf8.h"
#include "bus/admit.h"
#include "signal/make.h"

#define FACTS_ID_MAX 32

static void add_fact(struct make *m, const char *name, struct text value)
{
	make_given(m, name, utf8_cut(value, FACTS_TEXT_MAX));
}

bool facts_make(const struct facts *f, struct buf *out)
{
	char id[FACTS_ID_MAX];
	struct make m;

	snprintf(id, sizeof(id), "facts-%016" PRIx64,
	         XXH3_64bits_withSeed(&f->at_ms, sizeof(f->at_ms), facts_hash(f)));

	make_begin(&m, out,
	           &(struct make_head){.type = "session.facts",
	                               .id = text_of(id),
	                               .source = TEXT("adapter:transcript"),
	                               .correlation = f->session,
	                               .at_ms = (double)f->at_ms,
	                               .is_new = true});
	make_payload(&m);
	make_word(&m, "agentId", f->agent ? f->agent : "claude");
	make_word(&m, "harness", f->harness ? f->harness : "claude-code");
	add_fact(&m, "version", f->version);
	add_fact(&m, "cwd", f->cwd);
	add_fact(&m, "title", f->title);
	if (f->title.len)
		make_word(&m, "titleFrom", "agent");
	if (f->pid && f->proc_start.len) {
		make_u64(&m, "pid", f->pid);
		make_text(&m, "procStart", f->proc_start);
	}
	add_fact(&m, "status", f->status);
	add_fact(&m, "waitingFor", f->waiting_for);
	make_metadata(&m);
	make_word(&m, "from", f->from);
	return make_end(&m);
}

uint64_t facts_hash(const struct facts *f)
{
	const struct text all[] = {f->session, f->version,     f->cwd,       f->title,
	                           f->status,  f->waiting_for, f->proc_start};
	uint64_t hash = f->pid;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		hash = XXH3_64bits_withSeed(all[i].len ? all[i].at : "", all[i].len, hash + i);
	return hash;
}

bool gone_make(const struct gone *g, struct buf *out)
{
	struct make m;

	make_begin(&m, out,
	           &(struct make_head){.type = "session.gone",
	                               .source = SOURCE_OF_BOX,
	                               .correlation = g->session,
	                               .at_ms = (double)g->at_ms,
	                               .is_new = true});
	make_payload(&m);
	make_word(&m, "why", g->why);
	make_word(&m, "by", g->by);
	if (g->pid)
		make_u64(&m, "pid", g->pid);
	if (g->is_left)
		make_bool(&m, "left", true);
	return make_end(&m);
}
