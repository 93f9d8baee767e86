/* back.c - the way back from every screen: the back ends of this box, and what people do. */
#include "bus/backs.h"

#include "base/log.h"
#include "base/must.h"
#include "box/parts.h"
#include "box/receipts.h"
#include "bus/bus.h"
#include "escapement/escapement.h"
#include "play/house/playhouse.h"
#include "run/prompts.h"
#include "run/runs.h"
#include "signal/json.h"
#include "signal/signal.h"
#include "source/claude/approve.h"
#include "source/claude/pauses.h"
#include "source/source.h"

#define PASSED_EXTRA (64 * KIB) /* a correlationId, escaped */

/* ---- agents of the run dialect ---- */

static enum back_answer control_agent(void *self, const struct back_control *c, struct error *why)
{
	return escapement_control(((struct box *)self)->escapement, c, why);
}

/* An agent of the run dialect has no word for being cancelled; a program that only
 * listens there (`signalbox run`) can be stopped and nothing else. */
static bool can_agent(void *self, struct text run, struct text op)
{
	struct box *box = self;
	const struct run *known = runs_find(box->runs, run);

	if (!escapement_has_agent(box->escapement, run))
		return false;
	if (text_is(op, "ui-interrupt") || text_is(op, "ui-quit"))
		return true;
	return known && known->hearing.is_dialect ? !text_is(op, "cancel") : text_is(op, "cancel");
}

static enum back_answer tell_agent(void *self, const struct back_deed *deed, struct error *why)
{
	struct box *box = self;
	const struct run *run = runs_find(box->runs, deed->run);

	if (!escapement_tell_event(box->escapement, deed->signal, deed->run))
		return BACK_UNKNOWN;
	if (!run || run->hearing.is_dialect)
		return BACK_DONE;
	error_set(why, "its program can be stopped, and told nothing");
	return BACK_NOT_SUPPORTED;
}

static enum back_answer settle_agent(void *self, const struct back_outcome *o, struct error *why)
{
	struct box *box = self;
	bool is_told = box->escapement && escapement_reply(box->escapement, o->prompt);

	return is_told ? BACK_DONE : BACK_UNKNOWN;
}

static const struct back_end agents = {
	.name = "agents",
	.control = control_agent,
	.can = can_agent,
	.tell = tell_agent,
	.settle = settle_agent,
};

/* ---- hooks of Claude Code ---- */

static enum back_answer control_hooks(void *self, const struct back_control *c, struct error *why)
{
	return pauses_control(((struct box *)self)->pauses, c, why);
}

static bool can_hooks(void *self, struct text run, struct text op)
{
	return pauses_can(((struct box *)self)->pauses, run, op);
}

/* A hook that is gone has no need to know. */
static enum back_answer settle_hook(void *self, const struct back_outcome *o, struct error *why)
{
	struct box *box = self;

	if (!approve_is_ours(o->source))
		return BACK_UNKNOWN;
	if (box->approve)
		approve_reply(box->approve, o);
	return BACK_DONE;
}

static void look_at_hook(void *self, struct text source, struct text id)
{
	struct box *box = self;

	if (box->approve && approve_is_ours(source))
		approve_look(box->approve, id);
}

static struct text input_of_hook(void *self, struct text source, struct text id)
{
	struct box *box = self;

	return box->approve && approve_is_ours(source) ? approve_input(box->approve, id) : TEXT("");
}

static const struct back_end hooks = {
	.name = "hooks",
	.control = control_hooks,
	.can = can_hooks,
	.settle = settle_hook,
	.look = look_at_hook,
	.input = input_of_hook,
};

/* ---- sources ---- */

static enum back_answer ask_source(void *self, const struct back_ask *ask, struct error *why)
{
	return sources_ask(((struct box *)self)->sources, ask, why);
}

static enum back_answer cancel_source(void *self, const struct back_control *c, struct error *why)
{
	return sources_cancel(((struct box *)self)->sources, c, why);
}

static enum back_answer control_source(void *self, const struct back_control *c, struct error *why)
{
	return sources_control(((struct box *)self)->sources, c, why);
}

static bool can_source(void *self, struct text run, struct text op)
{
	struct box *box = self;
	const struct run *known = runs_find(box->runs, run);

	if (text_is(op, "tell"))
		return sources_can_send(box->sources,
		                        theatre_source(playhouse_theatre(box->playhouse), run));
	return sources_can(box->sources, run, op, known && fold_totals(&known->fold).live > 0);
}

static enum back_answer send_source(void *self, struct text source, struct text message,
                                    struct error *why)
{
	return sources_send(((struct box *)self)->sources, source, message, why);
}

/* The stored envelope, and what it belongs to if it did not say so itself. */
static void add_passed(struct buf *out, const struct signal *s, struct text run)
{
	struct text line = s->line;

	if (s->correlation.at || !run.len) {
		buf_add(out, line);
		return;
	}
	buf_add(out, (struct text){line.at, line.len - 1});
	buf_add(out, TEXT(",\"correlationId\":"));
	buf_add_json(out, run);
	buf_add_char(out, '}');
}

static enum back_answer tell_source(void *self, const struct back_deed *deed, struct error *why)
{
	enum back_answer answer = BACK_INVALID;
	struct buf passed;

	if (!deed->source.len) {
		error_set(why, "nobody knows whose it is");
		return BACK_UNKNOWN;
	}
	buf_init(&passed, deed->signal->line.len + PASSED_EXTRA);
	add_passed(&passed, deed->signal, deed->run);
	if (passed.full)
		error_set(why, "it is too long");
	else
		answer = send_source(self, deed->source, buf_text(&passed), why);
	buf_finish(&passed);
	return answer;
}

static enum back_answer settle_source(void *self, const struct back_outcome *o, struct error *why)
{
	struct box *box = self;

	return box->sources ? sources_reply(box->sources, o->source, o, why) : BACK_UNKNOWN;
}

static const struct back_end sources = {
	.name = "sources",
	.ask = ask_source,
	.cancel = cancel_source,
	.control = control_source,
	.can = can_source,
	.send = send_source,
	.tell = tell_source,
	.settle = settle_source,
};

/* ---- all of them ---- */

static bool has_run(void *self, struct text run)
{
	return runs_find(((struct box *)self)->runs, run) != NULL;
}

/* Nobody took it: is there no such run, or nobody who could? */
static enum back_answer missing(void *self, const struct back_control *c, struct error *why)
{
	const struct run *run = runs_find(((struct box *)self)->runs, c->run);

	if (!run)
		return BACK_UNKNOWN; /* why says so */
	if (run->hearing.is_dialect) {
		error_set(why, "the agent of this run is not here");
		return BACK_CONFLICT;
	}
	error_set(why, "nobody can %.*s a run of %.80s", TEXT_ARG(c->op), run->source);
	return BACK_NOT_SUPPORTED;
}

void box_make_back(struct box *box)
{
	struct backs_options o = {
		.bus = box->bus, .self = box, .has_run = has_run, .missing = missing};
	/* `signalbox run` listens as an agent of the session whose hooks come to us: what the
	 * hooks can do is theirs. */
	const struct back_end *const ends[] = {&hooks, &agents, &sources};

	box->backs = backs_create(&o);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		box->back_ends[i] = *ends[i];
		box->back_ends[i].self = box;
		backs_add(box->backs, &box->back_ends[i]);
	}
}

void box_destroy_back(struct box *box)
{
	receipts_destroy(box->receipts);
	backs_destroy(box->backs);
}

struct back box_back(struct box *box)
{
	struct back_prompts prompts = prompts_back(box->prompts);

	return backs_front(box->backs, &prompts);
}

void box_tell_verdict(void *self, uint64_t ticket, enum back_answer verdict, const char *why)
{
	backs_verdict(((struct box *)self)->backs, ticket, verdict, why);
}

/* ---- what people do on a screen ---- */

/* Whom or what it was done to; empty: nothing that is on the stage. */
static struct text entity_of(yyjson_val *envelope)
{
	yyjson_val *payload = yyjson_obj_get(envelope, "payload");
	struct text target = json_text(yyjson_obj_get(payload, "target"));

	return target.len ? target : json_text(yyjson_obj_get(payload, "entityId"));
}

/* The episode it belongs to is that which it names, or else that of the last
 * performance of whom it was done to. */
static struct text concerned(struct box *box, const struct signal *s, struct text *run)
{
	const struct theatre *theatre = playhouse_theatre(box->playhouse);
	struct text source = TEXT(""), known;
	struct json_reader reader;
	yyjson_doc *doc;

	*run = s->correlation;
	if (run->at)
		return theatre_source(theatre, *run);
	playhouse_wake(box->playhouse, s->seq - 1);
	json_reader_init(&reader, s->line.len);
	doc = json_read(&reader, s->line, NULL);
	theatre_episode(theatre, entity_of(yyjson_doc_get_root(doc)), run, &source);
	json_reader_finish(&reader);
	known = run->len ? theatre_source(theatre, *run) : source;
	return known.len ? known : source;
}

static void heard(struct tap *tap, const struct signal *s)
{
	struct box *box = list_of(tap, struct box, people);
	struct back_deed deed = {.signal = s};
	struct error why = {""};
	bool is_told;

	if (s->via.len || !text_starts(s->type, TEXT("user.")))
		return;
	deed.source = concerned(box, s, &deed.run);
	is_told = backs_tell(box->backs, &deed, &why) == BACK_DONE;
	if (!is_told)
		log_debug("back", "%.*s is not heard: %s", TEXT_ARG(s->type), why.words);
	if (!text_is(s->type, "user.command"))
		return;
	if (!box->receipts)
		box->receipts = receipts_create(box->loop, box->bus);
	receipts_add(box->receipts, &(struct receipt){.signal = s->id,
	                                              .run = deed.run,
	                                              .why = is_told ? NULL : why.words});
}

void box_hear_people(struct box *box)
{
	box->people = (struct tap){.name = "people", .heard = heard};
	bus_add_tap(box->bus, &box->people);
}
