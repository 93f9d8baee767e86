/* openclaw_origin.c - what a signal does not say of the frame that it came as.
 *
 * A client of the same protocol gets the frame again (gateway/came.c): what the signal says
 * itself, and a text that grows with each frame, are left out.  An `event` has all of its frame;
 * it says only which protocol that is of.
 */
#include "base/put.h"
#include "parse/inside.h"
#include "parse/openclaw_frame.h"

/* Words are told by the stream of words; others tell the rest of them at a run's end. */
static bool openclaw_origin_fits(const struct openclaw_frame *f)
{
	struct text stream = json_text_at(f->payload, "stream");

	if (text_is(f->event, "chat"))
		return text_is(json_text_at(f->payload, "state"), "status");
	return text_is(f->event, "agent") &&
	       text_is(stream, "assistant") == (strcmp(f->giving, "text_delta") == 0);
}

static bool has_text_so_far(yyjson_val *payload)
{
	struct text stream = json_text_at(payload, "stream");

	return text_is(stream, "assistant") || text_is(stream, "thinking");
}

static void put_frame(struct buf *out, const struct openclaw_frame *f)
{
	static const char *const told[] = {"runId", "sessionKey", "agentId", "seq",
	                                   "ts",    "data",       NULL};
	static const char *const words[] = {"text", "delta", NULL}, *const none[] = {NULL};

	put_object(out, "frame");
	put_text(out, "event", f->event);
	put_object(out, "payload");
	put_object(out, "data");
	json_add_members(out, f->data, has_text_so_far(f->payload) ? words : none, ' ');
	put_end(out);
	json_add_members(out, f->payload, told, ',');
	put_end(out);
	put_end(out);
}

void openclaw_frame_origin(struct openclaw_frame *f)
{
	struct buf out;

	if (!f->gateway->protocol || f->has_origin || !f->run_id.len || f->is_past ||
	    !openclaw_origin_fits(f))
		return;
	f->has_origin = true;
	buf_init(&out, parse_options(f->p)->event_max);
	put_object(&out, NULL);
	put_word(&out, "dialect", "gateway");
	put_u64(&out, "protocol", f->gateway->protocol);
	if (strcmp(f->giving, "event") != 0)
		put_frame(&out, f);
	put_end(&out);
	openclaw_frame_metadata(f);
	if (!out.full)
		make_raw(&f->p->make, "origin", buf_text(&out));
	buf_finish(&out);
}
