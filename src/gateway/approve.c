/* approve.c - `/approve ID DECISION` in the place of a message.
 *
 * Screens that show no approvals of commands decide so; what came of it is said in the chat.
 */
#include "gateway/approve.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/put.h"
#include "base/visible.h"
#include "bus/bus.h"
#include "gateway/approvals.h"
#include "gateway/asking.h"
#include "gateway/decide.h"
#include "gateway/keys.h"
#include "gateway/pending.h"
#include "gateway/telling.h"
#include "hub/hub.h"
#include "hub/person.h"
#include "run/prompts.h"
#include "run/sessions.h"
#include "signal/session.h"

#define WORDS_MAX (2 * KIB) /* bytes, of an answer */
#define SIGNAL_MAX (64 * KIB)
#define SHOWN_ID_MAX 128
#define SHORT_ID 8 /* letters, at least */
#define USAGE \
	"Usage: /approve <id> <decision> (see the pending approval message for available " \
	"decisions)"

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Takes the next word off. */
static struct text take_word(struct text *rest)
{
	struct text word;

	*rest = text_trim(*rest);
	word = (struct text){rest->at, 0};
	while (word.len < rest->len && !is_space(rest->at[word.len]))
		word.len++;
	*rest = text_trim((struct text){rest->at + word.len, rest->len - word.len});
	return word;
}

static bool is_command(struct text word)
{
	struct text name = TEXT("/approve");

	if (word.len > name.len && word.at[name.len] == '@')
		word.len = name.len;
	return text_equal_nocase(word, name);
}

bool gateway_is_approve(struct text message)
{
	return message.len && is_command(take_word(&message));
}

/* People may write them shorter. */
static struct text decision_of(struct text word)
{
	static const struct {
		struct text word, decision;
	} rows[] = {
		{TEXT("allow"), TEXT("allow-once")},
		{TEXT("once"), TEXT("allow-once")},
		{TEXT("allow-once"), TEXT("allow-once")},
		{TEXT("allowonce"), TEXT("allow-once")},
		{TEXT("always"), TEXT("allow-always")},
		{TEXT("allow-always"), TEXT("allow-always")},
		{TEXT("allowalways"), TEXT("allow-always")},
		{TEXT("deny"), TEXT("deny")},
		{TEXT("reject"), TEXT("deny")},
		{TEXT("block"), TEXT("deny")},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (text_equal_nocase(word, rows[i].word))
			return rows[i].decision;
	return TEXT("");
}

struct approval_wish {
	struct text id, decision;
};

/* The decision stands before the id or behind it. */
static bool read_wish(struct text message, struct approval_wish *wish, struct error *why)
{
	struct text rest = message, command = take_word(&rest), first = take_word(&rest);
	struct text all = rest, second = take_word(&rest);

	if (text_find(command, '@') >= 0)
		return error_set(why, "\u274c This /approve command is for somebody else.");
	if (!second.len)
		return error_set(why, "%s", USAGE);
	*wish = (struct approval_wish){all, decision_of(first)};
	if (!wish->decision.len)
		*wish = (struct approval_wish){first, decision_of(second)};
	return wish->decision.len || error_set(why, "%s", USAGE);
}

static void add_done(struct buf *words, const struct approval_wish *wish)
{
	struct text id = wish->id;

	id.len = id.len < SHOWN_ID_MAX ? id.len : SHOWN_ID_MAX;
	buf_print(words, "\u2705 Approval %.*s submitted for ", TEXT_ARG(wish->decision));
	visible_add(words, id, VISIBLE_MARK_LINES);
	buf_add_char(words, '.');
}

/* By its id, or by the first letters of one that waits, if no other begins so. */
static bool find(const struct gateway_call *call, struct text id, const struct prompt **found,
                 struct error *why)
{
	*found = pending_find(call->gateway, id);
	if (*found || id.len < SHORT_ID)
		return true;
	list_each(prompts_open(call->gateway->options.prompts), l) {
		const struct prompt *p = list_of(l, struct prompt, in_open);

		if (!text_starts(text_of(p->id), id) || decide_kind(p) == DECIDE_NOTHING)
			continue;
		if (*found)
			return error_set(why, "ambiguous approval id prefix; use the full id");
		*found = p;
	}
	return true;
}

static void decide(const struct gateway_call *call, struct buf *words)
{
	const struct prompt *p = NULL;
	struct approval_wish wish = {0};
	struct error why;

	if (!read_wish(json_text_at(call->params, "message"), &wish, &why))
		buf_print(words, "%s", why.words);
	else if (!(call->view->scopes & OPERATOR_APPROVALS))
		buf_add(words, TEXT("\u274c /approve requires operator.approvals for gateway "
		                    "clients."));
	else if (find(call, wish.id, &p, &why) && gateway_approve(call, p, wish.decision, &why))
		add_done(words, &wish);
	else
		buf_print(words, "\u274c Failed to submit approval: %s", why.words);
}

/* ---- telling ---- */

/* Of a session that there is, or that an agent can be asked in. */
static bool put_signal(struct buf *out, const struct gateway_call *call,
                       const struct gateway_place *place, struct text answer)
{
	struct back_who who = client_who(call->view->client, TEXT("gateway"));
	struct text source = buf_text(&place->source);

	if (!source.len && place->run)
		source = text_of(place->run->source);
	put_object(out, NULL);
	put_word(out, "type", SESSION_COMMAND);
	put_text(out, "source", SOURCE_OF_BOX);
	put_text(out, "correlationId", json_text_at(call->params, "idempotencyKey"));
	put_object(out, "metadata");
	put_text(out, "sourceId", source);
	put_text(out, "session",
	         place->session ? text_of(place->session->key) : buf_text(&place->name));
	put_end(out);
	put_object(out, "payload");
	put_text(out, "command", json_text_at(call->params, "message"));
	put_text(out, "answer", answer);
	put_key(out, "by");
	back_add_who(out, &who);
	put_end(out);
	put_end(out);
	return source.len && !out->full;
}

/* In the journal it stays, and all are told of it as of every message. */
static bool keep_command(const struct gateway_call *call, const struct gateway_place *place,
                         struct text answer)
{
	struct bus *bus = client_options(call->view->client)->bus;
	struct bus_emit e = {.from = bus_from(bus, SOURCE_OF_BOX, true), .durable = true};
	struct bus_verdict verdict = {.answer = BUS_REFUSED};
	struct buf out;

	buf_init(&out, SIGNAL_MAX);
	if (put_signal(&out, call, place, answer)) {
		e.from.is_box = true;
		e.raw = buf_text(&out);
		bus_admit(bus, &e, &verdict);
	}
	buf_finish(&out);
	return verdict.answer == BUS_ACCEPTED;
}

/* To everybody who reads the session now. */
static void say_in_chat(const struct gateway_call *call, struct text key, struct text words)
{
	struct told_run run = {
		.id = text_dup(json_text_at(call->params, "idempotencyKey")),
		.key = text_dup(key),
		.agent = text_dup(gateway_key_agent(key)),
		.at_ms = (double)clock_wall_ms(),
	};
	struct telling t = {.g = call->gateway, .run = &run};

	telling_chat(&t, &(struct chat_words){.state = "final", .text = words});
	free(run.id);
	free(run.key);
	free(run.agent);
}

void gateway_chat_approve(const struct gateway_call *call)
{
	struct gateway_place place;
	struct buf words;

	buf_init(&words, WORDS_MAX);
	decide(call, &words);
	gateway_find_place(call->gateway, json_text_at(call->params, "sessionKey"),
	                   json_text_at(call->params, "agentId"), &place);
	gateway_note_done(call->gateway, json_text_at(call->params, "idempotencyKey"),
	                  buf_text(&place.key));
	if (!keep_command(call, &place, buf_text(&words)))
		say_in_chat(call, buf_text(&place.key), buf_text(&words));
	gateway_place_finish(&place);
	buf_finish(&words);
}
