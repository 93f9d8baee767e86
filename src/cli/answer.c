/* answer.c - `signalbox answer`: what an agent asked, answered.
 *
 * What the words mean depends on what was asked, so the open prompts are looked at
 * first.  The box has the last word on whether it is an answer.
 */
#include <yyjson.h>

#include "base/put.h"
#include "cli/asked.h"
#include "cli/command.h"
#include "cli/follow.h"
#include "cli/members.h"
#include "cli/remote.h"
#include "signal/json.h"

extern const struct command command_answer;

#define ANSWER_MS 40000
#define PATH_BYTES (4 * KIB)
#define VALUE_MAX (1 * MIB)

/* ---- what the words mean ---- */

static bool is_one_of(const char *word, const char *const *words)
{
	for (; *words; words++)
		if (text_equal_nocase(text_of(word), text_of(*words)))
			return true;
	return false;
}

static void add_confirm(struct buf *out, const char *word)
{
	static const char *const yes[] = {"yes", "y", "true", NULL};
	static const char *const no[] = {"no", "n", "false", NULL};

	if (is_one_of(word, yes))
		buf_add(out, TEXT("true"));
	else if (is_one_of(word, no))
		buf_add(out, TEXT("false"));
	else
		buf_add_json(out, text_of(word));
}

/* Whichever option has this value, as it is written or as JSON, or this label. */
static yyjson_val *find_value(yyjson_val *prompt, const char *word)
{
	yyjson_arr_iter it = yyjson_arr_iter_with(yyjson_obj_get(prompt, "options"));
	yyjson_val *option, *labelled = NULL;
	struct buf json;

	while ((option = yyjson_arr_iter_next(&it))) {
		yyjson_val *value = yyjson_obj_get(option, "value");
		bool same;

		buf_init(&json, VALUE_MAX);
		json_add(&json, value);
		same = yyjson_equals_str(value, word) || text_is(buf_text(&json), word);
		buf_finish(&json);
		if (same)
			return value;
		if (yyjson_equals_str(yyjson_obj_get(option, "label"), word))
			labelled = value;
	}
	return labelled;
}

static void add_choice(struct buf *out, yyjson_val *prompt, const char *word)
{
	yyjson_val *value = find_value(prompt, word);

	if (value)
		json_add(out, value);
	else
		buf_add_json(out, text_of(word));
}

static bool is_json(const char *word)
{
	yyjson_doc *doc = yyjson_read(word, strlen(word), YYJSON_READ_BIGNUM_AS_RAW);

	yyjson_doc_free(doc);
	return doc != NULL;
}

static void add_choices(struct buf *out, yyjson_val *prompt, const struct options *options)
{
	const char *first = options->words[1];

	if (options->word_count == 2 && first[0] == '[' && is_json(first)) {
		buf_add(out, text_of(first));
		return;
	}
	buf_add_char(out, '[');
	for (size_t i = 1; i < options->word_count; i++) {
		if (i > 1)
			buf_add_char(out, ',');
		add_choice(out, prompt, options->words[i]);
	}
	buf_add_char(out, ']');
}

/* An answer with changes is an object: nobody means that as the name of an option. */
static bool is_as_it_is(const struct options *options, struct text type)
{
	const char *word = options->words[1];

	return options_has(options, "json") ||
	       (text_is(type, "select") && word[0] == '{' && is_json(word));
}

static void add_value(struct buf *out, yyjson_val *prompt, const struct options *options)
{
	struct text type = json_text_at(prompt, "type");
	const char *word = options->words[1];

	if (is_as_it_is(options, type))
		buf_add(out, text_of(word));
	else if (text_is(type, "multi"))
		add_choices(out, prompt, options);
	else if (text_is(type, "confirm"))
		add_confirm(out, word);
	else if (text_is(type, "select"))
		add_choice(out, prompt, word);
	else
		buf_add_json(out, text_of(word));
}

/* ---- the box ---- */

/* Is this the answer that does nothing? */
static bool is_safe(yyjson_val *prompt, struct text value)
{
	yyjson_arr_iter it = yyjson_arr_iter_with(yyjson_obj_get(prompt, "options"));
	bool safe = yyjson_equals_str(yyjson_obj_get(prompt, "type"), "confirm") &&
	            text_is(value, "false");
	yyjson_val *option;
	struct buf json;

	while (!safe && (option = yyjson_arr_iter_next(&it))) {
		buf_init(&json, VALUE_MAX);
		json_add(&json, yyjson_obj_get(option, "value"));
		safe = yyjson_is_true(yyjson_obj_get(option, "safe")) &&
		       text_equal(buf_text(&json), value);
		buf_finish(&json);
	}
	return safe;
}

/* What `prompts` does not show whole can be allowed by who has opened it: it printed a word. */
static bool was_seen(struct remote *remote, yyjson_val *prompt, const char *given,
                     struct error *why)
{
	struct text id = json_text_at(prompt, "id");
	yyjson_doc *doc = asked_input(remote, prompt, why);
	char word[ASKED_WORD_LEN + 1];
	bool seen;

	if (!doc)
		return false;
	asked_word(yyjson_obj_get(yyjson_doc_get_root(doc), "input"), word);
	seen = given && strcmp(given, word) == 0;
	if (!seen)
		error_set(why,
		          "not all of it was shown: `signalbox prompts %.*s` prints it, and which "
		          "--seen to give here",
		          TEXT_ARG(id));
	yyjson_doc_free(doc);
	return seen;
}

static bool post(struct remote *remote, struct text id, struct text body, struct error *why)
{
	struct remote_request request = {.method = "POST",
	                                 .type = "application/json",
	                                 .body = body,
	                                 .timeout_ms = ANSWER_MS};
	struct buf path, answer;
	bool good;

	buf_init(&path, PATH_BYTES);
	buf_add(&path, TEXT("/api/prompts/"));
	follow_add_escaped(&path, id);
	buf_add(&path, TEXT("/answer"));
	buf_add_char(&path, '\0');
	request.path = path.at;
	good = path.full ? error_set(why, "there is no such prompt")
	                 : remote_ask(remote, &request, &answer, why);
	if (good)
		buf_finish(&answer);
	buf_finish(&path);
	return good;
}

static bool answer_one(struct remote *remote, const struct options *options, struct error *why)
{
	const struct remote_request list = {
		.method = "GET", .path = "/api/prompts", .timeout_ms = ANSWER_MS};
	struct text id = text_of(options->words[0]);
	struct roll roll = {0};
	yyjson_val *prompt;
	struct buf open, value, body;
	yyjson_doc *doc;
	bool good;

	if (!remote_ask(remote, &list, &open, why))
		return false;
	doc = yyjson_read(open.at, open.len, YYJSON_READ_BIGNUM_AS_RAW);
	members_fetch(remote, &roll, why); /* without them an id will do */
	prompt = asked_find_of(yyjson_obj_get(yyjson_doc_get_root(doc), "prompts"), &roll, id);
	buf_init(&value, VALUE_MAX);
	buf_init(&body, VALUE_MAX);
	put_object(&body, NULL);
	put_word(&body, "screen", "cli");
	buf_add_char(&body, ',');
	if (options_has(options, "cancel")) {
		put_bool(&body, "cancelled", true);
		put_end(&body);
	} else {
		add_value(&value, prompt, options);
		put_json(&body, "value", buf_text(&value));
		put_end(&body);
	}
	good = !value.len || !asked_is_cut(prompt) || is_safe(prompt, buf_text(&value)) ||
	       was_seen(remote, prompt, options_value(options, "seen"), why);
	if (good)
		good = body.full || value.full
		               ? error_set(why, "the answer is too large")
		               : post(remote, prompt ? json_text_at(prompt, "id") : id,
		                      buf_text(&body), why);
	buf_finish(&value);
	buf_finish(&body);
	buf_finish(&open);
	roll_finish(&roll);
	yyjson_doc_free(doc);
	return good;
}

static int answer(struct command_context *context, const struct options *options)
{
	bool cancel = options_has(options, "cancel");
	struct error why;
	struct remote *remote;
	int status;

	if (options->word_count < (cancel ? 1 : 2) || (cancel && options->word_count > 1))
		return command_misused(&command_answer,
		                       "it takes a prompt, and a value or --cancel");
	if (options_has(options, "json") &&
	    (cancel || options->word_count > 2 || !is_json(options->words[1])))
		return command_misused(&command_answer, "--json takes one value, as JSON");
	remote = remote_create(&command_answer, context, options, &status);
	if (!remote)
		return status;
	status = STATUS_DONE;
	if (!answer_one(remote, options, &why)) {
		out_say("%s", why.words);
		status = STATUS_FAILED;
	}
	remote_destroy(remote);
	return status;
}

static const struct option own[] = {
	{"cancel", .help = "answer nothing: the agent goes on without"},
	{"json", 'j', .help = "the value is JSON"},
	{"seen", 0, "WORD", "of a prompt that is long: what `prompts ID` printed below it"},
	{0},
};
static const struct option_group own_group = {"Options", own};
static const struct option_group *const groups[] = {&own_group, &options_box, &options_common,
                                                    NULL};

const struct command command_answer = {
	.name = "answer",
	.summary = "answer a question of an agent",
	.usage = "ID|RUN VALUE... | ID|RUN --cancel",
	.examples = "  signalbox answer k5xq yes\n"
		    "  signalbox answer checkout-2 blue green\n"
		    "  signalbox answer k5xq --json '[\"blue\"]'\n",
	.about = "The id is one of `signalbox prompts`; its beginning will do if no other has it,\n"
		 "and the handle of a session stands for what it asks.\n"
		 "A confirm takes yes or no, a select the value or the label of an option, a\n"
		 "multi several, a text is taken as it is. Ends when the answer is on the disk;\n"
		 "with 1 when somebody else was first, or when it is none. What `prompts` does\n"
		 "not show whole can only be declined, until `prompts ID` has printed it.\n",
	.groups = groups,
	.run = answer,
};
