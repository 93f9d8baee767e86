/* people.c - the keys of people in chats. */
#include "config/people.h"

#include "config/check.h"
#include "config/config.h"

#define RATE_MAX 10000

#define IN(kind, member) offsetof(struct config_##kind, member)

static const char *const answers[] = {"auto", "false", "true", NULL};
static const char *const decisions[] = {"allow", "deny", NULL};
static const char *const queues[] = {"followup", "interrupt", "collect", NULL};
static const char *const peers[] = {"any", "dm", "group", "channel", NULL};

/* "ADAPTER:SENDER" or "CHANNEL:SENDER", both there. */
static bool check_identity(struct text value, struct error *why)
{
	struct text sender, channel = text_cut(value, ':', &sender);

	return (channel.len && sender.len) ||
	       error_set(why, "'%.*s' is not ADAPTER:SENDER or CHANNEL:SENDER", TEXT_ARG(value));
}

bool config_check_chat(struct text value, struct error *why)
{
	struct text peer, adapter = text_cut(value, ':', &peer);

	return (adapter.len && peer.len) ||
	       error_set(why, "'%.*s' is not ADAPTER:PEER", TEXT_ARG(value));
}

const struct field config_person_fields[] = {
	{"name", FIELD_TEXT, IN(person, name), "how they are called", .needed = true},
	{"relationship", FIELD_TEXT, IN(person, relationship),
         "owner: may ask; others may what `access` says", "known"},
	{"identities", FIELD_TEXTS, IN(person, identities),
         "ADAPTER:SENDER, each; CHANNEL:SENDER where that is one person only",
         .check = check_identity, .count = IN(person, identity_count)},
	{0},
};

const struct field config_policy_fields[] = {
	{"who", FIELD_TEXT, IN(policy, who), "owner, known, unknown, any, or a person's name",
         "any"},
	{"channel", FIELD_TEXT, IN(policy, channel),
         "a channel or an adapter; not given: any of them"},
	{"peer", FIELD_CHOICE, IN(policy, peer), "any, dm, group, channel", "any",
         .choices = peers},
	{"mention", FIELD_SWITCH, IN(policy, mention),
         "in groups only where the agent is mentioned", "false"},
	{"decision", FIELD_CHOICE, IN(policy, decision), "allow, deny", "allow",
         .choices = decisions, .needed = true},
	{"rate", FIELD_COUNT, IN(policy, rate), "messages a minute of one sender; 0: no limit", "0",
         0, RATE_MAX},
	{"agent", FIELD_TEXT, IN(policy, agent),
         "the source that is asked, instead of the "
         "adapter's"},
	{"session", FIELD_TEXT, IN(policy, session), "one session for all that it allows"},
	{"queue", FIELD_CHOICE, IN(policy, queue),
         "of a message that comes while the agent works: followup (it waits), interrupt, "
         "collect (all that came are one question of the next turn)",
         "followup", .choices = queues},
	{"answer", FIELD_CHOICE, IN(policy, answer),
         "whether they may answer what agents ask: true, false; auto: owners may; nobody "
         "may that is not in people",
         "auto", .choices = answers},
	{0},
};

static const struct field asked_fields[] = {
	{"chat", FIELD_TEXT, IN(asked, chat), "ADAPTER:PEER", .check = config_check_chat,
         .needed = true},
	{"allow", FIELD_SWITCH, IN(asked, allow),
         "whoever has the code of a button may allow with it, too; else it only denies", "false"},
	{0},
};

const struct field config_prompts_fields[] = {
	{"to", FIELD_ROWS, IN(prompts, to), "chats that are asked what any agent asks",
         .fields = asked_fields, .count = IN(prompts, to_count),
         .size = sizeof(struct config_asked), .brief = true},
	{0},
};

/* ---- with the adapters ---- */

const struct config_adapter *config_adapter_of(const struct config *config, struct text name)
{
	for (size_t i = 0; i < config->adapter_count; i++)
		if (text_is(name, config->adapters[i].name))
			return &config->adapters[i];
	return NULL;
}

static const char *channel_of(const struct config_adapter *a)
{
	return a->channel ? a->channel : a->name;
}

/* The adapter of a channel behind that one, or the first; NULL: there is none. */
static const struct config_adapter *next_of(const struct config *config, struct text channel,
                                            const struct config_adapter *behind)
{
	for (size_t i = behind ? (size_t)(behind - config->adapters) + 1 : 0;
	     i < config->adapter_count; i++)
		if (text_is(channel, channel_of(&config->adapters[i])))
			return &config->adapters[i];
	return NULL;
}

static bool is_one_person(const struct config *config, struct text identity, struct error *why)
{
	struct text sender, prefix = text_cut(identity, ':', &sender);
	const struct config_adapter *named = config_adapter_of(config, prefix);
	const struct config_adapter *first = next_of(config, prefix, NULL), *second;

	if (named && first && !text_is(prefix, channel_of(named)))
		return error_set(why,
		                 "'%.*s': the adapter '%s' is called as the channel of '%s': give "
		                 "it another name",
		                 TEXT_ARG(identity), named->name, first->name);
	second = first ? next_of(config, prefix, first) : NULL;
	return named || !second || check_names_all(prefix) ||
	       error_set(why,
	                 "'%.*s' may be somebody else at '%s' and at '%s': write %s:%.*s or "
	                 "%s:%.*s",
	                 TEXT_ARG(identity), first->name, second->name, first->name,
	                 TEXT_ARG(sender), second->name, TEXT_ARG(sender));
}

bool config_check_identities(const struct config *config, struct error *why)
{
	for (size_t i = 0; i < config->person_count; i++) {
		const struct config_person *person = &config->people[i];

		for (size_t j = 0; j < person->identity_count; j++)
			if (!is_one_person(config, text_of(person->identities[j]), why))
				return error_within(why, "people: '%s'", person->name);
	}
	return true;
}
