/* fields.c - every key of the configuration. */
#include "config/fields.h"

#include <assert.h>

#include "base/buf.h"
#include "config/check.h"
#include "config/config.h"

#define OWN_KEYS 24
#define GROUPS_MAX 8 /* of other rooms, behind our own keys */
#define GIB (1024.0 * MIB)
#define DAY_MS (24 * 3600e3)

#define AT(member) offsetof(struct config, member)
#define IN(kind, member) offsetof(struct config_##kind, member)

static const char *const levels[] = {"error", "warn", "info", "debug", NULL};
static const char *const formats[] = {"text", "json", NULL};
static const char *const validations[] = {"off", "warn", "strict", NULL};

static const struct field listen_fields[] = {
	{"address", FIELD_TEXT, IN(listen, address),
         "where: 127.0.0.1:PORT, [::1]:PORT; port 0 is any; others need TLS",
         .check = check_address, .needed = true},
	{"dialect", FIELD_TEXT, IN(listen, dialect), "the dialect that / and /ws speak there",
         .check = check_dialect},
	{"cert", FIELD_TEXT, IN(listen, cert),
         "for TLS: the certificate and what vouches for it, a PEM file"},
	{"key", FIELD_TEXT, IN(listen, key), "for TLS: its key, a PEM file"},
	{"local", FIELD_SCOPES, IN(listen, local),
         "on the loopback: instead of auth.local for who comes this way; never admin",
         .given = IN(listen, has_local)},
	{"origins", FIELD_TEXTS, IN(listen, origins),
         "pages that may speak the dialect there, besides those of auth.origins",
         .check = check_origin, .count = IN(listen, origin_count)},
	{"source", FIELD_TEXT, IN(listen, source), "of a dialect without credentials: whom it asks",
         .check = check_source_id},
	{"allow", FIELD_TEXTS, IN(listen, allow),
         "of a dialect without credentials: the addresses of other machines that may come in",
         .check = check_literal, .count = IN(listen, allow_count)},
	{0},
};

static const struct field log_fields[] = {
	{"level", FIELD_CHOICE, IN(log, level), "the most that is said: error, warn, info, debug",
         "info", .choices = levels},
	{"format", FIELD_CHOICE, IN(log, format), "of a line: text, json", "text",
         .choices = formats},
	{"rooms", FIELD_TEXTS, IN(log, rooms), "rooms with a level of their own: hub=debug",
         .check = log_check_room, .count = IN(log, room_count)},
	{0},
};

static const struct field token_fields[] = {
	{"name", FIELD_TEXT, IN(token, name), "how it is called in the record", .check = check_name,
         .needed = true},
	{"file", FIELD_TEXT, IN(token, file), "its file, from `data` unless it begins with /",
         .needed = true},
	{"scopes", FIELD_SCOPES, IN(token, scopes), "what it allows", .needed = true},
	{0},
};

static const struct field auth_fields[] = {
	{"local", FIELD_SCOPES, IN(auth, local),
         "what a process of ours on this machine may do without a token", "observe,emit"},
	{"hosts", FIELD_TEXTS, IN(auth, hosts), "more values that Host may have",
         .check = check_host, .count = IN(auth, host_count)},
	{"origins", FIELD_TEXTS, IN(auth, origins), "more values that Origin may have",
         .check = check_origin, .count = IN(auth, origin_count)},
	{"query", FIELD_SWITCH, IN(auth, query), "take ?token= on WebSocket upgrades", "false"},
	{"tokens", FIELD_ROWS, IN(auth, tokens), "more credentials: name, file, scopes",
         .fields = token_fields, .count = IN(auth, token_count),
         .size = sizeof(struct config_token)},
	{0},
};

static const struct field journal_fields[] = {
	{"keep", FIELD_SIZE, IN(journal, keep), "how much is kept; 0: no limit", "10GiB"},
	{"days", FIELD_COUNT, IN(journal, days), "how long it is kept; 0: no limit", "30",
         .high = 36500},
	{"segment", FIELD_SIZE, IN(journal, segment), "size of one file", "64MiB", 64 * KIB,
         4 * GIB},
	{"commit", FIELD_TIME, IN(journal, commit_ms), "the longest a signal waits to be written",
         "5ms", 0, 1000},
	{"sync", FIELD_TIME, IN(journal, sync_ms),
         "the longest it is written and not synced, if nobody waits for that", "25ms", 0, 10000},
	{0},
};

static const struct field limit_fields[] = {
	{"headers", FIELD_SIZE, IN(limits, headers), "head of a request", "16KiB", KIB, MIB},
	{"fields", FIELD_COUNT, IN(limits, fields), "header fields of a request", "100", 16, 10000},
	{"line", FIELD_SIZE, IN(limits, line), "first line of a request", "8KiB", 512, MIB},
	{"header_timeout", FIELD_TIME, IN(limits, header_ms), "for a whole head", "10s", 100,
         DAY_MS},
	{"idle_timeout", FIELD_TIME, IN(limits, idle_ms), "between two requests", "60s", 100,
         DAY_MS},
	{"body_timeout", FIELD_TIME, IN(limits, body_ms), "without a byte of a body", "30s", 100,
         DAY_MS},
	{"body", FIELD_SIZE, IN(limits, body), "body of a request", "1MiB", KIB, 64 * MIB},
	{"batch", FIELD_SIZE, IN(limits, batch), "a whole NDJSON batch", "64MiB", KIB, 1024 * GIB},
	{"message", FIELD_SIZE, IN(limits, message), "a WebSocket message, a line of a batch",
         "1MiB", KIB, 16 * MIB},
	{"fragments", FIELD_COUNT, IN(limits, fragments), "fragments of a message", "4096", 1,
         65536},
	{"message_timeout", FIELD_TIME, IN(limits, message_ms),
         "for a whole body, WebSocket message or line of a batch", "30s", 100, DAY_MS},
	{"unfinished", FIELD_SIZE, IN(limits, unfinished),
         "heads, bodies and messages of all connections that are not whole", "64MiB", MIB,
         1024 * GIB},
	{"ping", FIELD_TIME, IN(limits, ping_ms), "between two pings", "20s", 100, DAY_MS},
	{"pong", FIELD_TIME, IN(limits, pong_ms), "for the answer to a ping", "20s", 100, DAY_MS},
	{"behind", FIELD_SIZE, IN(limits, behind), "a client may be behind before its policy acts",
         "4MiB", 64 * KIB, 64 * MIB},
	{"connections", FIELD_COUNT, IN(limits, connections), "at once", "16384", 1, 1e6},
	{"rate", FIELD_COUNT, IN(limits, rate), "signals a second of one producer; 0: no limit",
         "0", 0, 1e6},
	{"caller_connections", FIELD_COUNT, IN(limits, caller_connections),
         "WebSockets and event streams of one credential at once; 0: no limit", "0", 0, 1e6},
	{"caller_subscriptions", FIELD_COUNT, IN(limits, caller_subscriptions),
         "of them, those that hear signals; 0: no limit", "0", 0, 1e6},
	{"depth", FIELD_COUNT, IN(limits, depth), "nesting of a signal's JSON", "64", 4, 1024},
	{"silence", FIELD_TIME, IN(limits, silence_ms),
         "of a model that was asked, before it is given up", "5m", 100, DAY_MS},
	{0},
};

static const struct field source_fields[] = {
	{"id", FIELD_TEXT, IN(source, id), "how it is called in signals and routes",
         .check = check_source_id, .needed = true},
	{"url", FIELD_TEXT, IN(source, url), "where it is", .check = check_source_url,
         .needed = true},
	{"name", FIELD_TEXT, IN(source, name), "how it is called on screens"},
	{"protocol", FIELD_TEXT, IN(source, protocol), "what it speaks; auto: found out", "auto",
         .check = check_protocol},
	{"model", FIELD_TEXT, IN(source, model), "which one is asked"},
	{"credential", FIELD_TEXT, IN(source, credential), "${NAME}: from the environment",
         .check = check_reference},
	{"credential_file", FIELD_TEXT, IN(source, credential_file),
         "or the file that holds it, from `data` unless it begins with /"},
	{"connect", FIELD_SWITCH, IN(source, connect), "at the start, and again when it is lost",
         "true"},
	{"human_delay", FIELD_GROUP, IN(source, human_delay),
         "pauses between blocks of what it says in chats, over those of the chat",
         .fields = config_delay_fields},
	{"tool_results", FIELD_CHOICE, IN(source, tool_results),
         "what its tools did is told in chats: off, on, full; over what the chat says", "auto",
         .choices = config_tools_words},
	{0},
};

static const struct field demo_fields[] = {
	{"speed", FIELD_NUMBER, IN(demo, speed), "of the demo; 2 is twice as fast", "1", 0.01,
         1000},
	{0},
};

static const char *const transcripts[] = {"off", "facts", "text", NULL};

static const struct field crew_fields[] = {
	{"silent", FIELD_TIME, IN(crew, silent_ms),
         "a session whose process is not known is gone after so long a silence; 0: never", "2h", 0,
         7 * DAY_MS},
	{0},
};

static const char *const desktops[] = {"auto", "off", NULL};

static const struct field notify_fields[] = {
	{"after", FIELD_TIME, IN(notify, after_ms),
         "work of so long is told when it is done; 0: none is", "5m", 0, 7 * DAY_MS},
	{"command", FIELD_TEXTS, IN(notify, command),
         "a program and its arguments, run for each matter: the words on its standard input",
         .check = check_argument, .count = IN(notify, command_count)},
	{"desktop", FIELD_CHOICE, IN(notify, desktop),
         "notifications on the desktop of this machine: auto (where there is one), off", "auto",
         .choices = desktops},
	{0},
};

static const struct field budget_fields[] = {
	{"day", FIELD_NUMBER, IN(budget, day),
         "dollars of one day, in the time zone of the box; more is told; 0: no limit", "0", 0, 1e9},
	{0},
};

static const char *const pushes[] = {"off", "public", "anywhere", NULL};

static const struct field phone_fields[] = {
	{"listen", FIELD_TEXT, IN(phone, listen),
         "where paired devices come in, by TLS, unless a listener with a certificate is there",
         "0.0.0.0:7447", .check = check_address},
	{"push", FIELD_CHOICE, IN(phone, push),
         "Web Push to paired devices: off, public (services of the internet), anywhere (also of "
         "private networks)",
         "public", .choices = pushes},
	{"contact", FIELD_TEXT, IN(phone, contact),
         "whom a push service may write to: mailto: or https:", "mailto:signalbox@example.com",
         .check = check_contact},
	{0},
};

static const struct field discover_fields[] = {
	{"interval", FIELD_TIME, IN(discover, interval_ms),
         "between two looks at this machine; 0: only when asked", "30s", 0, DAY_MS},
	{"connect", FIELD_SWITCH, IN(discover, connect),
         "connect OpenClaw when its own configuration names a token", "true"},
	{"openclaw", FIELD_TEXT, IN(discover, openclaw),
         "where it is looked for; not given: where its own configuration says",
         .check = check_local_address},
	{"lm_studio", FIELD_TEXT, IN(discover, lm_studio), "likewise", "127.0.0.1:1234",
         .check = check_local_address},
	{"ollama", FIELD_TEXT, IN(discover, ollama), "likewise", "127.0.0.1:11434",
         .check = check_local_address},
	{"codex", FIELD_TEXT, IN(discover, codex), "likewise", "127.0.0.1:4500",
         .check = check_local_address},
	{"opencode", FIELD_TEXT, IN(discover, opencode), "likewise", "127.0.0.1:4096",
         .check = check_local_address},
	{0},
};

static struct field all[OWN_KEYS + GROUPS_MAX + 1] = {
	{"data", FIELD_TEXT, AT(data), "the directory of journal, token and socket"},
	{"prices", FIELD_TEXT, AT(prices),
         "a file of prices in the place of the built-in one, from `data` unless it begins with /"},
	{"listen", FIELD_ROWS, AT(listen),
         "addresses, or maps of address, dialect, cert, key, local, origins, source, allow",
         "127.0.0.1:7446", .fields = listen_fields, .count = AT(listen_count),
         .size = sizeof(struct config_listen), .brief = true, .filled = true,
         .check_row = check_listen},
	{"log", FIELD_GROUP, AT(log), "logging", .fields = log_fields},
	{"validation", FIELD_CHOICE, AT(validation),
         "of what producers send: off, warn (admit and count), strict (refuse)", "warn",
         .choices = validations},
	{"auth", FIELD_GROUP, AT(auth), "access", .fields = auth_fields},
	{"journal", FIELD_GROUP, AT(journal), "the durable log", .fields = journal_fields},
	{"limits", FIELD_GROUP, AT(limits), "ceilings", .fields = limit_fields},
	{"discover", FIELD_GROUP, AT(discover), "discovery of services on this machine",
         .fields = discover_fields},
	{"transcripts", FIELD_CHOICE, AT(transcripts),
         "what is told of what agents leave on this machine: off, facts, text", "facts",
         .choices = transcripts},
	{"crew", FIELD_GROUP, AT(crew), "sessions of agents", .fields = crew_fields},
	{"notify", FIELD_GROUP, AT(notify), "news that reach a person without looking",
         .fields = notify_fields},
	{"budget", FIELD_GROUP, AT(budget), "money that agents may spend before a person is told",
         .fields = budget_fields},
	{"phone", FIELD_GROUP, AT(phone), "paired devices", .fields = phone_fields},
	{"demo", FIELD_GROUP, AT(demo), "the built-in scenarios", .fields = demo_fields},
	{"sources", FIELD_ROWS, AT(sources),
         "what to connect to: id, url, name, protocol, model, credential, credential_file, connect",
         .fields = source_fields, .count = AT(source_count), .size = sizeof(struct config_source)},
	{"adapters", FIELD_NAMED, AT(adapters), "chats: what each is, which agent, how it replies",
         .fields = config_adapter_fields, .count = AT(adapter_count),
         .size = sizeof(struct config_adapter), .check_row = config_check_adapter},
	{"streaming", FIELD_GROUP, AT(streaming), "how replies are sent to chats",
         .fields = config_streaming_fields},
	{"people", FIELD_ROWS, AT(people), "who writes in chats: name, relationship, identities",
         .fields = config_person_fields, .count = AT(person_count),
         .size = sizeof(struct config_person)},
	{"access", FIELD_ROWS, AT(access),
         "who may ask: the first that fits decides; none: owners, and nobody else",
         .fields = config_policy_fields, .count = AT(policy_count),
         .size = sizeof(struct config_policy)},
	{"deliver", FIELD_GROUP, AT(deliver), "words and waits of chats",
         .fields = config_deliver_fields},
	{"media", FIELD_GROUP, AT(media), "pictures and files of chats",
         .fields = config_media_fields},
	{"prompts", FIELD_GROUP, AT(prompts), "where agents ask people, besides screens",
         .fields = config_prompts_fields},
	{"automations", FIELD_ROWS, AT(automations),
         "what is done with messages before an agent is asked: when, and answer, route or set",
         .fields = config_automation_fields, .count = AT(automation_count),
         .size = sizeof(struct config_automation), .check_row = config_check_automation},
	{"routes", FIELD_ROWS, AT(routes), "which runs are told in which chats: when, to, thread",
         .fields = config_route_fields, .count = AT(route_count),
         .size = sizeof(struct config_route)},
};

const struct field *const config_fields = all;

/* ---- groups of other rooms ---- */

static size_t after(const struct field *f)
{
	static const size_t align = _Alignof(max_align_t);

	return f->type == FIELD_GROUP && f->size ? (f->offset + f->size + align - 1) / align * align
	                                         : AT(groups);
}

void config_add_group(const struct config_group *group)
{
	struct field *f = all + OWN_KEYS;
	size_t offset = AT(groups);

	assert(all[OWN_KEYS - 1].name); /* OWN_KEYS is how many there are */
	for (; f->name; f++)
		offset = after(f);
	assert(f < all + OWN_KEYS + GROUPS_MAX);
	assert(offset + group->size <= AT(groups) + CONFIG_GROUPS_SIZE);
	*f = (struct field){
		group->name,        FIELD_GROUP, offset, group->help, .fields = group->fields,
		.size = group->size};
}

const void *config_group(const struct config *config, const struct config_group *group)
{
	const struct field *f = field_find(all, text_of(group->name));

	assert(f && f->fields == group->fields);
	return (const char *)config + f->offset;
}
