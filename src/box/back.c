/* back.c - the way back from every screen to the sources. */
#include "bus/back.h"

#include "base/log.h"
#include "box/parts.h"
#include "box/receipts.h"
#include "box/verdicts.h"
#include "bus/bus.h"
#include "escapement/escapement.h"
#include "play/theatre.h"
#include "run/prompts.h"
#include "run/runs.h"
#include "signal/json.h"
#include "signal/signal.h"
#include "source/claude/approve.h"
#include "source/claude/pauses.h"
#include "source/source.h"

#define CONTROL_MAX (64 * KIB)
#define PASSED_EXTRA (64 * KIB) /* a correlationId, escaped */

static enum back_answer ask(void *self, const struct back_ask *ask, char run[BACK_RUN_LEN],
                            struct error *why)
{
	return sources_ask(((struct box *)self)->sources, ask, run, why);
}

/* What was taken waits for its verdict, and leaves this record then. */
static enum back_answer wait_for(struct box *box, const struct back_ear *ear, struct text record,
                                 struct error *why)
{
	if (verdicts_wait(box->verdicts, ear, record))
		return BACK_TAKEN;
	error_set(why, "it was passed on, but too many wait for an answer already");
	return BACK_CONFLICT;
}

static enum back_answer cancel(void *self, struct text run, const struct back_ear *ear,
                               struct error *why)
{
	struct box *box = self;
	struct back_control wish = {
		.run = run, .op = TEXT("cancel"), .ticket = verdicts_ticket(box->verdicts)};
	enum back_answer answer = sources_cancel(box->sources, &wish, why);

	return answer == BACK_TAKEN ? wait_for(box, ear, TEXT(""), why) : answer;
}

void box_tell_verdict(void *self, uint64_t ticket, enum back_answer verdict, const char *why)
{
	verdicts_tell(((struct box *)self)->verdicts, ticket, verdict, why);
}

static enum back_answer send(void *self, struct text source, struct text message, struct error *why)
{
	return sources_send(((struct box *)self)->sources, source, message, why);
}

/* ---- controls ---- */

/* For the record, after it was done. */
static void add_record(struct buf *out, const struct back_control *c)
{
	buf_print(out, "{\"type\":\"control\",\"source\":\"%.*s\",\"correlationId\":",
	          TEXT_ARG(SOURCE_OF_BOX));
	buf_add_json(out, c->run);
	buf_add(out, TEXT(",\"payload\":{\"run\":"));
	buf_add_json(out, c->run);
	buf_add(out, TEXT(",\"do\":"));
	buf_add_json(out, c->op);
	if (c->n)
		buf_print(out, ",\"n\":%llu", (unsigned long long)c->n);
	buf_add(out, TEXT(",\"by\":"));
	prompts_add_who(out, &c->who);
	buf_add(out, TEXT("}}"));
	if (out->full)
		buf_clear(out);
}

static enum back_answer record(struct box *box, const struct back_control *c,
                               enum back_answer answer, struct error *why)
{
	struct buf out;

	buf_init(&out, CONTROL_MAX);
	if (answer == BACK_DONE || answer == BACK_TAKEN)
		add_record(&out, c);
	if (answer == BACK_DONE)
		verdicts_record(box->verdicts, buf_text(&out));
	if (answer == BACK_TAKEN)
		answer = wait_for(box, &c->ear, buf_text(&out), why);
	buf_finish(&out);
	return answer;
}

/* In the agent's own dialect there may be others that only it knows. */
static bool is_control(const struct back_control *c)
{
	static const char *const ops[] = {"pause",        "step",    "continue", "arm",
	                                  "ui-interrupt", "ui-quit", "cancel"};

	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		if (text_is(c->op, ops[i]))
			return true;
	return c->frame.len > 0 && c->op.len > 0;
}

/* Nobody took it: is there no such run, or nobody who could? */
static enum back_answer missing(struct box *box, const struct back_control *c, struct error *why)
{
	const struct run *run = runs_find(box->runs, c->run);

	if (!run)
		return BACK_UNKNOWN; /* why says so */
	if (run->hearing.is_dialect) {
		error_set(why, "the agent of this run is not here");
		return BACK_CONFLICT;
	}
	error_set(why, "nobody can %.*s a run of %.80s", TEXT_ARG(c->op), run->source);
	return BACK_NOT_SUPPORTED;
}

static enum back_answer control(void *self, const struct back_control *c, struct error *why)
{
	struct box *box = self;
	struct back_control wish = *c;
	enum back_answer answer;

	wish.ticket = verdicts_ticket(box->verdicts);
	if (!is_control(c)) {
		error_set(why, "nobody can %.*s a run", (int)(c->op.len < 80 ? c->op.len : 80),
		          c->op.at);
		return BACK_INVALID;
	}
	/* A program under `signalbox run` cannot be paused, but its hooks can hold it. */
	answer = pauses_can(box->pauses, c->run, c->op)
	                 ? BACK_UNKNOWN
	                 : escapement_control(box->escapement, c, why);
	if (answer == BACK_UNKNOWN)
		answer = pauses_control(box->pauses, &wish, why);
	if (answer == BACK_UNKNOWN)
		answer = sources_control(box->sources, &wish, why);
	if (answer == BACK_UNKNOWN)
		answer = missing(box, c, why);
	return record(box, c, answer, why);
}

/* An agent of the run dialect has no word for being cancelled; a program that only
 * listens there (`signalbox run`) can be stopped and nothing else. */
static bool can_agent(const struct run *run, struct text op)
{
	if (text_is(op, "ui-interrupt") || text_is(op, "ui-quit"))
		return true;
	return run && run->hearing.is_dialect ? !text_is(op, "cancel") : text_is(op, "cancel");
}

static bool can(void *self, struct text run, struct text op)
{
	struct box *box = self;
	const struct run *known = runs_find(box->runs, run);
	bool is_live = known && fold_totals(&known->fold).live > 0;

	if (escapement_has_agent(box->escapement, run))
		return can_agent(known, op) || pauses_can(box->pauses, run, op);
	if (text_is(op, "tell"))
		return sources_can_send(box->sources, theatre_source(box->theatre, run));
	return pauses_can(box->pauses, run, op) || sources_can(box->sources, run, op, is_live);
}

/* ---- prompts ---- */

static enum back_answer reply(void *self, const struct back_reply *r, struct error *why)
{
	struct box *box = self;
	const struct prompt *p = prompts_find(box->prompts, r->prompt);

	if (p && box->approve && approve_is_ours(text_of(p->source)))
		approve_look(box->approve, p->own_id);
	return prompts_answer(box->prompts, r, why);
}

static void forget(void *self, void *of)
{
	struct box *box = self;

	prompts_forget(box->prompts, of);
	verdicts_forget(box->verdicts, of);
}

static void list_prompts(void *self, enum answers may, struct buf *out)
{
	const char *between = "[";

	list_each(prompts_open(((struct box *)self)->prompts), l) {
		const struct prompt *p = list_of(l, struct prompt, in_open);

		buf_add(out, text_of(between));
		prompt_json(p, may, out);
		between = ",";
	}
	buf_add(out, *between == '[' ? TEXT("[]") : TEXT("]"));
}

/* A long one that came by a hook is kept where the hook is held. */
static enum back_answer add_input(void *self, struct text id, struct buf *out, struct error *why)
{
	const struct box *box = self;
	const struct prompt *p = prompts_find(box->prompts, id);
	struct text input;

	if (!p || p->state != PROMPT_OPEN) {
		error_set(why, "there is no such open prompt");
		return BACK_UNKNOWN;
	}
	input = text_of(p->input);
	if (!input.len && box->approve && approve_is_ours(text_of(p->source)))
		input = approve_input(box->approve, p->own_id);
	if (!input.len) {
		error_set(why, "no tool's input belongs to it");
		return BACK_UNKNOWN;
	}
	if (p->tool.at) {
		buf_add(out, TEXT("\"tool\":"));
		buf_add_json(out, p->tool);
		buf_add_char(out, ',');
	}
	buf_add(out, TEXT("\"input\":"));
	buf_add(out, input);
	return BACK_DONE;
}

struct back box_back(struct box *box)
{
	return (struct back){
		.self = box,
		.ask = ask,
		.cancel = cancel,
		.control = control,
		.can = can,
		.reply = reply,
		.forget = forget,
		.prompts = list_prompts,
		.input = add_input,
		.send = send,
	};
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
static struct text concerned(const struct theatre *theatre, const struct signal *s,
                             struct text *run)
{
	struct text source = TEXT(""), known;
	struct json_reader reader;
	yyjson_doc *doc;

	*run = s->correlation;
	if (run->at)
		return theatre_source(theatre, *run);
	json_reader_init(&reader, s->line.len);
	doc = json_read(&reader, s->line, NULL);
	theatre_episode(theatre, entity_of(yyjson_doc_get_root(doc)), run, &source);
	json_reader_finish(&reader);
	known = run->len ? theatre_source(theatre, *run) : source;
	return known.len ? known : source;
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

/* Of a run whose agent is here: does that leave all but its end unheard? */
static bool only_listens(const struct run *run)
{
	return run && !run->hearing.is_dialect;
}

/* NULL: somebody took it. */
static const char *pass_on(struct box *box, const struct signal *s, struct text run,
                           struct text source, struct error *why)
{
	struct buf passed;
	bool is_taken;

	if (escapement_tell_event(box->escapement, s, run))
		return only_listens(runs_find(box->runs, run))
		               ? "its program can be stopped, and told nothing"
		               : NULL;
	if (!source.len)
		return "nobody knows whose it is";
	buf_init(&passed, s->line.len + PASSED_EXTRA);
	add_passed(&passed, s, run);
	is_taken = passed.full ? error_set(why, "it is too long")
	                       : sources_send(box->sources, source, buf_text(&passed), why) ==
	                                 BACK_DONE;
	buf_finish(&passed);
	return is_taken ? NULL : why->words;
}

void box_pass_on(struct box *box, const struct signal *s)
{
	struct text run, source = concerned(box->theatre, s, &run);
	struct error words = {""};
	const char *why = pass_on(box, s, run, source, &words);

	if (why)
		log_debug("show", "%.*s is not heard: %s", TEXT_ARG(s->type), why);
	if (!text_is(s->type, "user.command"))
		return;
	if (!box->receipts)
		box->receipts = receipts_create(box->loop, box->bus);
	receipts_add(box->receipts, &(struct receipt){.signal = s->id, .run = run, .why = why});
}
