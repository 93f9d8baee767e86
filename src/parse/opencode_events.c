/* opencode_events.c - the events of `opencode serve`, as they come by /global/event or /event.
 *
 * Each is an object with a type and properties; that of all projects has it as `payload`.
 * What says nothing of anybody's work is passed over.
 */
#include "parse/opencode_events.h"

#include "base/scan.h"
#include "parse/kinds.h"
#include "parse/opencode_state.h"

#define BIG (256 * KIB)  /* an event whose parts may not fit into one signal */
#define VALUES_MAX 65536 /* of a big one: they are what takes time, not the length of texts */

static const struct {
	const char *type;
	void (*take)(struct parse *p, yyjson_val *properties);
} kinds[] = {
	{"message.part.delta", opencode_take_delta},
	{"message.part.updated", opencode_take_part},
	{"message.updated", opencode_take_message},
	{"session.created", opencode_take_session},
	{"session.updated", opencode_take_session},
	{"session.deleted", opencode_take_deleted},
	{"session.status", opencode_take_status},
	{"session.idle", opencode_take_idle},
	{"session.error", opencode_take_failure},
	{"todo.updated", opencode_take_todos},
	{"permission.asked", opencode_take_permission},
};

struct text opencode_event_type(struct text event)
{
	struct text key, value;
	struct scan scan;

	scan_object(&scan, event);
	while (scan_key(&scan, &key)) {
		if (text_is(key, "payload"))
			scan_object(&scan, (struct text){scan.at, (size_t)(scan.end - scan.at)});
		else if (!scan_value(&scan, &value))
			break;
		else if (text_is(key, "type") && value.len > 2 && value.at[0] == '"')
			return (struct text){value.at + 1, value.len - 2};
	}
	return TEXT("");
}

bool opencode_says_nothing(struct text type)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (text_is(type, kinds[i].type))
			return false;
	/* These are of who is connected. */
	return type.len && !text_starts(type, TEXT("permission.")) &&
	       !text_starts(type, TEXT("question."));
}

void opencode_tell_pieces(struct parse *p)
{
	opencode_state(p)->in_pieces = true;
}

bool opencode_has_more(struct parse *p)
{
	return opencode_state(p)->has_more;
}

static void opencode_events_give(struct parse *p, yyjson_val *root)
{
	struct text type = json_text_at(root, "type");
	double at_ms;

	if (!type.len) {
		parse_bad(p, "an event of opencode without a type");
		return;
	}
	if (json_number(yyjson_obj_get(root, "at"), &at_ms) && at_ms > 0 && at_ms < 1e14)
		parse_set_moment(p, (int64_t)at_ms, false);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (text_is(type, kinds[i].type))
			kinds[i].take(p, yyjson_obj_get(root, "properties"));
	parse_set_moment(p, 0, false);
}

static void opencode_events_take(struct parse *p, const struct parse_event *event)
{
	yyjson_val *root, *inner;

	opencode_state(p)->has_more = false;
	if (opencode_says_nothing(opencode_event_type(event->data)))
		return;
	if (event->data.len > BIG && scan_has_more(event->data, VALUES_MAX)) {
		parse_bad(p, "an event of opencode with too many values");
		return;
	}
	root = parse_json(p, event->data);
	inner = yyjson_obj_get(root, "payload");
	if (!root)
		return;
	opencode_state(p)->is_big = event->data.len > BIG;
	opencode_events_give(p, yyjson_is_obj(inner) ? inner : root);
}

static void opencode_events_finish(struct parse *p)
{
	opencode_state_finish(parse_state(p));
}

const struct parse_kind parse_opencode_events = {
	.name = "opencode-events",
	.summary = "the events of opencode serve",
	.framing = FRAMING_SSE,
	.size = sizeof(struct opencode_events),
	.event = opencode_events_take,
	.finish = opencode_events_finish,
};
