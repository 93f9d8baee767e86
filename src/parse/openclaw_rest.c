/* openclaw_rest.c - frames that give no signal of their own: one that says that they came.
 *
 * They tell again, in other frames, what was told, or of what is over.  Screens of the gateway's
 * protocol get them as they came (gateway/came.c); nobody else is shown anything.
 */
#include "base/put.h"
#include "parse/inside.h"
#include "parse/kinds.h"
#include "parse/openclaw_frame.h"
#include "parse/openclaw_past.h"

bool openclaw_frame_is_rest(const struct openclaw_frame *f)
{
	return f->gateway->protocol && f->event.len &&
	       (!f->has_given || (f->has_due && !f->has_origin));
}

void openclaw_frame_rest(struct openclaw_frame *f)
{
	f->is_again = f->is_again || f->run->is_closed;
	openclaw_frame_begin_bare(f, OPENCLAW_REST);
	make_text(&f->p->make, "eventCategory", f->event);
	make_given(&f->p->make, "sessionKey", f->session);
	openclaw_frame_end(f);
}

/* ---- ends that chat did not tell ---- */

static void settle_chat(struct openclaw_parse *gateway, struct parse *p, struct gateway_run *run)
{
	static const char *const states[] = {[OPENCLAW_FINAL] = "final",
	                                     [OPENCLAW_ABORTED] = "aborted",
	                                     [OPENCLAW_ERROR] = "error"};
	struct buf origin;

	run->owes_chat = false;
	buf_init(&origin, KIB);
	openclaw_begin_origin(&origin, gateway->protocol);
	put_word(&origin, "settles", states[run->end]);
	if (run->stop[0])
		put_word(&origin, "stopReason", run->stop);
	put_end(&origin);
	parse_begin_as(p,
	               &(struct make_head){.type = OPENCLAW_REST, .correlation = text_of(run->id)});
	make_text(&p->make, "eventCategory", TEXT("chat"));
	make_given(&p->make, "sessionKey", text_of(run->session_key));
	make_metadata(&p->make);
	make_raw(&p->make, "origin", buf_text(&origin));
	parse_give(p);
	buf_finish(&origin);
}

bool openclaw_settle(struct parse *p, bool at_once)
{
	struct openclaw_parse *gateway = parse_state(p);
	bool is_any = false;

	for (size_t i = 0; i < OPENCLAW_RUNS; i++) {
		struct gateway_run *run = &gateway->runs[i];

		if (!run->owes_chat || !run->id[0])
			continue;
		if (run->is_late || at_once) {
			settle_chat(gateway, p, run);
		} else {
			run->is_late = true;
			is_any = true;
		}
	}
	gateway->owes = is_any;
	return is_any;
}

bool openclaw_owes(struct parse *p)
{
	const struct openclaw_parse *gateway = parse_state(p);

	return gateway->owes;
}
