/* session.c - which signals say that their run is a session. */
#include "signal/session.h"

#include "signal/json.h"

static const struct text local = {"local/", 6};

static struct text own_name(struct text source)
{
	if (text_starts(source, local))
		source = (struct text){source.at + local.len, source.len - local.len};
	return source;
}

static bool is_of_adapter(struct text source)
{
	return text_starts(own_name(source), TEXT("adapter:"));
}

bool session_is_itself(struct text source, struct text agent)
{
	return text_equal(own_name(source), agent);
}

/* An ask says which source it goes to. */
static bool is_ask(const struct session_signal *s)
{
	return text_is(s->type, "task_dispatch") && text_is(s->source, "user") &&
	       json_text_at(s->metadata, "sourceId").len;
}

void session_read(struct session_said *out, const struct session_signal *s)
{
	struct text key = json_text_at(s->payload, "sessionKey");
	struct text owner = json_text_at(s->metadata, "sourceId");
	yyjson_val *origin = yyjson_obj_get(s->metadata, "origin");

	if (!key.len)
		key = json_text_at(s->metadata, "session");
	/* Who has no credential names no other source. */
	if (!owner.len || text_starts(s->source, local))
		owner = s->source;
	*out = (struct session_said){
		.owner = owner, .key = key, .has_names = json_text_at(origin, "dialect").len > 0};
	out->is_told = key.len || out->has_names || is_of_adapter(s->source) || is_ask(s) ||
	               text_is(s->type, "session.facts") || text_is(s->type, "session.turn");
}

bool session_is_command(struct text type, struct text source)
{
	return text_is(type, SESSION_COMMAND) && text_is(source, "signalbox");
}

bool session_is_strange(struct text owner, struct text source)
{
	return text_starts(source, local) && !text_starts(owner, local);
}
