/* startup.c - what the Control UI asks for when it opens a chat. */
#include "base/clock.h"
#include "base/put.h"
#include "gateway/inside.h"
#include "gateway/keys.h"
#include "gateway/methods.h"

#define SHORT_MAX (16 * KIB)

/* A chat by a part of its id: we give out no such links. */
static void refuse_link(const struct gateway_call *call)
{
	struct buf out;

	buf_init(&out, SHORT_MAX);
	put_object(&out, NULL);
	put_object(&out, "resolution");
	put_bool(&out, "ok", false);
	put_end(&out);
	put_end(&out);
	gateway_answer(call, buf_text(&out));
	buf_finish(&out);
}

void gateway_chat_startup(const struct gateway_call *call)
{
	if (yyjson_obj_get(call->params, "shortId"))
		refuse_link(call);
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
		name = usual[0] ? text_of(usual) : TEXT("main");
	}
	buf_init(&out, SHORT_MAX);
	put_object(&out, NULL);
	put_text(&out, "agentId", name);
	put_text(&out, "name", name);
	put_word(&out, "avatarStatus", "none");
	put_end(&out);
	gateway_answer(call, buf_text(&out));
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
	gateway_answer(call, buf_text(&out));
	buf_finish(&out);
}
