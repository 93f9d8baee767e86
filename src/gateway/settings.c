/* settings.c - the keys of the gateway dialect in the configuration. */
#include "config/fields.h"
#include "gateway/inside.h"
#include "gateway/keys.h"

#define IN(member) offsetof(struct gateway_config, member)

/* It stands between colons in the keys of sessions. */
static bool check_name(struct text name, struct error *why)
{
	for (size_t i = 0; i < name.len; i++) {
		char c = name.at[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '-' && c != '_')
			return error_set(why, "a name has small letters, digits, - and _");
	}
	return (name.len && name.len <= GATEWAY_NAME_MAX) ||
	       error_set(why, "a name has 1 to %d characters", GATEWAY_NAME_MAX);
}

static const struct field agent_fields[] = {
	{"name", FIELD_TEXT, offsetof(struct gateway_agent, name), "how clients call it",
         .check = check_name},
	{"source", FIELD_TEXT, offsetof(struct gateway_agent, source), "the source that is asked"},
	{0},
};

static const char *const switches[] = {"off", "on", NULL};
static const char *const lengths[] = {"short", "full", NULL};

static const struct field fields[] = {
	{"agents", FIELD_MAP, IN(agents), "names of agents for clients, and their sources",
         .fields = agent_fields, .count = IN(agent_count), .size = sizeof(struct gateway_agent)},
	{"default_agent", FIELD_TEXT, IN(default_agent), "whom a client asks that names nobody",
         .check = check_name},
	{"relay", FIELD_TEXT, IN(relay), "an OpenClaw source that gets methods we do not have"},
	{"tick", FIELD_TIME, IN(tick_ms), "between two signs of life", "30s", 1000, 600000},
	{"pace", FIELD_TIME, IN(pace_ms), "text is gathered for so long; 0ms: not at all", "75ms",
         0, 10000},
	{"snapshot_rate", FIELD_SIZE, IN(snapshot_rate),
         "bytes a second of repeated text, of one run to one client", "128KiB", KIB, 1024 * MIB},
	{"text", FIELD_CHOICE, IN(text),
         "the whole text in frames that add to it: up to 4 KiB, or always", "short",
         .choices = lengths},
	{"max_payload", FIELD_SIZE, IN(max_payload), "of one message of a client", "1MiB", 64 * KIB,
         25 * MIB},
	{"max_buffered", FIELD_SIZE, IN(max_buffered),
         "a slow client may be owed before it is closed", "50MiB", MIB, 1024 * MIB},
	{"pairing", FIELD_CHOICE, IN(pairing), "devices may come in by keys of their own", "on",
         .choices = switches},
	{0},
};

const struct config_group gateway_settings = {
	.name = "gateway",
	.help = "clients of OpenClaw",
	.fields = fields,
	.size = sizeof(struct gateway_config),
};
