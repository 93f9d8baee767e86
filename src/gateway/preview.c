/* preview.c - the last of what was said in several sessions at once. */
#include "base/clock.h"
#include "base/put.h"
#include "base/utf8.h"
#include "crew/crew.h"
#include "gateway/inside.h"
#include "gateway/keys.h"
#include "gateway/methods.h"
#include "gateway/transcript.h"
#include "run/said.h"

#define KEYS_MAX 64
#define ITEMS_USUAL 12
#define ITEMS_MAX 50
#define CHARS_USUAL 240
#define CHARS_MAX 2000
#define PREVIEWS_MAX (8 * MIB)

struct preview {
	struct buf *out;
	size_t bytes; /* of an item */
};

static void put_item(void *self, const struct run *run, const struct said_message *m)
{
	const struct preview *p = self;
	struct text words = said_text(&m->text), shown = utf8_cut(words, p->bytes);

	(void)run;
	if (!words.len)
		return;
	put_object(p->out, NULL);
	put_word(p->out, "role", m->role == SAID_USER ? "user" : "assistant");
	put_text(p->out, "text", shown);
	put_end(p->out);
}

/* cold: it is being read from the journal; who asks again has it. */
static void put_preview(const struct gateway_call *call, struct text key, struct preview *p)
{
	uint64_t limit = yyjson_get_uint(yyjson_obj_get(call->params, "limit"));
	struct transcript_wish wish = {.bytes = PREVIEWS_MAX / KEYS_MAX};
	struct gateway_place place;
	struct transcript_page page;
	struct gateway_transcript past;
	bool is_there, is_known;

	wish.rows = !limit ? ITEMS_USUAL : limit > ITEMS_MAX ? ITEMS_MAX : limit;
	gateway_find_place(call->gateway, key, TEXT(""), &place);
	is_known = place.session || place.run;
	transcript_read(call->gateway, &place, false, &past);
	is_there = transcript_find(&past, &wish, &page);
	put_object(p->out, NULL);
	put_text(p->out, "key", key);
	put_word(p->out, "status",
	         !is_known    ? "missing"
	         : !is_there  ? "cold"
	         : !page.rows ? "empty"
	                      : "ok");
	put_list(p->out, "items");
	if (is_there)
		transcript_each(&past, &page, put_item, p);
	put_list_end(p->out);
	put_end(p->out);
	transcript_finish(&past);
	gateway_place_finish(&place);
}

void gateway_sessions_preview(const struct gateway_call *call)
{
	uint64_t chars = yyjson_get_uint(yyjson_obj_get(call->params, "maxChars"));
	struct preview p = {.bytes = !chars ? CHARS_USUAL : chars > CHARS_MAX ? CHARS_MAX : chars};
	struct buf out;
	yyjson_val *key;
	size_t i, max;

	buf_init(&out, PREVIEWS_MAX);
	p.out = &out;
	put_object(&out, NULL);
	put_i64(&out, "ts", clock_wall_ms());
	put_list(&out, "previews");
	yyjson_arr_foreach(yyjson_obj_get(call->params, "keys"), i, max, key)
	{
		if (i < KEYS_MAX)
			put_preview(call, json_text(key), &p);
	}
	put_list_end(&out);
	put_end(&out);
	gateway_answer_buf(call, &out);
	buf_finish(&out);
}
