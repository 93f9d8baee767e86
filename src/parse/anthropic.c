/* anthropic.c - the Messages API of Anthropic, streamed or not.
 *
 * Every event names itself twice, as the SSE event and as its `type`; proxies
 * drop the first, old tools the second, so either will do.  The counts of tokens
 * are those of the whole message so far: what is told is how many more they are
 * than when they were told last, so that token_usage signals can be added up.
 */
#include <stdlib.h>

#include "parse/blocks.h"
#include "parse/inside.h"
#include "parse/kinds.h"
#include "parse/plain.h"
#include "signal/json.h"

enum { INPUT, OUTPUT, CACHE_READ, CACHE_WRITE, CACHE_WRITE_1H, THOUGHTS, COUNTS };

/* Where they stand, and in which member of the usage. */
static const struct {
	const char *within, *name;
} count_names[COUNTS] = {
	[INPUT] = {NULL, "input_tokens"},
	[OUTPUT] = {NULL, "output_tokens"},
	[CACHE_READ] = {NULL, "cache_read_input_tokens"},
	[CACHE_WRITE] = {NULL, "cache_creation_input_tokens"},
	[CACHE_WRITE_1H] = {"cache_creation", "ephemeral_1h_input_tokens"},
	[THOUGHTS] = {"output_tokens_details", "thinking_tokens"},
};

struct anthropic {
	struct blocks blocks;
	uint64_t counts[COUNTS]; /* of the message so far */
	uint64_t told[COUNTS];
	bool has_counts, has_told;
	bool fast;
	char *message; /* its id, until its tokens were told; NULL: not known */
};

/* --- tokens ---------------------------------------------------------------------- */

/* A later event repeats only what has changed. */
static void read_usage(struct anthropic *a, yyjson_val *usage)
{
	for (int i = 0; i < COUNTS; i++) {
		yyjson_val *from = usage;

		if (count_names[i].within)
			from = yyjson_obj_get(usage, count_names[i].within);
		if (yyjson_is_num(yyjson_obj_get(from, count_names[i].name)))
			a->counts[i] = speak_count(from, count_names[i].name);
	}
	a->has_counts |= yyjson_is_obj(usage);
	a->fast |= text_is(json_text_at(usage, "speed"), "fast");
}

static uint64_t untold(struct anthropic *a, int which)
{
	uint64_t more = 0;

	if (a->counts[which] > a->told[which])
		more = a->counts[which] - a->told[which];
	a->told[which] = a->counts[which];
	return more;
}

static void anthropic_tell_usage(struct anthropic *a, struct parse *p)
{
	struct speak_usage usage = {.model = parse_agent(p), .cost = -1};

	if (!a->has_counts || (a->has_told && memcmp(a->counts, a->told, sizeof(a->told)) == 0))
		return;
	usage.input = untold(a, INPUT);
	usage.output = untold(a, OUTPUT);
	usage.cache_read = untold(a, CACHE_READ);
	usage.cache_write = untold(a, CACHE_WRITE);
	usage.cache_write_1h = untold(a, CACHE_WRITE_1H);
	/* All that was written, of which some is for an hour. */
	usage.cache_write -=
		usage.cache_write_1h < usage.cache_write ? usage.cache_write_1h : usage.cache_write;
	usage.reasoning = untold(a, THOUGHTS);
	usage.fast = a->fast;
	/* What is told later of the same message is more of it, not the same again. */
	usage.response = text_of(a->message);
	a->has_told = true;
	speak_usage(p, NULL, &usage);
	free(a->message);
	a->message = NULL;
}

/* --- events ---------------------------------------------------------------------- */

/* Where the source goes by the name of the model that was asked for, the message
 * begins with the name of the one that answers. */
static void tell_start(struct parse *p)
{
	const struct parse_options *o = parse_options(p);
	struct make_head head = {.type = "agent_state_change"};

	if (text_equal(o->source, o->agent))
		head.source = parse_agent(p);
	parse_begin_as(p, &head);
	make_text(&p->make, "agentId", parse_agent(p));
	make_text(&p->make, "from", TEXT("idle"));
	make_text(&p->make, "to", TEXT("acting"));
	make_text(&p->make, "reason", TEXT("message started"));
	parse_give(p);
}

static void anthropic_begin(struct parse *p, yyjson_val *message)
{
	struct anthropic *a = parse_state(p);

	parse_set_agent(p, json_text_at(message, "model"));
	blocks_forget_open(&a->blocks);
	free(a->message);
	a->message = text_dup(json_text_at(message, "id"));
	read_usage(a, yyjson_obj_get(message, "usage"));
	tell_start(p);
}

static void anthropic_finish(struct parse *p)
{
	struct text stop = parse_stop(p);

	anthropic_tell_usage(parse_state(p), p);
	parse_complete(p, !text_is(stop, "refusal"),
	               stop.len ? stop : TEXT("Anthropic stream completed"));
}

static void message_start(struct parse *p, yyjson_val *event)
{
	anthropic_begin(p, yyjson_obj_get(event, "message"));
}

static void block_start(struct parse *p, yyjson_val *event)
{
	struct anthropic *a = parse_state(p);

	blocks_start(&a->blocks, p, NULL, event);
}

static void block_delta(struct parse *p, yyjson_val *event)
{
	struct anthropic *a = parse_state(p);

	blocks_grow(&a->blocks, p, NULL, event);
}

static void block_stop(struct parse *p, yyjson_val *event)
{
	struct anthropic *a = parse_state(p);

	blocks_stop(&a->blocks, p, NULL, event);
}

static void message_delta(struct parse *p, yyjson_val *event)
{
	struct anthropic *a = parse_state(p);
	yyjson_val *usage = yyjson_obj_get(event, "usage");

	parse_set_stop(p, json_text_at(yyjson_obj_get(event, "delta"), "stop_reason"));
	read_usage(a, usage);
	/* What is counted before the end is told, in case that never comes; the last
	 * counts are told with it. */
	if (usage && parse_stop(p).len == 0)
		anthropic_tell_usage(a, p);
}

static void message_stop(struct parse *p, yyjson_val *event)
{
	anthropic_finish(p);
}

static void anthropic_fail(struct parse *p, yyjson_val *event)
{
	yyjson_val *error = yyjson_obj_get(event, "error");
	struct text code = json_text_at(error, "type");
	struct text message = json_text_at(error, "message");

	anthropic_tell_usage(parse_state(p), p);
	parse_fail(p, code.len ? code : TEXT("ANTHROPIC_ERROR"),
	           message.len ? message : TEXT("Anthropic error"));
}

/* An answer that was not streamed is all of the above at once. */
static void whole_message(struct parse *p, yyjson_val *message)
{
	struct anthropic *a = parse_state(p);
	yyjson_arr_iter blocks;
	yyjson_val *block;

	anthropic_begin(p, message);
	yyjson_arr_iter_init(yyjson_obj_get(message, "content"), &blocks);
	while ((block = yyjson_arr_iter_next(&blocks)))
		blocks_whole(&a->blocks, p, NULL, block);
	parse_set_stop(p, json_text_at(message, "stop_reason"));
	anthropic_finish(p);
}

static void anthropic_say_nothing(struct parse *p, yyjson_val *event)
{
}

static const struct {
	const char *name;
	void (*take)(struct parse *p, yyjson_val *event);
} kinds[] = {
	{"message_start", message_start},
	{"content_block_start", block_start},
	{"content_block_delta", block_delta},
	{"content_block_stop", block_stop},
	{"message_delta", message_delta},
	{"message_stop", message_stop},
	{"error", anthropic_fail},
	{"message", whole_message},
	{"ping", anthropic_say_nothing},
	{0},
};

static void anthropic_take(struct parse *p, const struct parse_event *event)
{
	struct text name, words = plain_text_delta(event->data);
	yyjson_val *root;
	size_t i = 0;

	if (words.len) {
		speak_written(p, "text_delta", words);
		return;
	}
	root = parse_json(p, event->data);
	name = json_text_at(root, "type");
	if (root && !yyjson_is_obj(root))
		parse_bad(p, "an event that is not an object");
	if (!yyjson_is_obj(root))
		return;
	if (name.len == 0)
		name = event->name;
	while (kinds[i].name && !text_is(name, kinds[i].name))
		i++;
	if (kinds[i].name)
		kinds[i].take(p, root);
	else
		speak_other(p, NULL, root);
}

/* The stream ended without its last word.  If the message had said why it
 * stops, nothing of it is missing. */
static void anthropic_end(struct parse *p)
{
	if (parse_stop(p).len)
		anthropic_finish(p);
}

static void anthropic_destroy(struct parse *p)
{
	struct anthropic *a = parse_state(p);

	blocks_finish(&a->blocks);
	free(a->message);
}

const struct parse_kind parse_anthropic = {
	.name = "anthropic",
	.summary = "Messages API of Anthropic",
	.framing = FRAMING_SSE,
	.is_answer = true,
	.size = sizeof(struct anthropic),
	.event = anthropic_take,
	.end = anthropic_end,
	.finish = anthropic_destroy,
};
