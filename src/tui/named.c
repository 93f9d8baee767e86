/* named.c - invocations as the crew has them. */
#include "tui/named.h"

#include "signal/json.h"

static yyjson_val *find_subagent(yyjson_val *member, struct text id)
{
	yyjson_arr_iter it = yyjson_arr_iter_with(yyjson_obj_get(member, "agents"));
	yyjson_val *agent;

	while (id.len && (agent = yyjson_arr_iter_next(&it)))
		if (text_equal(json_text_at(agent, "id"), id))
			return agent;
	return NULL;
}

struct named named_find(const struct sessions *sessions, const struct invoked *of)
{
	struct named who = {.member = sessions_find(sessions, of->run)};
	struct text main = json_text_at(who.member, "agentId");

	if (!who.member)
		return who;
	who.agent = find_subagent(who.member, of->session);
	if (!who.agent)
		who.agent = find_subagent(who.member, of->invoke);
	if (!who.agent && main.len && !text_equal(main, of->invoke))
		who.invoked = of->invoke;
	return who;
}

void named_add(struct buf *out, const struct named *who)
{
	struct text sub = json_text_at(who->agent, "name");

	if (!sub.len)
		sub = who->agent ? json_text_at(who->agent, "id") : who->invoked;
	buf_add(out, json_text_at(who->member, "handle"));
	if (!sub.len)
		return;
	buf_add(out, TEXT(NAMED_BETWEEN));
	buf_add(out, sub);
}

yyjson_val *named_state(const struct named *who)
{
	return yyjson_obj_get(who->agent ? who->agent : who->member, "state");
}
