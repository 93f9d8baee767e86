/* chat.c - `signalbox chat`: a conversation with an agent, a line at a time.
 *
 * A line is a message to the chat `terminal` of the box, which goes the way of every other chat.
 * The reply is printed as its tokens come; what came in no tokens is printed as it was delivered.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/must.h"
#include "base/put.h"
#include "cli/cancel.h"
#include "cli/command.h"
#include "cli/follow.h"
#include "cli/interrupt.h"
#include "cli/who.h"
#include "signal/json.h"

extern const struct command command_chat;

#define ANSWER_MS 30000
#define BODY_MAX (2 * MIB)
#define STREAM_PATH "/api/stream?type=text_delta,tool_call,delivery.prepared,nex.typing,nex.request"
#define TYPING "typing ..."
#define NO_TYPING "\r          \r" /* as wide */

struct talk {
	struct out *out;
	struct remote *remote;
	const char *session;
	char *agent, *request; /* agent NULL: the box's choice; request: what is waited for */
	char *answer;          /* to a question of the agent, as a message; or NULL */
	bool is_terminal, ends_line, has_words, is_over, is_cancelled;
	bool can_type, is_typing; /* it can be shown that the agent types; it is */
	bool asks;                /* the agent asks something */
	char *line;               /* that was read last */
	size_t room;
};

/* ---- what comes ---- */

/* Between two lines, and gone before anything else is printed. */
static void show_typing(struct talk *t, bool shows)
{
	if (shows == t->is_typing || (shows && (!t->can_type || !t->ends_line)))
		return;
	t->is_typing = shows;
	out_flush(t->out);
	fputs(shows ? TYPING : NO_TYPING, stderr);
	fflush(stderr);
}

static void talk_print(struct talk *t, struct text words)
{
	if (!words.at || !words.len)
		return;
	show_typing(t, false);
	t->ends_line = words.at[words.len - 1] == '\n';
	for (struct text rest = words; rest.at;) {
		struct text line = text_cut(rest, '\n', &rest);

		if (t->is_terminal)
			out_add_shown(t->out, line);
		else
			out_add(t->out, line);
		if (rest.at)
			out_add(t->out, TEXT("\n"));
	}
}

static void talk_end_line(struct talk *t)
{
	show_typing(t, false);
	if (!t->ends_line)
		out_add(t->out, TEXT("\n"));
	t->ends_line = true;
	out_flush(t->out);
}

static void hear_end(struct talk *t, yyjson_val *payload)
{
	struct text error = json_text_at(yyjson_obj_get(payload, "response"), "error");
	struct text status = json_text_at(payload, "status");
	struct text lost = json_text_at(yyjson_obj_get(payload, "delivery_result"), "error");

	talk_end_line(t);
	if (error.len || lost.len)
		out_say("%.*s", TEXT_ARG(error.len ? error : lost));
	else if (text_is(status, "denied") || text_is(status, "failed"))
		out_say("it was %.*s", TEXT_ARG(status));
	t->is_over = true;
}

static void hear_of_run(struct talk *t, struct text type, yyjson_val *payload)
{
	if (text_is(type, "text_delta")) {
		talk_print(t, json_text_at(payload, "content"));
		t->has_words = true;
	} else if (text_is(type, "tool_call")) {
		talk_end_line(t);
		out_say("tool %.*s", TEXT_ARG(json_text_at(payload, "toolName")));
	}
}

/* What the box sends to this chat: the reply, a question of the agent, or how that ended. */
static void hear_letter(struct talk *t, yyjson_val *payload)
{
	struct text kind = json_text_at(payload, "kind");
	struct text request = json_text_at(payload, "request");
	bool is_question = text_is(kind, "question");

	if (!text_is(json_text_at(payload, "account"), "terminal"))
		return;
	if (is_question || text_is(kind, "closed")) {
		if (!text_starts(json_text_at(payload, "run"), text_of(t->request)))
			return;
		talk_end_line(t);
		talk_print(t, json_text_at(payload, "text"));
		talk_end_line(t);
		t->asks = is_question;
	} else if (t->answer && text_is(request, t->answer)) {
		talk_end_line(t);
		talk_print(t, json_text_at(payload, "text"));
		talk_end_line(t);
	} else if (!t->has_words && text_is(request, t->request)) {
		talk_print(t, json_text_at(payload, "text"));
	}
}

/* True while there is more to come. */
static bool hear_signal_of(void *self, struct text envelope)
{
	struct talk *t = self;
	yyjson_doc *doc = yyjson_read(envelope.at, envelope.len, 0);
	yyjson_val *root = yyjson_doc_get_root(doc);
	yyjson_val *payload = yyjson_obj_get(root, "payload");
	struct text type = json_text_at(root, "type");
	bool is_box = text_is(json_text_at(root, "source"), "signalbox");

	if (text_is(json_text_at(root, "correlationId"), t->request))
		hear_of_run(t, type, payload);
	else if (is_box && text_is(type, "delivery.prepared"))
		hear_letter(t, payload);
	else if (is_box && text_is(type, "nex.typing") &&
	         text_is(json_text_at(payload, "request"), t->request))
		show_typing(t, yyjson_is_true(yyjson_obj_get(payload, "typing")));
	else if (is_box && text_is(type, "nex.request") &&
	         text_is(json_text_at(payload, "request_id"), t->request))
		hear_end(t, payload);
	yyjson_doc_free(doc);
	return !t->is_over && !t->asks;
}

static bool talk_goes_on(void *self)
{
	struct talk *t = self;

	return t->is_cancelled || !interrupt_came();
}

/* ---- what goes out ---- */

/* The id of the message, which the caller frees; NULL when the box refused. */
static char *post_message(const struct talk *t, struct text words, struct error *why)
{
	struct remote_request request = {.method = "POST",
	                                 .path = "/api/messages",
	                                 .type = "application/json",
	                                 .timeout_ms = ANSWER_MS};
	struct buf body, answer;
	yyjson_doc *doc;
	char *id = NULL;

	buf_init(&body, BODY_MAX);
	put_object(&body, NULL);
	put_text(&body, "text", words);
	if (t->agent)
		put_word(&body, "agent", t->agent);
	if (t->session)
		put_word(&body, "session", t->session);
	put_end(&body);
	request.body = buf_text(&body);
	if (body.full) {
		error_set(why, "the line is too long");
	} else if (remote_ask(t->remote, &request, &answer, why)) {
		doc = yyjson_read(answer.at, answer.len, 0);
		id = must_dup(yyjson_get_str(yyjson_obj_get(yyjson_doc_get_root(doc), "id")));
		if (!id)
			error_set(why, "the box returned no id");
		yyjson_doc_free(doc);
		buf_finish(&answer);
	}
	buf_finish(&body);
	return id;
}

/* The next line; false: there is none. */
static bool read_line(struct talk *t, const char *prompt, struct text *said)
{
	bool asks = isatty(STDIN_FILENO) && t->is_terminal;
	ssize_t n;

	do {
		if (asks)
			out_add(t->out, text_of(prompt));
		out_flush(t->out);
		n = getline(&t->line, &t->room, stdin);
		if (n < 0 || interrupt_came())
			return false;
		*said = text_trim((struct text){t->line, (size_t)n});
	} while (!said->len);
	return true;
}

static void answer_question(struct talk *t)
{
	struct error why;
	struct text said;

	if (!read_line(t, "? ", &said)) {
		out_say("it waits: `signalbox prompts` shows what it asks, `signalbox answer` "
		        "answers it");
		return;
	}
	free(t->answer);
	t->answer = post_message(t, said, &why);
	if (!t->answer)
		out_say("%s", why.words);
}

static void hear_reply(struct talk *t, const struct positions *at)
{
	struct follow follow = {.remote = t->remote,
	                        .path = STREAM_PATH,
	                        .at = *at,
	                        .out = t->out,
	                        .has_met = true,
	                        .self = t,
	                        .heard = hear_signal_of,
	                        .goes_on = talk_goes_on};
	struct error why;

	follow_init(&follow);
	while (follow_run(&follow) == STATUS_DONE && t->asks) {
		t->asks = false;
		answer_question(t);
	}
	if (!t->is_over && interrupt_came()) {
		t->is_cancelled = true;
		if (cancel_run(t->remote, t->request, &why))
			follow_run(&follow);
		else
			out_say("%s", why.words);
	}
	follow_finish(&follow);
	talk_end_line(t);
}

static bool talk_once(struct talk *t, struct text words)
{
	struct positions at;
	struct error why;

	t->has_words = t->is_over = false;
	t->ends_line = true;
	if (follow_present(&at, t->remote, &why))
		t->request = post_message(t, words, &why);
	if (!t->request) {
		out_say("%s", why.words);
		return false;
	}
	hear_reply(t, &at);
	free(t->request);
	free(t->answer);
	t->request = t->answer = NULL;
	return true;
}

/* ---- whom ---- */

static bool can_be_asked(yyjson_val *source)
{
	yyjson_arr_iter it = yyjson_arr_iter_with(yyjson_obj_get(source, "can"));
	yyjson_val *word;

	while ((word = yyjson_arr_iter_next(&it)))
		if (text_is(json_text(word), "ask"))
			return text_is(json_text_at(source, "state"), "connected");
	return false;
}

/* The only one that can be asked; NULL: there is none, or several are, and the box chooses. */
static char *only_agent(struct remote *remote)
{
	const struct remote_request request = {
		.method = "GET", .path = "/api/sources", .timeout_ms = ANSWER_MS};
	yyjson_val *one, *found = NULL;
	struct buf answer;
	struct error why;
	yyjson_doc *doc;
	size_t at, count, able = 0;
	char *id;

	if (!remote_ask(remote, &request, &answer, &why))
		return NULL;
	doc = yyjson_read(answer.at, answer.len, 0);
	yyjson_arr_foreach(yyjson_obj_get(yyjson_doc_get_root(doc), "sources"), at, count, one)
	{
		if (can_be_asked(one)) {
			found = one;
			able++;
		}
	}
	id = able == 1 ? text_dup(json_text_at(found, "id")) : NULL;
	yyjson_doc_free(doc);
	buf_finish(&answer);
	return id;
}

static int talk_on(struct talk *t)
{
	int status = STATUS_DONE;
	struct text said;

	while (read_line(t, "> ", &said))
		if (!talk_once(t, said))
			status = STATUS_FAILED;
	free(t->line);
	return status;
}

static int chat(struct command_context *context, const struct options *options)
{
	struct talk t = {.out = &context->out,
	                 .session = options_value(options, "session"),
	                 .is_terminal = isatty(context->out.fd),
	                 .ends_line = true};
	const char *terminal = command_env(context, "TERM");
	struct error why;
	int status;

	t.can_type = isatty(2) && terminal && strcmp(terminal, "dumb") != 0;
	if (options->word_count > 1)
		return command_misused(&command_chat, "unexpected argument '%s'",
		                       options->words[1]);
	t.remote = remote_create(&command_chat, context, options, &status);
	if (!t.remote)
		return status;
	interrupt_watch();
	if (options->word_count == 1)
		t.agent = who_is(t.remote, options->words[0], &why);
	else
		t.agent = only_agent(t.remote);
	if (options->word_count == 1 && !t.agent) {
		out_say("%s", why.words);
		status = STATUS_FAILED;
	} else {
		status = talk_on(&t);
	}
	free(t.agent);
	remote_destroy(t.remote);
	return status;
}

static const struct option own[] = {
	{"session", 's', "NAME", "the conversation that it goes on with", "one for this user"},
	{0},
};
static const struct option_group own_group = {"Options", own};
static const struct option_group *const groups[] = {&own_group, &options_box, &options_common,
                                                    NULL};

const struct command command_chat = {
	.name = "chat",
	.summary = "talk with an agent in the terminal",
	.usage = "[AGENT]",
	.examples = "  signalbox chat local:ollama\n"
		    "  echo 'why is the sky blue?' | signalbox chat\n"
		    "  signalbox chat my-model --session garden\n",
	.about = "Each line is a message, and the reply is printed as it comes; till then a\n"
		 "terminal shows that the agent is typing. An AGENT is a source, by its id or a\n"
		 "name that only one has; without it the only one that can be asked, or that of\n"
		 "adapters.terminal in the configuration.\n"
		 "What the agent asks is asked here, and the next line answers it.\n"
		 "/stop, /new, /status and /help are answered by the box. Ctrl-C cancels what\n"
		 "runs, and ends; so does the end of the input.\n",
	.groups = groups,
	.run = chat,
};
