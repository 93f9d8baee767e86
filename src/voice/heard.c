/* heard.c - see heard.h. */
#include "voice/heard.h"

#include <yyjson.h>

#include "parse/fault.h"
#include "signal/json.h"

#define EVENT_MAX (256 * KIB)
#define NO_SHAPE "the engine's answer has another shape than OpenAI's"

static void break_off(struct heard_answer *heard, const char *why)
{
	if (!heard->is_over)
		error_set(&heard->why, "%s", why);
	heard->is_over = true;
}

/* ---- words ---- */

static bool heard_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* A space at their begin or end stands between two words. */
static void heard_put(struct heard_answer *heard, struct text words)
{
	struct buf *all = &heard->words;

	for (size_t i = 0; i < words.len; i++) {
		bool is_first = all->len == 0 || all->at[all->len - 1] == ' ';

		if (!heard_space(words.at[i]))
			buf_add_char(all, words.at[i]);
		else if (!is_first)
			buf_add_char(all, ' ');
	}
	if (all->full)
		break_off(heard, "the engine heard more words than an utterance has");
}

static void set_words(struct heard_answer *heard, struct text words)
{
	buf_clear(&heard->words);
	heard_put(heard, words);
	heard->is_over = true;
}

bool heard_is_speech(struct text words)
{
	words = text_trim(words);
	if (!words.len)
		return false;
	for (const char *pair = "[](){}**"; *pair; pair += 2)
		if (words.at[0] == pair[0] && words.at[words.len - 1] == pair[1] &&
		    text_find((struct text){words.at + 1, words.len - 1}, pair[1]) ==
		            (int)words.len - 2)
			return false;
	return true;
}

/* ---- JSON ---- */

static void quote_fault(struct heard_answer *heard, yyjson_val *root)
{
	struct text said = fault_message(root);
	struct error why;

	error_set(&why, "the engine says: %.*s", TEXT_ARG(said));
	break_off(heard, said.len ? why.words : "the engine says that it failed, and not why");
}

static bool is_fault(yyjson_val *root)
{
	return yyjson_obj_get(root, "error") || text_is(json_text_at(root, "type"), "error");
}

static void hear_whole(struct heard_answer *heard, yyjson_val *root)
{
	yyjson_val *text = yyjson_obj_get(root, "text");

	if (yyjson_is_str(text))
		set_words(heard, json_text(text));
	else if (is_fault(root))
		quote_fault(heard, root);
	else
		break_off(heard, NO_SHAPE);
}

static void read_whole(struct heard_answer *heard)
{
	yyjson_doc *doc = yyjson_read(heard->body.at, heard->body.len, 0);

	if (doc)
		hear_whole(heard, yyjson_doc_get_root(doc));
	else
		break_off(heard, "the engine's answer is no JSON");
	yyjson_doc_free(doc);
}

/* Unknown events are passed over. */
static void hear_part(struct heard_answer *heard, yyjson_val *root)
{
	struct text type = json_text_at(root, "type");
	yyjson_val *text = yyjson_obj_get(root, "text");

	if (text_is(type, "transcript.text.delta")) {
		heard->is_parted = true;
		heard_put(heard, json_text_at(root, "delta"));
	} else if (text_is(type, "transcript.text.done") && yyjson_is_str(text)) {
		set_words(heard, json_text(text));
	} else if (is_fault(root)) {
		quote_fault(heard, root);
	} else if (!type.len && yyjson_is_str(text)) {
		heard_put(heard, TEXT(" "));
		heard_put(heard, json_text(text));
	}
}

static void heard_event(void *self, const struct parse_event *event)
{
	struct heard_answer *heard = self;
	yyjson_doc *doc;

	if (heard->is_over || text_is(event->data, "[DONE]"))
		return;
	doc = yyjson_read(event->data.at, event->data.len, 0);
	if (doc)
		hear_part(heard, yyjson_doc_get_root(doc));
	else
		break_off(heard, "an event of the engine is no JSON");
	yyjson_doc_free(doc);
}

static void event_is_too_long(void *self)
{
	break_off(self, "an event of the engine is too long");
}

/* ---- bytes ---- */

void heard_init(struct heard_answer *heard)
{
	*heard = (struct heard_answer){.form = HEARD_JSON};
	sse_reader_init(&heard->events, EVENT_MAX);
	heard->events.self = heard;
	heard->events.event = heard_event;
	heard->events.too_long = event_is_too_long;
	buf_init(&heard->body, HEARD_ANSWER_MAX);
	buf_init(&heard->words, HEARD_WORDS_MAX);
}

void heard_finish(struct heard_answer *heard)
{
	sse_reader_finish(&heard->events);
	buf_finish(&heard->body);
	buf_finish(&heard->words);
}

bool heard_begin(struct heard_answer *heard, struct text content_type, struct error *why)
{
	struct text rest, type = text_trim(text_cut(content_type, ';', &rest));

	if (text_equal_nocase(type, TEXT("text/event-stream")))
		heard->form = HEARD_STREAM;
	else if (text_equal_nocase(type, TEXT("text/plain")))
		heard->form = HEARD_PLAIN;
	else if (type.len && !text_equal_nocase(type, TEXT("application/json")))
		return error_set(why, "the engine answers with %.*s, not with words in JSON",
		                 (int)(type.len < 80 ? type.len : 80), type.at);
	return true;
}

static enum heard_news news_of(const struct heard_answer *heard, size_t before)
{
	if (heard->is_over)
		return heard->why.words[0] ? HEARD_BROKEN : HEARD_ALL;
	return heard->words.len > before ? HEARD_SOME : HEARD_NOTHING;
}

enum heard_news heard_feed(struct heard_answer *heard, struct text bytes)
{
	size_t before = heard->words.len;

	if (heard->form == HEARD_STREAM)
		sse_reader_feed(&heard->events, bytes);
	else if (!buf_add(&heard->body, bytes))
		break_off(heard, "the engine's answer is too long");
	return news_of(heard, before);
}

enum heard_news heard_end(struct heard_answer *heard)
{
	if (heard->form == HEARD_JSON) {
		read_whole(heard);
	} else if (heard->form == HEARD_PLAIN) {
		set_words(heard, buf_text(&heard->body));
	} else {
		sse_reader_end(&heard->events);
		if (heard->is_parted)
			break_off(heard, "the engine's answer broke off");
		heard->is_over = true;
	}
	return news_of(heard, 0);
}
