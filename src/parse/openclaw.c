/* openclaw.c - frames of an OpenClaw gateway, protocols 3 and 4.
 *
 * Documents and gateways disagree about names; both are taken (`name` and
 * `toolName`, phase `result` and `end`, members in `data` and in `payload`).  A
 * run's id is the correlationId of all its signals.  Answers to requests, pings and
 * the challenge are the transport's business and no signals; every other frame on
 * a line gives one at least.
 */
#include "base/put.h"
#include "parse/inside.h"
#include "parse/kinds.h"
#include "parse/openclaw_frame.h"

static const char agent_name[] = "openclaw";

yyjson_val *openclaw_frame_first(yyjson_val *object, const char *const *names)
{
	yyjson_val *value = NULL;

	for (; *names && (!value || yyjson_is_null(value)); names++)
		value = yyjson_obj_get(object, *names);
	return value && !yyjson_is_null(value) ? value : NULL;
}

/* --- what all signals share ------------------------------------------------------ */

/* Every type has the agent first and channel, label and session after it; the
 * catch-all `event` has what the gateway wrote. */
static void add_agent(struct openclaw_frame *f)
{
	make_text(&f->p->make, "agentId", f->agent);
	make_text(&f->p->make, "channel", f->channel);
	make_text(&f->p->make, "channelLabel", f->label);
	make_text(&f->p->make, "sessionKey", f->session);
}

void openclaw_frame_begin_bare(struct openclaw_frame *f, const char *type)
{
	yyjson_val *message = yyjson_obj_get(f->payload, "message");
	double at_ms = 0;

	if (!json_number(yyjson_obj_get(f->payload, "ts"), &at_ms))
		json_number(yyjson_obj_get(message, "timestamp"), &at_ms);
	f->has_metadata = f->has_payload = false;
	f->giving = type;
	parse_begin_as(f->p, &(struct make_head){
				     .type = type,
				     .correlation = f->run_id,
				     .at_ms = at_ms,
			     });
}

void openclaw_frame_begin(struct openclaw_frame *f, const char *type)
{
	openclaw_frame_begin_bare(f, type);
	add_agent(f);
}

void openclaw_frame_metadata(struct openclaw_frame *f)
{
	if (!f->has_metadata)
		make_metadata(&f->p->make);
	f->has_metadata = true;
}

void openclaw_frame_end(struct openclaw_frame *f)
{
	if (yyjson_is_true(yyjson_obj_get(f->payload, "isHeartbeat"))) {
		openclaw_frame_metadata(f);
		make_raw(&f->p->make, "_meta", TEXT("{\"heartbeat\":true}"));
	}
	openclaw_frame_origin(f);
	if (parse_give(f->p))
		f->has_given = true;
}

/* --- the ends of a run ----------------------------------------------------------- */

static bool is_first_end(struct gateway_run *run)
{
	bool first = !run->is_over;

	run->is_over = true;
	return first;
}

static struct text task_of(const struct openclaw_frame *f)
{
	if (f->run_id.len)
		return f->run_id;
	return f->session.len ? f->session : TEXT("unknown");
}

void openclaw_frame_complete(struct openclaw_frame *f, bool success, struct text why)
{
	if (!is_first_end(f->run))
		return;
	openclaw_frame_begin(f, "completion");
	make_text(&f->p->make, "taskId", task_of(f));
	make_bool(&f->p->make, "success", success);
	if (!success)
		make_text(&f->p->make, "result", TEXT("cancelled"));
	if (why.len) {
		openclaw_frame_metadata(f);
		make_text(&f->p->make, "stopReason", why);
	}
	openclaw_frame_end(f);
}

void openclaw_frame_fail(struct openclaw_frame *f, struct text message, struct text code)
{
	if (!is_first_end(f->run))
		return;
	openclaw_frame_begin(f, "error");
	make_text(&f->p->make, "message", message.len ? message : TEXT("Agent error"));
	make_text(&f->p->make, "severity", TEXT("error"));
	make_given(&f->p->make, "code", code);
	openclaw_frame_end(f);
}

/* --- usage and anything else ------------------------------------------------------ */

struct counts {
	uint64_t prompt, completion;
	struct text model;
};

static bool openclaw_count_of(yyjson_val *object, const char *const *names, uint64_t *out)
{
	double number;
	yyjson_val *value = openclaw_frame_first(object, names);

	if (!value || !json_number(value, &number) || !(number >= 0) || number > 1e15)
		return false;
	*out = (uint64_t)number;
	return true;
}

static bool read_counts(yyjson_val *counts, struct counts *out)
{
	static const char *const in[] = {"promptTokens", "input_tokens", "inputTokens", "input",
	                                 NULL};
	static const char *const answer[] = {"completionTokens", "output_tokens", "outputTokens",
	                                     "output", NULL};
	bool known = openclaw_count_of(counts, in, &out->prompt);

	out->model = json_text_at(counts, "model");
	return openclaw_count_of(counts, answer, &out->completion) || known;
}

static void openclaw_give_usage(struct openclaw_frame *f, const struct counts *n)
{
	struct text model = n->model;

	if (!model.len)
		model = f->run->model[0] ? text_of(f->run->model) : TEXT("unknown");
	openclaw_frame_begin(f, "token_usage");
	make_u64(&f->p->make, "promptTokens", n->prompt);
	make_u64(&f->p->make, "completionTokens", n->completion);
	make_text(&f->p->make, "model", model);
	openclaw_frame_end(f);
}

bool openclaw_frame_usage(struct openclaw_frame *f, yyjson_val *counts)
{
	struct counts n = {0};

	if (!read_counts(counts, &n))
		return false;
	openclaw_give_usage(f, &n);
	return true;
}

void openclaw_frame_usage_so_far(struct openclaw_frame *f, yyjson_val *counts)
{
	struct gateway_run *run = f->run;
	struct counts total = {0}, n;

	if (!read_counts(counts, &total))
		return;
	n = total;
	n.prompt = total.prompt > run->input ? total.prompt - run->input : 0;
	n.completion = total.completion > run->output ? total.completion - run->output : 0;
	run->input += n.prompt;
	run->output += n.completion;
	if (n.prompt || n.completion)
		openclaw_give_usage(f, &n);
}

void openclaw_frame_event(struct openclaw_frame *f)
{
	openclaw_frame_begin_bare(f, "event");
	f->has_payload = true;
	make_members(&f->p->make, f->payload);
	make_text(&f->p->make, "eventCategory", f->event);
	if (text_is(f->event, "tick"))
		make_raw(&f->p->make, "_meta", TEXT("{\"tick\":true}"));
	openclaw_frame_end(f);
}

/* Counts are wanted; where there are none at all, they are none. */
static void take_session(struct openclaw_frame *f)
{
	static const char *const any[] = {"promptTokens", "input_tokens", "completionTokens",
	                                  "output_tokens", NULL};

	if (openclaw_frame_usage(f, f->data) || openclaw_frame_usage(f, f->payload))
		return;
	if (openclaw_frame_first(f->data, any)) {
		openclaw_frame_event(f);
		return;
	}
	openclaw_frame_begin(f, "token_usage");
	make_u64(&f->p->make, "promptTokens", 0);
	make_u64(&f->p->make, "completionTokens", 0);
	make_text(&f->p->make, "model", TEXT("unknown"));
	openclaw_frame_end(f);
}

/* --- heartbeats, cron --------------------------------------------------------------- */

/* Documents put the members into `data`, gateways into the payload itself. */
static yyjson_val *inner(const struct openclaw_frame *f)
{
	return f->data ? f->data : f->payload;
}

static void take_heartbeat(struct openclaw_frame *f)
{
	openclaw_frame_begin_bare(f, "event");
	make_members(&f->p->make, inner(f));
	make_raw(&f->p->make, "_meta", TEXT("{\"heartbeat\":true}"));
	openclaw_frame_end(f);
}

static void take_cron(struct openclaw_frame *f)
{
	static const char *const names[] = {"cronJobId", "jobId", NULL};
	struct text job = json_text(openclaw_frame_first(inner(f), names));
	struct buf meta;

	buf_init(&meta, MIB);
	put_object(&meta, NULL);
	put_bool(&meta, "cron", true);
	if (job.len) {
		put_text(&meta, "cronJobId", job);
	}
	buf_add_char(&meta, '}');
	openclaw_frame_begin_bare(f, "event");
	make_members(&f->p->make, inner(f));
	make_raw(&f->p->make, "_meta", buf_text(&meta));
	openclaw_frame_end(f);
	buf_finish(&meta);
}

/* --- frames -------------------------------------------------------------------- */

/* Documents have what asks for something without an envelope: its type is the name. */
static enum openclaw_event event_of(const struct openclaw_frame *f)
{
	enum openclaw_event by_type = openclaw_event_of(f->type);

	switch (by_type) {
	case OPENCLAW_CHALLENGE:
	case OPENCLAW_HEARTBEAT:
	case OPENCLAW_CRON:
	case OPENCLAW_EXEC_REQUESTED:
	case OPENCLAW_EXEC_RESOLVED:
	case OPENCLAW_PLUGIN_REQUESTED:
	case OPENCLAW_PLUGIN_RESOLVED:
	case OPENCLAW_QUESTION_REQUESTED:
	case OPENCLAW_QUESTION_RESOLVED:
		return by_type;
	default:
		return openclaw_event_of(f->event);
	}
}

/* Numbers of agent events go on in another connection to the same process of the gateway;
 * in another process they begin anew. */
static void begin_connection(struct openclaw_parse *gateway, yyjson_val *hello)
{
	struct text boot = json_text_at(yyjson_obj_get(hello, "server"), "bootId");
	uint64_t hash = boot.len ? openclaw_hash_of(boot) : 0;

	gateway->hello++;
	gateway->protocol = (unsigned)yyjson_get_uint(yyjson_obj_get(hello, "protocol"));
	gateway->since_ms = gateway->last_ms;
	for (size_t i = 0; i < OPENCLAW_RUNS && (!hash || hash != gateway->boot); i++)
		gateway->runs[i].seq = 0;
	gateway->boot = hash;
}

/* The gateway's state as it was told at the handshake: what is not newer is known. */
static void take_hello(struct openclaw_frame *f, yyjson_val *snapshot)
{
	struct openclaw_parse *gateway = f->gateway;
	yyjson_val *version = yyjson_obj_get(snapshot, "stateVersion");
	yyjson_val *health = yyjson_obj_get(snapshot, "health");
	yyjson_val *presence = yyjson_obj_get(snapshot, "presence");

	begin_connection(gateway, f->payload);
	gateway->presence = yyjson_get_uint(yyjson_obj_get(version, "presence"));
	gateway->health = yyjson_get_uint(yyjson_obj_get(version, "health"));
	if (yyjson_obj_size(health))
		gateway->health_news = openclaw_news_of(health);
	if (presence)
		gateway->presence_news = openclaw_news_of(presence);
}

static void take_answer(struct openclaw_frame *f)
{
	yyjson_val *snapshot = yyjson_obj_get(f->payload, "snapshot");

	if (snapshot)
		take_hello(f, snapshot);
	else if (yyjson_is_arr(yyjson_obj_get(f->payload, "messages")))
		openclaw_frame_history(f);
}

static void openclaw_take_event(struct openclaw_frame *f)
{
	switch (event_of(f)) {
	case OPENCLAW_HEARTBEAT:
		take_heartbeat(f);
		break;
	case OPENCLAW_CRON:
		take_cron(f);
		break;
	case OPENCLAW_EXEC_REQUESTED:
	case OPENCLAW_PLUGIN_REQUESTED:
		openclaw_frame_approval_asked(f);
		break;
	case OPENCLAW_EXEC_RESOLVED:
	case OPENCLAW_PLUGIN_RESOLVED:
		openclaw_frame_approval_decided(f);
		break;
	case OPENCLAW_QUESTION_REQUESTED:
		openclaw_frame_question_asked(f);
		break;
	case OPENCLAW_QUESTION_RESOLVED:
		openclaw_frame_question_answered(f);
		break;
	case OPENCLAW_AGENT:
	case OPENCLAW_SESSION_TOOL:
		openclaw_frame_agent(f);
		break;
	case OPENCLAW_SESSION_MESSAGE:
		openclaw_frame_session_message(f);
		break;
	case OPENCLAW_CHAT:
		openclaw_frame_chat(f);
		break;
	case OPENCLAW_SESSION:
		take_session(f);
		break;
	default:
		if (f->event.len || f->kind == OPENCLAW_EVENT)
			openclaw_frame_event(f);
		else
			parse_bad(f->p, "a frame of an unknown type");
	}
}

static struct text text_in(const struct openclaw_frame *f, const char *name)
{
	yyjson_val *places[] = {f->payload, f->data, yyjson_obj_get(f->payload, "request")};
	struct text found = {NULL, 0};

	for (size_t i = 0; i < 3 && !found.len; i++)
		found = json_text_at(places[i], name);
	return found;
}

static struct text openclaw_agent_of(const struct openclaw_frame *f)
{
	struct text agent = json_text_at(f->data, "agentId");

	if (!agent.len)
		agent = text_in(f, "agentId");
	return agent.len ? agent : text_of(agent_name);
}

static yyjson_val *object_or_null(yyjson_val *value)
{
	return yyjson_is_obj(value) ? value : NULL;
}

/* The handshake, and what only keeps a line alive. */
static bool is_noise(const struct openclaw_frame *f)
{
	return event_of(f) == OPENCLAW_CHALLENGE || f->kind == OPENCLAW_REQ ||
	       text_is(f->type, "ping") || text_is(f->type, "pong");
}

/* Lists that changed: their changes come as events of their own. */
static bool is_of_lists(const struct openclaw_frame *f)
{
	enum openclaw_event event = event_of(f);

	return event == OPENCLAW_SYSTEM_PRESENCE || event == OPENCLAW_SESSIONS_CHANGED ||
	       event == OPENCLAW_CHAT_METADATA;
}

/* When the gateway was heard last, by its own clock. */
static void note_time(struct openclaw_frame *f)
{
	double at_ms = 0;

	if (json_number(yyjson_obj_get(f->payload, "ts"), &at_ms) && at_ms > f->gateway->last_ms)
		f->gateway->last_ms = at_ms;
}

static void know_run(struct openclaw_frame *f)
{
	f->run = gateway_run_of(f->gateway, f->run_id);
	f->run->hello = f->gateway->hello;
	if (f->session.len)
		gateway_run_in_session(f->run, f->session);
}

static void read_frame(struct openclaw_frame *f)
{
	struct openclaw_head head;

	openclaw_wire_read(f->root, &head);
	f->kind = head.kind;
	f->type = head.type;
	f->event = head.event;
	f->payload = object_or_null(head.payload);
	f->data = object_or_null(yyjson_obj_get(f->payload, "data"));
}

static void openclaw_take(struct parse *p, const struct parse_event *event)
{
	struct text raw = text_trim(event->data);
	struct openclaw_frame f = {.p = p, .gateway = parse_state(p)};

	f.root = raw.len ? parse_json(p, raw) : NULL;
	if (!f.root)
		return;
	if (!yyjson_is_obj(f.root)) {
		parse_bad(p, "a frame that is not an object");
		return;
	}
	read_frame(&f);
	if (f.kind == OPENCLAW_RES) {
		take_answer(&f);
		return;
	}
	note_time(&f);
	if (is_noise(&f))
		return;
	f.run_id = text_in(&f, "runId");
	f.agent = openclaw_agent_of(&f);
	f.channel = text_in(&f, "provider");
	f.label = text_in(&f, "label");
	f.session = text_in(&f, "sessionKey");
	know_run(&f);
	f.is_stale = openclaw_frame_is_stale(&f);
	if (!f.is_stale && !is_of_lists(&f))
		openclaw_take_event(&f);
	if (openclaw_frame_is_rest(&f))
		openclaw_frame_rest(&f);
}

static void openclaw_finish(struct parse *p)
{
	struct openclaw_parse *gateway = parse_state(p);

	buf_finish(&gateway->words);
}

const struct parse_kind parse_openclaw = {
	.name = "openclaw",
	.summary = "frames of an OpenClaw gateway, a line each",
	.framing = FRAMING_LINES,
	.size = sizeof(struct openclaw_parse),
	.event = openclaw_take,
	.finish = openclaw_finish,
};
