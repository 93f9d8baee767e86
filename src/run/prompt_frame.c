/* prompt_frame.c - prompts in the words of the run dialect. */
#include "run/prompt_frame.h"

#include "base/put.h"
#include "base/scan.h"
#include "base/visible.h"
#include "run/inside.h"

/* Everything but the id is as it came; false when it has none. */
static bool splice(const struct prompt *p, struct buf *out)
{
	struct text frame = text_of(p->frame), key, value;
	struct scan scan;

	scan_object(&scan, frame);
	while (scan_member(&scan, &key, &value)) {
		if (!text_is(key, "prompt-id"))
			continue;
		buf_add(out, (struct text){frame.at, (size_t)(value.at - frame.at)});
		buf_add_json(out, text_of(p->id));
		buf_add(out, (struct text){value.at + value.len,
		                           (size_t)(frame.at + frame.len - value.at - value.len)});
		return true;
	}
	return false;
}

/* ---- what is too long to be decided on here ---- */

bool prompt_is_cut(const struct prompt *p)
{
	struct text note = TEXT(VISIBLE_MISSING), words = p->words;

	if (p->input_len > PROMPT_WORDS_MAX)
		return true;
	return words.len > note.len &&
	       text_equal((struct text){words.at + words.len - note.len, note.len}, note);
}

static bool is_narrowed(const struct prompt *p)
{
	return !p->frame && (p->type == PROMPT_SELECT || p->type == PROMPT_CONFIRM) &&
	       prompt_is_cut(p);
}

/* Of a choice those that are safe, of a yes or no the no. */
static void add_safe_options(const struct prompt *p, const char *options, struct buf *out)
{
	yyjson_doc *doc = options ? yyjson_read(options, strlen(options), 0) : NULL;
	yyjson_val *option;
	size_t at, count;

	if (p->type == PROMPT_CONFIRM) {
		put_object(out, NULL);
		put_word(out, "label", "No");
		put_bool(out, "value", false);
		put_bool(out, "safe", true);
		put_end(out);
		buf_add_char(out, ',');
	}
	yyjson_arr_foreach(yyjson_doc_get_root(doc), at, count, option)
	{
		if (!yyjson_is_true(yyjson_obj_get(option, "safe")))
			continue;
		json_add(out, option);
		buf_add_char(out, ',');
	}
	yyjson_doc_free(doc);
}

static void add_narrowed(const struct prompt *p, const char *options, struct buf *out)
{
	put_list(out, "options");
	add_safe_options(p, options, out);
	put_object(out, NULL);
	put_word(out, "label", "Open the page (signalbox open), where all of it is");
	put_word(out, "value", PROMPT_OPEN_PAGE);
	put_bool(out, "answers", false);
	put_end(out);
	put_list_end(out);
}

static bool is_safe(const struct prompt *p, yyjson_val *value)
{
	yyjson_doc *doc = p->options ? yyjson_read(p->options, strlen(p->options), 0) : NULL;
	bool found = p->type == PROMPT_CONFIRM && yyjson_is_false(value);
	yyjson_val *option;
	size_t at, count;

	yyjson_arr_foreach(yyjson_doc_get_root(doc), at, count, option)
	{
		found |= yyjson_is_true(yyjson_obj_get(option, "safe")) &&
		         yyjson_equals(yyjson_obj_get(option, "value"), value);
	}
	yyjson_doc_free(doc);
	return found;
}

enum prompt_offer prompt_frame_offers(const struct prompt *p, yyjson_val *value)
{
	if (!value || !is_narrowed(p) || is_safe(p, value))
		return PROMPT_OFFERED;
	return yyjson_equals_str(value, PROMPT_OPEN_PAGE) ? PROMPT_TO_THE_PAGE : PROMPT_NOT_OFFERED;
}

/* ---- for screens that know labels and values alone ---- */

/* `Allow always — RULE`: what it writes is part of what is chosen. */
static void add_label(struct buf *out, yyjson_val *option, yyjson_val *rule)
{
	struct buf label;

	buf_init(&label, 2 * PROMPT_WORDS_MAX);
	visible_add(&label, json_text(yyjson_obj_get(option, "label")), VISIBLE_MARK_LINES);
	buf_add(&label, TEXT(" \xe2\x80\x94 "));
	visible_add(&label, json_text(rule), VISIBLE_MARK_LINES);
	buf_add_json(out, buf_text(&label));
	buf_finish(&label);
}

static void add_option(struct buf *out, yyjson_val *option)
{
	static const char *const without[] = {"label", "rule", NULL};
	yyjson_val *rule = yyjson_obj_get(option, "rule");

	if (!rule) {
		json_add(out, option);
		return;
	}
	put_object(out, NULL);
	put_key(out, "label");
	add_label(out, option, rule);
	json_add_members(out, option, without, ',');
	buf_add_char(out, '}');
}

/* A screen selects the first where it is told nothing else: it is told the safe one. */
static void add_choices(struct buf *out, const struct prompt *p,
                        const struct offered_options *offer)
{
	yyjson_doc *doc =
		offer->options ? yyjson_read(offer->options, strlen(offer->options), 0) : NULL;
	yyjson_val *option, *safe = NULL;
	size_t at, count;

	if (!doc) {
		json_member_json(out, "options", offer->options);
		json_member_json(out, "default", offer->other);
		return;
	}
	yyjson_arr_foreach(yyjson_doc_get_root(doc), at, count, option)
	{
		buf_add(out, at ? TEXT(",") : TEXT(",\"options\":["));
		add_option(out, option);
		if (!safe && yyjson_is_true(yyjson_obj_get(option, "safe")))
			safe = yyjson_obj_get(option, "value");
	}
	buf_add(out, count ? TEXT("]") : TEXT(",\"options\":[]"));
	if (offer->other || !safe || p->type != PROMPT_SELECT) {
		json_member_json(out, "default", offer->other);
	} else {
		put_key(out, "default");
		json_add(out, safe);
	}
	yyjson_doc_free(doc);
}

/* The words with nothing invisible in them. */
static void show(struct buf *seen, struct text words)
{
	buf_init(seen, VISIBLE_GROWTH * words.len);
	visible_add(seen, words, VISIBLE_KEEP_LINES);
}

static bool is_plain(struct text words)
{
	struct buf seen;
	bool plain;

	show(&seen, words);
	plain = text_equal(buf_text(&seen), words);
	buf_finish(&seen);
	return plain;
}

static void add_words(struct buf *out, struct text words)
{
	struct buf seen;

	show(&seen, words);
	buf_add_json(out, buf_text(&seen));
	buf_finish(&seen);
}

/* ---- the frame ---- */

static void make(const struct prompt *p, const struct offered_options *offer, struct buf *out)
{
	bool narrowed = is_narrowed(p);

	put_object(out, NULL);
	put_word(out, "kind", "prompt");
	put_word(out, "prompt-id", p->id);
	put_word(out, "session-id", p->run);
	put_key(out, "invokeid");
	if (p->invoke.at)
		buf_add_json(out, p->invoke);
	else
		buf_add(out, TEXT("null"));
	put_word(out, "type", narrowed ? "select" : prompt_type_name(p->type));
	put_object(out, "opts");
	put_key(out, "prompt");
	add_words(out, p->words);
	if (narrowed)
		add_narrowed(p, offer->options, out);
	else
		add_choices(out, p, offer);
	put_end(out);
	put_end(out);
}

/* The agent's own frame has all that it offers, with its own spelling: it is sent only where
 * nothing of it is left out, and where its words hide nothing. */
void prompt_frame(const struct prompt *p, enum answers may, struct buf *out)
{
	struct offered_options offer;
	bool is_whole;

	offered_options_init(&offer, p, may);
	is_whole = (!offer.made || strcmp(offer.made, p->options) == 0) && is_plain(p->words);
	if (!p->frame || !is_whole || !splice(p, out))
		make(p, &offer, out);
	offered_options_finish(&offer);
}

void prompt_closed_frame(const struct prompt *p, struct buf *out)
{
	put_object(out, NULL);
	put_word(out, "kind", "prompt-closed");
	put_word(out, "prompt-id", p->id);
	put_word(out, "state", prompt_state_name(p->state));
	json_member_json(out, "by", p->by);
	json_member_json(out, "settled", p->settled);
	buf_add_char(out, '}');
}

void prompt_answer_frame(const struct prompt *p, struct buf *out)
{
	put_object(out, NULL);
	put_word(out, "kind", "answer");
	put_text(out, "prompt-id", p->own_id.at ? p->own_id : text_of(p->id));
	if (p->value) {
		put_json(out, "value", text_of(p->value));
		put_end(out);
	} else {
		put_bool(out, "cancelled", true);
		put_end(out);
	}
}
