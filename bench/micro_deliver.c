/* The microbenchmarks of delivery.
 *
 *   bench-micro chunk   a reply of a megabyte, with code and several scripts, to pieces: 1,000 bytes */
#include "bench.h"
#include "base/buf.h"
#include "deliver/chunk.h"
#include "micro.h"

enum { REPLY = 1 << 20, PASSES = 100 };

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
	while (buf_add(reply, text_of(parts[n * 7 % 11 % (sizeof parts / sizeof parts[0])])))
		n++;
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
