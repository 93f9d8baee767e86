/* api_transcripts.c - may the texts of agents' transcripts be told? */
#include <yyjson.h>

#include "base/log.h"
#include "base/put.h"
#include "config/config.h"
#include "web/inside.h"

static const char *configured_mode(const struct call *call)
{
	static const char *const names[] = {[CONFIG_TRANSCRIPTS_OFF] = "off",
	                                    [CONFIG_TRANSCRIPTS_FACTS] = "facts",
	                                    [CONFIG_TRANSCRIPTS_TEXT] = "text"};

	return names[call->web->options.config->transcripts];
}

void api_transcripts(struct call *call)
{
	const struct web_transcripts *t = &call->web->options.transcripts;
	struct buf out;

	buf_init(&out, 1 * KIB);
	put_object(&out, NULL);
	put_bool(&out, "ok", true);
	put_word(&out, "mode", t->mode(t->self));
	put_word(&out, "configured", configured_mode(call));
	web_answer_object(call, &out);
}

/* 0: it is done; else the status of the refusal. */
static unsigned set_mode(struct call *call, struct text mode, struct error *why)
{
	const struct web_transcripts *t = &call->web->options.transcripts;
	bool is_text = text_is(mode, "text");

	if (!is_text && !text_is(mode, "facts")) {
		error_set(why, "mode must be facts or text");
		return 400;
	}
	if (call->web->options.config->transcripts != CONFIG_TRANSCRIPTS_FACTS) {
		error_set(why, "the configuration says transcripts: %s", configured_mode(call));
		return 409;
	}
	if (!t->set(t->self, is_text, why))
		return 500;
	log_info("web", "texts of transcripts are %s, says %s",
	         is_text ? "told from now on" : "told no more", call->caller.name);
	return 0;
}

void api_transcripts_set(struct call *call)
{
	yyjson_doc *doc = yyjson_read(call->body.at, call->body.len, 0);
	yyjson_val *mode = yyjson_obj_get(yyjson_doc_get_root(doc), "mode");
	struct error why;
	unsigned status =
		set_mode(call, (struct text){yyjson_get_str(mode), yyjson_get_len(mode)}, &why);

	yyjson_doc_free(doc);
	if (status)
		web_refuse(call->http, status, why.words, NULL);
	else
		api_transcripts(call);
}
