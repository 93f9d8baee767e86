/* signals.c - bare envelopes both ways, and nothing else.
 *
 * For programs that know signals and no protocol.  Whatever there is to say is
 * said as an envelope (a gap is a `journal.gap`) or by closing.  A connection
 * also hears itself; with ?mode=send it hears nothing.  One that is too fast is
 * not closed but held: nothing more is read from it until it may go on.
 */
#include "hub/inside.h"
#include "hub/query.h"
#include "journal/journal.h"
#include "net/http.h"
#include "signal/make.h"

#define SIGNALS_SAY_MAX KIB

static void welcome(struct client *c, const struct http *http)
{
	struct subscription wish;

	if (hub_query_read(&wish, http, NULL) && !wish.sends_only && (c->scopes & SCOPE_OBSERVE))
		client_subscribe(c, &wish);
	filter_finish(&wish.filter);
}

/* The close is the only way to say why. */
static void hear_emit(struct client *c, struct text message)
{
	struct emission e = {.raw = message};
	struct bus_verdict v;

	if (!(c->scopes & SCOPE_EMIT))
		client_close(c, 1008, TEXT("emit needs the scope emit"));
	else if (!client_emit(c, &e, &v))
		client_close(c,
		             v.reason == ADMIT_NOT_JSON  ? 1007
		             : v.reason == ADMIT_TOO_BIG ? 1009
		                                         : 1008,
		             text_of(v.why.words));
}

static void signals_tell_gap(struct client *c, const struct gap *gap)
{
	struct make m;
	struct buf out;

	buf_init(&out, SIGNALS_SAY_MAX);
	make_begin(&m, &out,
	           &(struct make_head){
			   .type = "journal.gap", .source = SOURCE_OF_BOX, .is_new = true});
	make_payload(&m);
	make_u64(&m, "from", gap->from);
	make_u64(&m, "to", gap->to);
	make_word(&m, "why", gap->why);
	make_end(&m);
	client_say_frame(c, WS_OP_TEXT, buf_text(&out));
	buf_finish(&out);
}

const struct dialect dialect_signals = {
	.name = "signals",
	.path = "/ws/signals",
	.pins = hub_pins,
	.encoding = &encoding_frame,
	.is_websocket = true,
	.is_held = true,
	.needs = SCOPE_OBSERVE | SCOPE_EMIT,
	.check = hub_query_check,
	.welcome = welcome,
	.hear = hear_emit,
	.tell_gap = signals_tell_gap,
	.beat = client_ping,
	.farewell = client_go_away,
};
