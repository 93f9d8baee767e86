/* triggers.c - the keys of what the box does by itself. */
#include "config/triggers.h"

#include "config/check.h"

#define IN(kind, member) offsetof(struct config_##kind, member)

static const struct field route_fields[] = {
	{"agent", FIELD_TEXT, IN(automation, route.agent) - IN(automation, route),
         "the source that is asked", .needed = true},
	{"session", FIELD_TEXT, IN(automation, route.session) - IN(automation, route),
         "one session for all that go this way"},
	{0},
};

static const struct field set_fields[] = {
	{"disable_streaming", FIELD_SWITCH,
         IN(automation, set.disable_streaming) - IN(automation, set),
         "the reply is one message, at its end", "false"},
	{0},
};

const struct field config_automation_fields[] = {
	{"when", FIELD_TEXT, IN(automation, when),
         "a condition on the message, as those of a show; not given: any message",
         .check = check_message, .tree = true},
	{"answer", FIELD_TEXT, IN(automation, answer), "the answer; no agent is asked",
         .lines = true},
	{"route", FIELD_GROUP, IN(automation, route), "another agent is asked",
         .fields = route_fields},
	{"set", FIELD_GROUP, IN(automation, set), "of this request alone", .fields = set_fields},
	{0},
};

const struct field config_route_fields[] = {
	{"when", FIELD_TEXT, IN(route, when),
         "a condition on the end of a run, as those of a show; not given: of any run",
         .check = check_condition, .tree = true},
	{"to", FIELD_TEXT, IN(route, to), "the chat, ADAPTER:PEER", .check = config_check_chat,
         .needed = true},
	{"thread", FIELD_TEXT, IN(route, thread), "a thread there"},
	{0},
};

bool config_check_automation(const void *row, size_t rows_before, struct error *why)
{
	const struct config_automation *a = row;
	unsigned count = !!a->answer + !!a->route.agent + a->set.disable_streaming;

	return count == 1 || error_set(why, "one of 'answer', 'route' and 'set' is wanted");
}
