/* startup.c - what the Control UI asks for when it opens a chat. */
#include "base/clock.h"
#include "base/put.h"
#include "crew/crew.h"
#include "gateway/follow.h"
#include "gateway/inside.h"
#include "gateway/keys.h"
#include "gateway/methods.h"
#include "run/runs.h"

#define SHORT_MAX (16 * KIB)
#define LINKS_MAX (64 * KIB)

/* A chat by a link: which session that is, and its history if it is one. */
static void start_link(const struct gateway_call *call, struct text id)
{
	const struct gateway *g = call->gateway;
	struct buf resolution, key, out;

	gateway_follow_list(call->view);
	buf_init(&resolution, LINKS_MAX);
	buf_init(&key, 2 * KIB);
	buf_init(&out, LINKS_MAX);
	if (gateway_resolve_link(g, id, &resolution, &key)) {
		gateway_history_of(call, buf_text(&key), buf_text(&resolution));
	} else {
		put_object(&out, NULL);
		put_json(&out, "resolution", buf_text(&resolution));
		put_end(&out);
		gateway_answer_buf(call, &out);
	}
	buf_finish(&resolution);
	buf_finish(&key);
	buf_finish(&out);
}

void gateway_chat_startup(const struct gateway_call *call)
{
	struct text link = json_text_at(call->params, "shortId");

	if (link.len)
		start_link(call, link);
	else
		gateway_chat_history(call);
}

/* Of an agent, or of the one that a session is with. */
void gateway_agent_identity(const struct gateway_call *call)
{
	struct text key = json_text_at(call->params, "sessionKey");
	struct text name = json_text_at(call->params, "agentId");
	char usual[GATEWAY_NAME_MAX + 1];
	struct buf out;

	if (!name.len)
		name = gateway_key_agent(key);
	if (!name.len) {
		gateway_default_agent(call->gateway, usual);
		name = text_of(usual);
	}
	buf_init(&out, SHORT_MAX);
	put_object(&out, NULL);
	put_text(&out, "agentId", name);
	put_text(&out, "name", name);
	put_word(&out, "avatarStatus", "none");
	put_end(&out);
	gateway_answer_buf(call, &out);
	buf_finish(&out);
}

/* Credentials are the sources', and nothing of them is told. */
void gateway_models_auth(const struct gateway_call *call)
{
	struct buf out;

	buf_init(&out, SHORT_MAX);
	put_object(&out, NULL);
	put_i64(&out, "ts", clock_wall_ms());
	put_list(&out, "providers");
	put_list_end(&out);
	put_end(&out);
	gateway_answer_buf(call, &out);
	buf_finish(&out);
}
