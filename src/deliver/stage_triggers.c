/* stage_triggers.c - commands of people, answers to questions, and automations: what an agent need
 * not be asked. */
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "config/config.h"
#include "deliver/automations.h"
#include "deliver/stages.h"

#define NOTICE_MAX (2 * KIB)

/* ---- sessions ---- */

/* channel:account:peer[:thread], with a number when it began anew. */
static void name_session(const struct nexus *x, struct buf *base, struct buf *out)
{
	const struct nexus_request *r = &x->request;
	unsigned times;

	if (r->words[NEXUS_SESSION]) {
		buf_add(base, nexus_word(r, NEXUS_SESSION));
	} else {
		buf_add(base, nexus_word(r, NEXUS_CHANNEL));
		buf_add_char(base, ':');
		buf_add(base, nexus_word(r, NEXUS_ACCOUNT));
		buf_add_char(base, ':');
		buf_add(base, nexus_word(r, NEXUS_PEER));
		if (r->words[NEXUS_THREAD]) {
			buf_add_char(base, ':');
			buf_add(base, nexus_word(r, NEXUS_THREAD));
		}
	}
	times = custody_session(x->desk->options.custody, buf_text(base));
	buf_add(out, buf_text(base));
	if (times)
		buf_print(out, "#%u", times + 1);
}

static void choose_agent(struct nexus *x)
{
	const struct config_adapter *adapter = desk_config(x->account);

	if (!x->request.words[NEXUS_AGENT] && adapter)
		nexus_set(&x->request, NEXUS_AGENT, text_of(adapter->agent));
}

/* ---- commands ---- */

static bool has_same(const struct nexus *x, const struct nexus *other, enum nexus_word word)
{
	return text_equal(nexus_word(&x->request, word), nexus_word(&other->request, word));
}

/* It was said to a whole room: in none of its threads, or in one that it begins, which is called
 * as the message is. */
static bool is_to_room(const struct nexus *x)
{
	struct text thread = nexus_word(&x->request, NEXUS_THREAD);
	struct text message = nexus_word(&x->request, NEXUS_MESSAGE);
	struct text rest;

	text_cut(message, ':', &rest);
	return !thread.len || text_equal(thread, rest);
}

/* Does a command of x mean this one?  It is of the same session; or of the same chat, in a session
 * that an automation chose; or the same person asked for it in a thread of the room. */
static bool is_meant(const struct nexus *x, const struct nexus *other)
{
	if (has_same(x, other, NEXUS_SESSION))
		return true;
	if (!has_same(x, other, NEXUS_ACCOUNT) || !has_same(x, other, NEXUS_PEER))
		return false;
	return (other->request.words[NEXUS_ROUTED] && has_same(x, other, NEXUS_THREAD)) ||
	       (is_to_room(x) && has_same(x, other, NEXUS_SENDER));
}

/* The next that is worked on behind this one, or the first; NULL: none. */
static struct nexus *at_work(const struct nexus *x, const struct nexus *behind)
{
	struct link *all = &x->desk->live;

	for (struct link *l = behind ? behind->in_desk.next : all->next; l != all; l = l->next) {
		struct nexus *other = list_of(l, struct nexus, in_desk);

		if (other == x)
			break;
		if (other->reply && other->request.stage < NEXUS_FINALIZE && is_meant(x, other))
			return other;
	}
	return NULL;
}

/* The same person wrote it there before, and its agent was not asked yet. */
static bool waits_for_agent(const struct nexus *x, const struct nexus *other)
{
	return other->request.stage < NEXUS_DELIVER && !other->request.words[NEXUS_TURN] &&
	       !other->stopped_by && !other->stopped && !other->cancelled &&
	       has_same(x, other, NEXUS_ACCOUNT) && has_same(x, other, NEXUS_PEER) &&
	       has_same(x, other, NEXUS_SENDER) &&
	       (has_same(x, other, NEXUS_THREAD) || is_meant(x, other));
}

/* One that would be asked with another is that no more. */
static void cancel_waiting(struct nexus *x)
{
	list_each(&x->desk->live, l) {
		struct nexus *other = list_of(l, struct nexus, in_desk);

		if (other == x)
			break;
		if (!waits_for_agent(x, other))
			continue;
		other->stopped_by = must_dup(x->request.id);
		nexus_set(&other->request, NEXUS_INTO, TEXT(""));
		x->cancelled++;
		desk_stir(other);
	}
}

static bool has_cancelled_all(const struct nexus *x)
{
	list_each(&x->desk->live, l)
		if (text_is(text_of(list_of(l, struct nexus, in_desk)->stopped_by), x->request.id))
			return false;
	return true;
}

/* What runs, and what waits behind it.  It is told when the disk has that they are over: a start
 * would ask them. */
static bool ends_all(struct nexus *x, struct error *why)
{
	if (!x->cancelled && !x->stopped) {
		cancel_waiting(x);
		for (struct nexus *other = at_work(x, NULL); other; other = at_work(x, other))
			x->stopped += stages_stop(other, why);
	}
	return has_cancelled_all(x);
}

static void say_stop(struct nexus *x, struct buf *out)
{
	struct error why = {"nothing runs"};

	if (!ends_all(x, &why))
		return;
	if (x->stopped > 1)
		buf_print(out, "Stopped %u runs.", x->stopped);
	else if (x->stopped)
		buf_add(out, TEXT("Stopped."));
	if (x->cancelled && x->stopped)
		buf_add_char(out, ' ');
	if (x->cancelled == 1)
		buf_add(out, TEXT("A message that waited is cancelled."));
	else if (x->cancelled)
		buf_print(out, "%u messages that waited are cancelled.", x->cancelled);
	if (!out->len)
		buf_print(out, "Nothing was stopped: %s.", why.words);
}

static void say_new(struct nexus *x, struct buf *out)
{
	const struct nexus_request *r = &x->request;

	if (r->traits->threads_rooms && r->peer_kind != CHANNEL_DM && is_to_room(x))
		buf_add(out,
		        TEXT("Each thread is a session of its own: a message in the room begins "
		             "one. In a thread, write /new behind my name. "));
	buf_add(out, TEXT("A new session begins with your next message."));
}

static void say_status(struct nexus *x, struct buf *out)
{
	const struct nexus *other = at_work(x, NULL);
	struct text agent = nexus_word(&x->request, NEXUS_AGENT);

	buf_print(out, "Agent %.*s, session %.*s: %s. %zu deliveries wait.",
	          TEXT_ARG(agent.len ? agent : TEXT("(none)")),
	          TEXT_ARG(nexus_word(&x->request, NEXUS_SESSION)),
	          other ? "it works" : "nothing runs",
	          custody_open_count(x->desk->options.custody));
}

static void say_help(struct nexus *x, struct buf *out)
{
	buf_add(out,
	        TEXT("/stop ends what runs and what waits, /new begins a new session, /status says "
	             "what goes on, /help says this. All else goes to the agent."));
}

static const struct {
	const char *word;
	void (*say)(struct nexus *x, struct buf *out);
	bool resets;
} commands[] = {
	{"/stop", say_stop, false},
	{"/new", say_new, true},
	{"/status", say_status, false},
	{"/help", say_help, false},
};

#define COMMANDS (sizeof(commands) / sizeof(*commands))

/* False: there is nothing to say yet. */
static bool handle(struct nexus *x, size_t command, struct text base)
{
	struct buf out;

	buf_init(&out, NOTICE_MAX);
	commands[command].say(x, &out);
	if (!out.len) {
		buf_finish(&out);
		return false;
	}
	x->notice = text_dup(buf_text(&out));
	buf_finish(&out);
	nexus_set(&x->request, NEXUS_HANDLER, text_of(commands[command].word));
	if (commands[command].resets)
		nexus_set(&x->request, NEXUS_RESET, base);
	stages_exit(x, NEXUS_HANDLED, commands[command].word);
	return true;
}

/* ---- automations ---- */

static void answer_by(struct nexus *x, const struct config_automation *automation)
{
	char name[48];

	snprintf(name, sizeof(name), "automations[%td]", automation - x->desk->config->automations);
	nexus_set(&x->request, NEXUS_HANDLER, text_of(name));
	x->notice = must_dup(automation->answer);
	stages_exit(x, NEXUS_HANDLED, "an automation answers");
}

static void route_by(struct nexus *x, const struct config_automation *automation)
{
	struct buf base, session;

	nexus_set(&x->request, NEXUS_AGENT, text_of(automation->route.agent));
	nexus_set(&x->request, NEXUS_ROUTED, text_of(automation->route.agent));
	x->request.trace[NEXUS_TRIGGERS].exit_reason = "an automation chose the agent";
	if (!automation->route.session)
		return;
	buf_init(&base, 8 * KIB);
	buf_init(&session, 8 * KIB);
	nexus_set(&x->request, NEXUS_SESSION, text_of(automation->route.session));
	name_session(x, &base, &session);
	nexus_set(&x->request, NEXUS_SESSION, buf_text(&session));
	buf_finish(&base);
	buf_finish(&session);
}

/* Somebody whom a code let in keeps the agent that it let them ask. */
static enum stage_step run_automations(struct nexus *x)
{
	const struct received *r =
		custody_request(x->desk->options.custody, text_of(x->request.id));
	const struct config_automation *one =
		automations_run(x->desk->automations, &x->request,
	                        r ? received_word(r, RECEIVED_FILES) : TEXT(""), x->paired != NULL);

	if (one && one->answer)
		answer_by(x, one);
	else if (one)
		route_by(x, one);
	return one && one->answer ? STAGE_SKIPS : STAGE_DONE;
}

enum stage_step stage_triggers(struct nexus *x, int64_t now_ms)
{
	struct text said = text_trim(nexus_word(&x->request, NEXUS_CONTENT));
	enum stage_step step = STAGE_DONE;
	struct buf base, session;

	choose_agent(x);
	buf_init(&base, 2 * KIB);
	buf_init(&session, 2 * KIB);
	name_session(x, &base, &session);
	nexus_set(&x->request, NEXUS_SESSION, buf_text(&session));
	x->request.evaluated = 0;
	for (size_t i = 0; i < COMMANDS && step == STAGE_DONE; i++) {
		x->request.evaluated++;
		if (!text_is(said, commands[i].word))
			continue;
		step = handle(x, i, buf_text(&base)) ? STAGE_SKIPS : STAGE_WAITS;
	}
	if (step == STAGE_DONE)
		step = desk_read_answer(x, said);
	x->request.fired += x->request.words[NEXUS_HANDLER] != NULL;
	if (step == STAGE_DONE)
		step = run_automations(x);
	buf_finish(&base);
	buf_finish(&session);
	return step;
}
