/* chunk_test.c - pieces read well, lose nothing and fit: 100,000 generated texts, fewer where a
 * sanitizer makes all slower, or as many as CHUNK_TEXTS says. */
#include "deliver/chunk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/grapheme.h"
#include "base/must.h"
#include "base/utf8.h"

/* --- what a text is cut into ---------------------------------------------------------- */

enum { PIECES_MAX = 4096 };

struct told {
	char *text;
	size_t len, body, body_len;
	enum chunk_gap gap;
	bool ends_paragraph;
};

struct telling {
	struct told pieces[PIECES_MAX];
	unsigned count;
};

static void take_all(struct chunker *c, struct telling *to)
{
	struct chunk_piece p;

	while (chunk_take(c, &p)) {
		assert_true(to->count < PIECES_MAX);
		to->pieces[to->count++] = (struct told){
			text_dup(p.text), p.text.len, (size_t)(p.body.at - p.text.at),
			p.body.len,       p.gap,      p.ends_paragraph,
		};
	}
}

static void forget(struct telling *told)
{
	for (unsigned i = 0; i < told->count; i++)
		free(told->pieces[i].text);
	told->count = 0;
}

static uint64_t draw(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* All at once without a seed, else in tokens of 1 to 9 bytes. */
static void tell(const struct chunk_options *options, struct text t, uint64_t seed,
                 struct telling *to)
{
	struct chunker *c = chunker_create(options);

	to->count = 0;
	while (t.len) {
		size_t n = seed ? draw(&seed) % 9 + 1 : t.len;

		if (n > t.len)
			n = t.len;
		assert_true(chunk_add(c, (struct text){t.at, n}));
		take_all(c, to);
		t = (struct text){t.at + n, t.len - n};
	}
	chunk_flush(c);
	take_all(c, to);
	assert_int_equal(chunk_held(c).len, 0);
	chunker_destroy(c);
}

static struct telling once, again;

static void expect(const struct chunk_options *options, const char *text, const char *const *pieces)
{
	unsigned i = 0;

	tell(options, text_of(text), 0, &once);
	for (; pieces[i]; i++) {
		if (i < once.count)
			assert_string_equal(once.pieces[i].text, pieces[i]);
		else
			fail_msg("no piece %u: %s", i, pieces[i]);
	}
	assert_int_equal(once.count, i);
	forget(&once);
}

#define EXPECT(options, text, ...) expect(options, text, (const char *const[]){__VA_ARGS__, NULL})

static struct chunk_options options_of(size_t min, size_t max)
{
	return (struct chunk_options){CHUNK_UTF16, min, max, 0, CHUNK_PARAGRAPH, 0};
}

/* --- the configuration ---------------------------------------------------------------- */

static const struct chunk_limit telegram = {CHUNK_UTF16, 4096, 0};

static void defaults_are_800_and_1200_between_paragraphs(void **state)
{
	struct chunk_options o;

	chunk_resolve(&o, &telegram, NULL, NULL, NULL);
	assert_int_equal(o.min_chars, 800);
	assert_int_equal(o.max_chars, 1200);
	assert_int_equal(o.break_preference, CHUNK_PARAGRAPH);
	assert_int_equal(o.paragraph_from, 0);
	assert_int_equal(o.unit, CHUNK_UTF16);
}

static void the_account_is_over_the_channel_is_over_the_rest(void **state)
{
	const struct chunk_wish general = {100, 2000, CHUNK_SENTENCE, CHUNK_ON};
	const struct chunk_wish channel = {200, 0, CHUNK_NEWLINE, CHUNK_AS_ABOVE};
	const struct chunk_wish account = {0, 1500, CHUNK_UNSET, CHUNK_OFF};
	struct chunk_options o;

	chunk_resolve(&o, &telegram, &general, NULL, NULL);
	assert_int_equal(o.min_chars, 100);
	assert_int_equal(o.max_chars, 2000);
	assert_int_equal(o.break_preference, CHUNK_SENTENCE);
	assert_int_equal(o.paragraph_from, 1);
	chunk_resolve(&o, &telegram, &general, &channel, &account);
	assert_int_equal(o.min_chars, 200);
	assert_int_equal(o.max_chars, 1500);
	assert_int_equal(o.break_preference, CHUNK_NEWLINE);
	assert_int_equal(o.paragraph_from, 0);
}

static void the_limit_of_the_channel_clamps_both(void **state)
{
	const struct chunk_limit sms = {CHUNK_BYTES, 160, 2};
	const struct chunk_wish large = {3000, 9000, CHUNK_UNSET, CHUNK_AS_ABOVE};
	const struct chunk_wish small = {1, 1, CHUNK_UNSET, CHUNK_AS_ABOVE};
	const struct chunk_wish crossed = {900, 100, CHUNK_UNSET, CHUNK_AS_ABOVE};
	struct chunk_options o;

	chunk_resolve(&o, &sms, &large, NULL, NULL);
	assert_int_equal(o.max_chars, 160);
	assert_int_equal(o.min_chars, 53); /* a third of it, as it was wished */
	assert_int_equal(o.max_lines, CHUNK_LEAST_LINES);
	chunk_resolve(&o, &telegram, &small, NULL, NULL);
	assert_int_equal(o.max_chars, CHUNK_LEAST_CHARS);
	assert_int_equal(o.min_chars, 1);
	chunk_resolve(&o, &telegram, &crossed, NULL, NULL);
	assert_int_equal(o.max_chars, 900);
	assert_int_equal(o.min_chars, 900);
}

/* --- lengths ---------------------------------------------------------------------------- */

static void each_unit_counts_its_own_way(void **state)
{
	struct text t = TEXT("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");

	assert_int_equal(chunk_length(CHUNK_BYTES, t), 10);
	assert_int_equal(chunk_length(CHUNK_POINTS, t), 4);
	assert_int_equal(chunk_length(CHUNK_UTF16, t), 5);
	assert_int_equal(chunk_reach(CHUNK_BYTES, t, 9), 6);
	assert_int_equal(chunk_reach(CHUNK_BYTES, t, 5), 3);
	assert_int_equal(chunk_reach(CHUNK_BYTES, t, 99), 10);
	assert_int_equal(chunk_reach(CHUNK_UTF16, t, 4), 6);
	assert_int_equal(chunk_reach(CHUNK_UTF16, t, 5), 10);
	assert_int_equal(chunk_reach(CHUNK_POINTS, t, 2), 3);
	assert_int_equal(chunk_reach(CHUNK_POINTS, t, 0), 0);
	assert_int_equal(chunk_length(CHUNK_POINTS, TEXT("")), 0);
}

static void long_texts_are_measured_alike(void **state)
{
	char text[3000];
	struct text t = {text, sizeof(text)};

	for (size_t i = 0; i < sizeof(text); i += 3)
		memcpy(text + i, "\xE2\x82\xAC", 3);
	assert_int_equal(chunk_length(CHUNK_UTF16, t), 1000);
	for (size_t n = 0; n <= 1000; n++)
		assert_int_equal(chunk_reach(CHUNK_UTF16, t, n), 3 * n);
}

/* --- where cuts fall ---------------------------------------------------------------------- */

static void nothing_is_cut_before_more_than_max_is_there(void **state)
{
	struct chunk_options o = options_of(10, 40);
	struct chunker *c = chunker_create(&o);
	struct chunk_piece p;

	chunk_add(c, TEXT("Ten and more characters.\n\nAnd a para."));
	assert_false(chunk_take(c, &p));
	chunk_add(c, TEXT(" It goes"));
	assert_true(chunk_take(c, &p));
	assert_true(text_is(p.text, "Ten and more characters."));
	assert_true(p.ends_paragraph);
	assert_false(chunk_take(c, &p));
	assert_int_equal(chunk_held(c).len, 19);
	chunker_destroy(c);
}

static void a_flush_sends_what_there_is(void **state)
{
	struct chunk_options o = options_of(800, 1200);
	struct chunker *c = chunker_create(&o);
	struct chunk_piece p;

	chunk_flush(c);
	assert_false(chunk_take(c, &p));
	chunk_add(c, TEXT("Hi."));
	assert_false(chunk_take(c, &p));
	chunk_flush(c);
	assert_true(chunk_take(c, &p));
	assert_true(text_is(p.text, "Hi."));
	assert_false(chunk_take(c, &p));
	chunk_add(c, TEXT(" There."));
	assert_false(chunk_take(c, &p));
	chunk_flush(c);
	assert_true(chunk_take(c, &p));
	assert_true(text_is(p.text, "There."));
	assert_int_equal(p.gap, CHUNK_GAP_SPACE);
	chunk_add(c, TEXT(" \n\n "));
	chunk_flush(c);
	assert_false(chunk_take(c, &p));
	assert_int_equal(chunk_held(c).len, 0);
	chunker_destroy(c);
}

static void the_last_paragraph_from_min_on_is_best(void **state)
{
	struct chunk_options o = options_of(10, 40);

	EXPECT(&o, "A.\n\nBcdefg hijk.\n\nLmnop qr.\n\nstuvwxyz abcdefghij",
	       "A.\n\nBcdefg hijk.\n\nLmnop qr.", "stuvwxyz abcdefghij");
	/* One before min is none: the sentence is taken. */
	EXPECT(&o, "A.\n\nBcdefg hijk. Lmnop qr stuvwxyz abcdefghij", "A.\n\nBcdefg hijk.",
	       "Lmnop qr stuvwxyz abcdefghij");
}

static void then_a_line_then_a_sentence_then_a_word_then_anything(void **state)
{
	struct chunk_options o = options_of(10, 40);

	EXPECT(&o, "One two three. Four\nfive six seven eight nine ten", "One two three. Four",
	       "five six seven eight nine ten");
	EXPECT(&o, "One two three. Four five! Six seven eight nine ten",
	       "One two three. Four five!", "Six seven eight nine ten");
	EXPECT(&o, "One two three four.five 3.14 seven eight9 nine",
	       "One two three four.five 3.14 seven", "eight9 nine");
	EXPECT(&o, "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeee",
	       "aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd", "eeeee");
}

static void the_preference_says_where_to_begin(void **state)
{
	static const char text[] = "One two three. Four\n\nfive six.\nseven e. Eight nine ten";
	struct chunk_options o = options_of(10, 42);

	EXPECT(&o, text, "One two three. Four", "five six.\nseven e. Eight nine ten");
	o.break_preference = CHUNK_NEWLINE;
	EXPECT(&o, text, "One two three. Four\n\nfive six.", "seven e. Eight nine ten");
	o.break_preference = CHUNK_SENTENCE;
	EXPECT(&o, text, "One two three. Four\n\nfive six.\nseven e.", "Eight nine ten");
	/* Lines before sentences, words behind lines. */
	o.break_preference = CHUNK_NEWLINE;
	EXPECT(&o, "One two three. Four five six seven eight nine ten",
	       "One two three. Four five six seven eight", "nine ten");
	/* With sentences an end of a line is an end of a word. */
	o.break_preference = CHUNK_SENTENCE;
	EXPECT(&o, "One two three four five six seven\neightnineteneleven",
	       "One two three four five six seven", "eightnineteneleven");
}

static void sentences_without_spaces_end_too(void **state)
{
	struct chunk_options o = options_of(10, 32);

	EXPECT(&o, "一二三四五六七八九十。一二三四五六七八九十！一二三四五六七八九十一二",
	       "一二三四五六七八九十。一二三四五六七八九十！", "一二三四五六七八九十一二");
}

static void flush_on_paragraph_sends_each_at_once(void **state)
{
	struct chunk_options o = options_of(800, 1200);
	struct chunker *c;
	struct chunk_piece p;

	o.paragraph_from = 1;
	c = chunker_create(&o);
	chunk_add(c, TEXT("A.\n"));
	assert_false(chunk_take(c, &p));
	chunk_add(c, TEXT(" \t\n\n\nB."));
	assert_true(chunk_take(c, &p));
	assert_true(text_is(p.text, "A."));
	assert_true(p.ends_paragraph);
	assert_false(chunk_take(c, &p));
	chunk_add(c, TEXT("\r\n\r\nC"));
	assert_true(chunk_take(c, &p));
	assert_true(text_is(p.text, "B."));
	assert_int_equal(p.gap, CHUNK_GAP_PARAGRAPH);
	chunker_destroy(c);
	EXPECT(&o, "\n\nA.\n\n```\nx\n\ny\n```\n\nB", "\n\nA.", "```\nx\n\ny\n```", "B");
}

static void flush_on_paragraph_ignores_min_when_it_must_cut(void **state)
{
	struct chunk_options o = options_of(30, 40);

	o.paragraph_from = 1;
	EXPECT(&o, "One two. threefourfivesixseveneightnineteneleven", "One two.",
	       "threefourfivesixseveneightnineteneleven");
}

static void a_paragraph_may_leave_from_a_length_on(void **state)
{
	struct chunk_options o = options_of(10, 100);

	o.paragraph_from = 10;
	EXPECT(&o, "A.\n\nBcdefghijk.\n\nLm.\n\nN.", "A.\n\nBcdefghijk.", "Lm.\n\nN.");
}

static void space_at_a_cut_is_left_out_and_indentation_stays(void **state)
{
	struct chunk_options o = options_of(10, 40);

	EXPECT(&o, "One two three.\n\n\n   \n  four five six seven eight nine", "One two three.",
	       "  four five six seven eight nine");
	/* Nothing but space is no piece. */
	EXPECT(&o, "                                                        a", "a");
	EXPECT(&o, "One two three.\r\n\r\nfour five six seven eight nine", "One two three.",
	       "four five six seven eight nine");
}

static void pieces_say_what_stood_between_them(void **state)
{
	struct chunk_options o = options_of(10, 40);

	tell(&o,
	     TEXT("One two three four.\n\nFive six seven eight nin ten eleven "
	          "twelve thirteen.\nFourteen fifteen sixteen seventeen "
	          "eighteeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeen"),
	     0, &once);
	assert_int_equal(once.count, 6);
	assert_int_equal(once.pieces[0].gap, CHUNK_GAP_NONE);
	assert_int_equal(once.pieces[1].gap, CHUNK_GAP_PARAGRAPH);
	assert_int_equal(once.pieces[2].gap, CHUNK_GAP_SPACE);
	assert_int_equal(once.pieces[3].gap, CHUNK_GAP_LINE);
	assert_int_equal(once.pieces[4].gap, CHUNK_GAP_SPACE);
	assert_int_equal(once.pieces[5].gap, CHUNK_GAP_NONE);
	assert_true(once.pieces[0].ends_paragraph);
	assert_false(once.pieces[1].ends_paragraph);
	assert_string_equal(chunk_gap_text(CHUNK_GAP_PARAGRAPH).at, "\n\n");
	assert_string_equal(chunk_gap_text(CHUNK_GAP_LINE).at, "\n");
	assert_string_equal(chunk_gap_text(CHUNK_GAP_SPACE).at, " ");
	assert_int_equal(chunk_gap_text(CHUNK_GAP_NONE).len, 0);
	forget(&once);
}

/* --- clusters ------------------------------------------------------------------------------ */

static void no_cluster_is_cut(void **state)
{
	struct chunk_options o = {CHUNK_UTF16, 32, 32, 0, CHUNK_PARAGRAPH, 0};

	/* A family is eight units, and stands at 30 of 32. */
	EXPECT(&o, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa👨‍👩‍👧b",
	       "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "👨‍👩‍👧b");
	EXPECT(&o, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa🇩🇪b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "🇩🇪b");
	EXPECT(&o,
	       "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaae\xCC\x81"
	       "b",
	       "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	       "e\xCC\x81"
	       "b");
	/* A space with an accent is no space. */
	EXPECT(&o,
	       "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa \xCC\x88"
	       "b",
	       "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	       " \xCC\x88"
	       "b");
}

static void a_cluster_longer_than_a_piece_is_cut_between_characters(void **state)
{
	struct chunk_options o = {CHUNK_POINTS, 32, 32, 0, CHUNK_PARAGRAPH, 0};
	char text[1 + 2 * 100 + 1] = "e";

	for (unsigned i = 0; i < 100; i++)
		memcpy(text + 1 + 2 * i, "\xCC\x81", 2);
	tell(&o, text_of(text), 0, &once);
	assert_int_equal(once.count, 4);
	for (unsigned i = 0; i < 4; i++)
		assert_true(utf8_is_valid(text_of(once.pieces[i].text)));
	forget(&once);
}

/* --- fences -------------------------------------------------------------------------------- */

static void a_cut_in_a_fence_closes_it_and_opens_it_again(void **state)
{
	struct chunk_options o = options_of(20, 40);

	EXPECT(&o, "Look:\n```py\nfirst = 1\nsecond = 2\nthird = 3\nfourth = 4\n```\nDone.",
	       "Look:\n```py\nfirst = 1\nsecond = 2\n```\n",
	       "```py\nthird = 3\nfourth = 4\n```\nDone.");
	/* With the same indent and as many marks. */
	EXPECT(&o, "  ~~~~ c x\nint first = 1;\nint second = 2;\nint t = 3;\n  ~~~~",
	       "  ~~~~ c x\nint first = 1;\n  ~~~~\n", "  ~~~~ c x\nint second = 2;\n  ~~~~\n",
	       "  ~~~~ c x\nint t = 3;\n  ~~~~");
}

static void no_good_place_lies_in_a_fence(void **state)
{
	struct chunk_options o = options_of(10, 60);

	EXPECT(&o, "Some words first.\n```\na. b\n\nc. d\n\ne. f g h i j k l m n o p q\n```",
	       "Some words first.", "```\na. b\n\nc. d\n\ne. f g h i j k l m n o p q\n```");
}

static void a_fence_that_would_be_empty_is_not_opened(void **state)
{
	struct chunk_options o = options_of(30, 40);

	/* The opening line does not stay behind alone... */
	EXPECT(&o, "twentyfour characters...\n```python\nx = 1\ny = 2\n```",
	       "twentyfour characters...", "```python\nx = 1\ny = 2\n```");
	/* ... and a closing line does not go on alone. */
	EXPECT(&o, "```\nten chars.\nten chars.\n8 chars.\n````````\nAfter the code.",
	       "```\nten chars.\nten chars.\n8 chars.\n```\n", "After the code.");
}

static void a_fence_that_is_never_closed_is_closed_for_the_reader(void **state)
{
	struct chunk_options o = options_of(20, 40);

	EXPECT(&o, "```c\nint x;", "```c\nint x;\n```\n");
}

static void a_long_line_behind_the_marks_is_not_repeated(void **state)
{
	struct chunk_options o = options_of(20, 40);

	EXPECT(&o, "```python title=abcdef\naaaa\nbbbb\ncccc\ndddd\n```",
	       "```python title=abcdef\naaaa\nbbbb\n```\n", "```\ncccc\ndddd\n```");
}

static void code_within_a_line_is_no_fence(void **state)
{
	struct chunk_options o = options_of(10, 60);

	EXPECT(&o, "```code``` is good.", "```code``` is good.");
	/* Nor does it become one by a cut before it. */
	EXPECT(&o, "one two three four five six seven eight nine ten eleve ```code``` twelve",
	       "one two three four five six seven eight nine ten", "eleve ```code``` twelve");
	/* Any text may follow the marks that close. */
	EXPECT(&o, "```\nx\n```y\nz", "```\nx\n```y\nz");
}

static void marks_are_not_torn_apart(void **state)
{
	struct chunk_options o = {CHUNK_UTF16, 40, 40, 0, CHUNK_PARAGRAPH, 0};

	EXPECT(&o, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n```\nb\n```",
	       "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n", "```\nb\n```");
	EXPECT(&o, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa```b```",
	       "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "a```b```");
}

/* --- lines ---------------------------------------------------------------------------------- */

static void a_channel_may_count_lines_too(void **state)
{
	struct chunk_options o = {CHUNK_POINTS, 800, 1200, 4, CHUNK_PARAGRAPH, 0};

	EXPECT(&o, "1\n2\n3\n4\n5\n6", "1\n2\n3\n4", "5\n6");
	EXPECT(&o, "1\n2\n3\n4\n", "1\n2\n3\n4\n");
	EXPECT(&o, "1\n2222\n\n4\n5\n6", "1\n2222", "4\n5\n6");
	EXPECT(&o, "```\na\nb\nc\nd\n```", "```\na\nb\n```\n", "```\nc\nd\n```");
}

/* --- ceilings -------------------------------------------------------------------------------- */

static void more_than_is_held_is_refused(void **state)
{
	struct chunk_options o = options_of(800, 1200);
	struct chunker *c = chunker_create(&o);
	char *much = must_alloc(CHUNK_HELD_MAX);
	struct chunk_piece p;
	unsigned count = 0;

	memset(much, 'x', CHUNK_HELD_MAX);
	assert_true(chunk_add(c, (struct text){much, CHUNK_HELD_MAX}));
	assert_false(chunk_add(c, TEXT("y")));
	while (chunk_take(c, &p))
		count++;
	assert_int_equal(count, CHUNK_HELD_MAX / 1200);
	assert_true(chunk_add(c, TEXT("y")));
	free(much);
	chunker_destroy(c);
	chunker_destroy(NULL);
}

static void bytes_that_are_no_text_are_held_no_longer(void **state)
{
	struct chunk_options o = options_of(800, 1200);
	struct chunker *c = chunker_create(&o);
	struct chunk_piece p;
	unsigned count = 0;

	for (unsigned i = 0; i < 100000; i++) {
		chunk_add(c, TEXT("\x80"));
		while (chunk_take(c, &p))
			count++;
		assert_true(chunk_held(c).len <= 4 * 1200 + 4);
	}
	assert_true(count > 10);
	chunker_destroy(c);
}

/* --- generated texts ---------------------------------------------------------- */

static const char *const parts[] = {
	"word",
	"another ",
	"Sentence. ",
	"Is it? ",
	"Yes! ",
	"\n",
	"\n\n",
	"\r\n",
	"\r\n\r\n",
	" \n \n",
	"  indented\n",
	"\n```py\n",
	"\n```\n",
	"```",
	"\n~~~~\n",
	"\n   ````x y\n",
	"~~~",
	"`code`",
	"``",
	"\nlet x = 1;\n",
	"👨‍👩‍👧‍👦",
	"🇩🇪🇫🇷",
	"👍🏽",
	"😀😀😀",
	"e\xCC\x81\xCC\x82",
	"مرحبا بالعالم ",
	"שלום עולם",
	"日本語の文章。",
	"中文没有空格",
	"ไทยไม่มีช่องว่าง",
	"नमस्ते ",
	"각한글",
	"\t",
	"    ",
	"a",
	" ",
	".",
	"\r",
	"x\xC2\xA0y",
	"\n- item one\n- item two\n",
	"https://example.org/a?b=c&d=e",
	" \xCC\x88",
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	"                                                              ",
};

static void generate(uint64_t *seed, struct buf *out)
{
	size_t want = draw(seed) % 1500;
	unsigned few = draw(seed) % 3 == 0 ? 6 : sizeof(parts) / sizeof(*parts);
	unsigned first = (unsigned)(draw(seed) % (sizeof(parts) / sizeof(*parts)));

	buf_clear(out);
	while (out->len < want) {
		unsigned at =
			(first + (unsigned)(draw(seed) % few)) % (sizeof(parts) / sizeof(*parts));
		unsigned times = draw(seed) % 8 == 0 ? (unsigned)(draw(seed) % 12) : 1;

		for (unsigned i = 0; i < times; i++)
			buf_add(out, text_of(parts[at]));
	}
}

static void generate_options(uint64_t *seed, struct chunk_options *o)
{
	*o = (struct chunk_options){
		.unit = (enum chunk_unit)(draw(seed) % 3),
		.max_chars = CHUNK_LEAST_CHARS + draw(seed) % (draw(seed) % 2 ? 20 : 300),
		.max_lines = draw(seed) % 3 ? 0 : CHUNK_LEAST_LINES + draw(seed) % 14,
		.break_preference = (enum chunk_break)(1 + draw(seed) % 3),
	};
	o->min_chars = 1 + draw(seed) % o->max_chars;
	o->paragraph_from = draw(seed) % 4 == 0 ? 1 : draw(seed) % 4 == 0 ? o->min_chars : 0;
}

static void must_be_the_same(void)
{
	if (once.count != again.count)
		for (unsigned i = 0; i < once.count && i < again.count; i++)
			assert_string_equal(once.pieces[i].text, again.pieces[i].text);
	assert_int_equal(once.count, again.count);
	for (unsigned i = 0; i < once.count; i++) {
		struct told *a = &once.pieces[i], *b = &again.pieces[i];

		assert_string_equal(a->text, b->text);
		assert_int_equal(a->body, b->body);
		assert_int_equal(a->gap, b->gap);
		assert_int_equal(a->ends_paragraph, b->ends_paragraph);
	}
}

/* Written anew, without what is tested. */
static size_t measure_again(enum chunk_unit unit, struct text t)
{
	size_t length = 0;

	for (size_t i = 0, n; i < t.len; i += n) {
		n = utf8_length((struct text){t.at + i, t.len - i});
		assert_true(n > 0);
		length += unit == CHUNK_BYTES ? n : unit == CHUNK_UTF16 && n == 4 ? 2 : 1;
	}
	return length;
}

static void must_fit(const struct chunk_options *o, const struct told *p)
{
	size_t lines = 0;

	for (size_t i = 0; i < p->len; i++)
		lines += p->text[i] == '\n' || i + 1 == p->len;
	assert_true(measure_again(o->unit, (struct text){p->text, p->len}) <= o->max_chars);
	assert_true(!o->max_lines || lines <= o->max_lines);
}

static size_t marks_of(const char *line, const char *end, char *mark)
{
	const char *at = line;
	size_t marks = 0;

	while (at < end && at - line < 4 && *at == ' ')
		at++;
	if (at == end || at - line > 3 || (*at != '`' && *at != '~'))
		return 0;
	for (*mark = *at; at < end && *at == *mark; at++)
		marks++;
	if (marks >= 3 && *mark == '`' && memchr(at, '`', (size_t)(end - at)))
		*mark = '"'; /* code within the line; still, it closes */
	return marks >= 3 ? marks : 0;
}

static void must_be_balanced(const struct chunk_options *o, const struct told *p)
{
	const char *line = p->text, *stop = p->text + p->len;
	size_t most = o->max_chars / 8 < 64 ? o->max_chars / 8 : 64, open = 0;
	char kind = '\0';

	while (line < stop) {
		const char *end = memchr(line, '\n', (size_t)(stop - line));
		char mark = '\0';
		size_t marks = marks_of(line, end ? end : stop, &mark);

		if (!open && marks && marks <= most && mark != '"') {
			open = marks;
			kind = mark;
		} else if (open && marks >= open &&
		           (mark == kind || (mark == '"' && kind == '`'))) {
			open = 0;
		}
		line = end ? end + 1 : stop;
	}
	if (open)
		fail_msg("a fence is open at the end of <%s>", p->text);
}

static bool is_white(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The text may leave out space here, and a line that closes what the piece before closed. */
static size_t find_body(struct text t, size_t from, const struct told *p)
{
	bool may_close = true;

	for (size_t at = from; at + p->body_len <= t.len; at++) {
		if (memcmp(t.at + at, p->text + p->body, p->body_len) == 0)
			return at;
		if (is_white(t.at[at]))
			continue;
		if (!may_close || (t.at[at] != '`' && t.at[at] != '~'))
			break;
		may_close = t.at[at + 1] == t.at[at];
	}
	fail_msg("<%.*s> is not followed by <%s>", (int)(t.len - from), t.at + from, p->text);
	return 0;
}

static void must_be_whole(const struct chunk_options *o, struct text t)
{
	size_t at = 0;

	for (unsigned i = 0; i < once.count; i++) {
		const struct told *p = &once.pieces[i];
		size_t start, end;

		at = find_body(t, at, p) + p->body_len;
		start = grapheme_before(t, at);
		for (end = at; end < t.len && grapheme_before(t, end) != end;)
			end++;
		if (start != at && p->len == p->body_len &&
		    measure_again(o->unit, (struct text){t.at + start, end - start}) <
		            o->max_chars / 2)
			fail_msg("a cluster of %zu bytes is cut", end - start);
	}
	for (; at < t.len; at++)
		assert_true(is_white(t.at[at]) || t.at[at] == '`' || t.at[at] == '~');
}

static void generated_texts_keep_every_promise(void **state)
{
	const char *wish = getenv("CHUNK_TEXTS"), *slow = getenv("TEST_SANITIZER");
	uint64_t count = slow && *slow ? 5000 : 100000;
	struct buf text;

	assert_true(!wish || text_to_u64(text_of(wish), &count));
	buf_init(&text, 1 * MIB);
	for (uint64_t i = 1; i <= count; i++) {
		uint64_t seed = i * 0x9E3779B97F4A7C15u;
		struct chunk_options o;

		generate_options(&seed, &o);
		generate(&seed, &text);
		tell(&o, buf_text(&text), 0, &once);
		tell(&o, buf_text(&text), seed, &again);
		must_be_the_same();
		for (unsigned j = 0; j < once.count; j++) {
			must_fit(&o, &once.pieces[j]);
			must_be_balanced(&o, &once.pieces[j]);
		}
		must_be_whole(&o, buf_text(&text));
		forget(&once);
		forget(&again);
	}
	buf_finish(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_are_800_and_1200_between_paragraphs),
		cmocka_unit_test(the_account_is_over_the_channel_is_over_the_rest),
		cmocka_unit_test(the_limit_of_the_channel_clamps_both),
		cmocka_unit_test(each_unit_counts_its_own_way),
		cmocka_unit_test(long_texts_are_measured_alike),
		cmocka_unit_test(nothing_is_cut_before_more_than_max_is_there),
		cmocka_unit_test(a_flush_sends_what_there_is),
		cmocka_unit_test(the_last_paragraph_from_min_on_is_best),
		cmocka_unit_test(then_a_line_then_a_sentence_then_a_word_then_anything),
		cmocka_unit_test(the_preference_says_where_to_begin),
		cmocka_unit_test(sentences_without_spaces_end_too),
		cmocka_unit_test(flush_on_paragraph_sends_each_at_once),
		cmocka_unit_test(flush_on_paragraph_ignores_min_when_it_must_cut),
		cmocka_unit_test(a_paragraph_may_leave_from_a_length_on),
		cmocka_unit_test(space_at_a_cut_is_left_out_and_indentation_stays),
		cmocka_unit_test(pieces_say_what_stood_between_them),
		cmocka_unit_test(no_cluster_is_cut),
		cmocka_unit_test(a_cluster_longer_than_a_piece_is_cut_between_characters),
		cmocka_unit_test(a_cut_in_a_fence_closes_it_and_opens_it_again),
		cmocka_unit_test(no_good_place_lies_in_a_fence),
		cmocka_unit_test(a_fence_that_would_be_empty_is_not_opened),
		cmocka_unit_test(a_fence_that_is_never_closed_is_closed_for_the_reader),
		cmocka_unit_test(a_long_line_behind_the_marks_is_not_repeated),
		cmocka_unit_test(code_within_a_line_is_no_fence),
		cmocka_unit_test(marks_are_not_torn_apart),
		cmocka_unit_test(a_channel_may_count_lines_too),
		cmocka_unit_test(more_than_is_held_is_refused),
		cmocka_unit_test(bytes_that_are_no_text_are_held_no_longer),
		cmocka_unit_test(generated_texts_keep_every_promise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
