/* The microbenchmarks of delivery.
 *
 *   bench-micro chunk   a reply of a megabyte, with code and several scripts, to pieces: 1,000 bytes
 *   bench-micro pipeline   the same reply in tokens of five bytes, to typing, blocks and messages
 *               that a channel accepts at once: one token */
#include "base/buf.h"
#include "bench.h"
#include "deliver/blocks.h"
#include "deliver/chunk.h"
#include "deliver/dispatch.h"
#include "deliver/typing.h"
#include "micro.h"

enum { REPLY = 1 << 20, PASSES = 100, TOKEN = 5, ANSWER = 20000, TURNS = 50 };

/* Prose, lists and code as agents write them, each paragraph another length. */
static void write_reply(struct buf *reply)
{
	static const char *const parts[] = {
		"The build fails because the header is not found. ",
		"That can be solved in two ways, of which the first is simpler and the second lasts. ",
		"Zuerst wird die Größe geprüft, dann die Länge. ",
		"変更を保存してから、もう一度実行してください。",
		"It works now! 🎉 Shall I commit it? ",
		"\n\n",
		"- `make check` passes on both machines\n- the journal keeps its order\n",
		"\n```c\nfor (size_t i = 0; i < count; i++)\n\ttotal += parts[i].len;\n```\n",
		"\n\n",
	};
	unsigned n = 0;

	buf_init(reply, REPLY);
	/* No two blocks are the same: that would be one. */
	while (buf_add(reply, text_of(parts[n * 7 % 11 % (sizeof parts / sizeof parts[0])])))
		if (++n % 5 == 0)
			buf_print(reply, "%u ", n);
}

void micro_chunk(void)
{
	const struct chunk_limit limit = {CHUNK_UTF16, 4096, 0};
	struct chunk_options options;
	struct chunk_piece piece;
	size_t made = 0, given = 0;
	struct buf reply;
	uint64_t start;

	chunk_resolve(&options, &limit, NULL, NULL, NULL);
	write_reply(&reply);
	start = cpu_ns();
	for (unsigned pass = 0; pass < PASSES; pass++) {
		struct chunker *c = chunker_create(&options);

		chunk_add(c, buf_text(&reply));
		chunk_flush(c);
		while (chunk_take(c, &piece))
			made += piece.text.len;
		given += reply.len;
		chunker_destroy(c);
	}
	if (made < given / 2)
		die("too little came out");
	report(start, (unsigned)(given / 1000));
	buf_finish(&reply);
}

/* One after the other, to a channel without a network. */
static size_t send_blocks(struct pipeline *pipeline, struct dispatch *dispatch, int64_t now_ms)
{
	struct pipeline_block block;
	struct dispatch_item item;
	size_t sent = 0;

	while (pipeline_take(pipeline, &block)) {
		item = (struct dispatch_item){DISPATCH_BLOCK, block.number, block.payload};
		if (!dispatch_enqueue(dispatch, &item, now_ms, NULL))
			pipeline_settle(pipeline, block.number, PIPELINE_SKIPPED);
	}
	while (dispatch_next(dispatch, now_ms, &item) == DISPATCH_SENDS) {
		sent += item.payload->text.len;
		dispatch_done(dispatch, item.number, now_ms);
		pipeline_settle(pipeline, item.number, PIPELINE_ACCEPTED);
	}
	return sent;
}

/* A turn of one answer; how many bytes the chat got. */
static size_t play_turn(const struct pipeline_options *options, struct text answer)
{
	struct pipeline *pipeline = pipeline_create(options);
	struct dispatch *dispatch = dispatch_create(&(struct dispatch_options){.seed = 1});
	struct typing_signaler typing;
	int64_t now_ms = 0;
	size_t sent = 0;

	typing_init(&typing, TYPING_INSTANT, TYPING_INTERVAL_MS);
	typing_run_start(&typing, now_ms);
	for (size_t at = 0; at < answer.len; at += TOKEN, now_ms += 20) {
		size_t left = answer.len - at;
		struct text token = {answer.at + at, left < TOKEN ? left : TOKEN};

		typing_text_delta(&typing, token, now_ms);
		typing_next(&typing, now_ms);
		pipeline_say(pipeline, token, now_ms);
		pipeline_tick(pipeline, now_ms);
		sent += send_blocks(pipeline, dispatch, now_ms);
	}
	pipeline_flush(pipeline);
	sent += send_blocks(pipeline, dispatch, now_ms);
	pipeline_destroy(pipeline);
	dispatch_destroy(dispatch);
	return sent;
}

void micro_pipeline(void)
{
	const struct chunk_limit limit = {CHUNK_UTF16, 4096, 0};
	const struct gather_levels levels = {0};
	struct pipeline_options options = {.hold = PIPELINE_HOLDS_AUDIO};
	unsigned tokens = 0;
	size_t sent = 0;
	struct buf reply;
	uint64_t start;

	chunk_resolve(&options.chunking, &limit, NULL, NULL, NULL);
	gather_resolve(&options.coalescing, &levels, &limit, &options.chunking);
	write_reply(&reply);
	start = cpu_ns();
	for (unsigned turn = 0; turn < TURNS; turn++)
		for (size_t at = 0; at + ANSWER <= reply.len;
		     at += ANSWER, tokens += ANSWER / TOKEN)
			sent += play_turn(&options, (struct text){reply.at + at, ANSWER});
	if (sent < (size_t)tokens * TOKEN / 4)
		die("too little came out");
	report(start, tokens);
	buf_finish(&reply);
}
