/* parse.c - hostile bytes from a back end, in every protocol.
 *
 * What comes of them are envelopes that the bus admits, on one line, and that keep
 * the schema where they are of our making.  An answer has exactly one end, and
 * nothing after it.  Where the bytes are cut changes nothing.
 *
 * The first byte of the input is the letter of a protocol, the second says how the
 * stream ends and is framed, the third how it is cut.
 */

#include "parse/parse.h"
#include "base/buf.h"
#include "bus/admit.h"
#include "lib/hold.h"

#define TAKEN_MAX (64 * MIB)
#define SMALL_EVENT 64

/* Of the second byte, counted from '0'. */
#define ENDING 3 /* well, lost, cancelled, not at all before it is destroyed */
#define AS_WHOLE 4
#define AS_MESSAGE 8
#define IS_SMALL 16
#define HAS_WORDS 32

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static const struct letter {
	char letter;
	const char *protocol;
	bool passes_on; /* signals of others, which may break the schema */
} letters[] = {
	{'a', "anthropic", false},
	{'c', "codex", false},
	{'e', "envelope", true},
	{'g', "openclaw", false},
	{'h', "claude-hook", false},
	{'j', "jsonl", true},
	{'l', "ollama", false},
	{'m', "midi", false},
	{'n', "lines", true},
	{'o', "openai", false},
	{'r', "responses", false},
	{'s', "claude-stream", false},
	{'w', "raw", false},
	{'x', "escapement", false},
	{'i', "gemini", false},
	{'d', "opencode", false},
	{'p', "pi", false},
	{'t', "claude-transcript", false},
	{'u', "codex-rollout", false},
	{'v', "gemini-chat", false},
	{'k', "opencode-events", false},
};
#define LETTERS (sizeof(letters) / sizeof(letters[0]))

struct taken {
	const struct letter *letter;
	struct parse *parse;
	struct buf lines; /* what was given, without ids */
	unsigned signals, ends, bads;
};

/* --- what is given ------------------------------------------------------------- */

static void check_admitted(const struct taken *t, struct text envelope)
{
	static const struct admit_options options = {ADMIT_WARN, MIB, 64};
	static const struct admit_from from = {.name = {"fuzz", 4}, .envelope_only = true};
	static struct admit *admit;
	struct draft draft;
	struct error why;

	if (!admit)
		admit = admit_create(&options);
	must_hold(admit_read(admit, envelope, &from, &draft, &why) == ADMIT_OK);
	must_hold(!draft.breaks_schema || t->letter->passes_on);
}

static void take_signal(void *self, struct text envelope)
{
	struct taken *t = self;
	const char *type = memmem(envelope.at, envelope.len, ",\"type\":", 8);
	struct text rest;

	must_hold(!memchr(envelope.at, '\n', envelope.len));
	must_hold(!memchr(envelope.at, '\r', envelope.len));
	check_admitted(t, envelope);
	t->signals++;
	if (t->letter->passes_on)
		return; /* ids are anywhere */
	must_hold(type != NULL);
	rest = (struct text){type + 8, (size_t)(envelope.at + envelope.len - type) - 8};
	t->ends +=
		text_starts(rest, TEXT("\"completion\"")) || text_starts(rest, TEXT("\"error\""));
	buf_add(&t->lines, rest);
	buf_add_char(&t->lines, '\n');
}

static void take_bad(void *self, const char *why)
{
	struct taken *t = self;

	must_hold(why[0] != '\0');
	t->bads++;
}

static void take_meta(void *self, struct text frame)
{
	must_hold(frame.len > 0);
}

static int64_t some_time(void)
{
	return 1700000000000;
}

/* --- reading --------------------------------------------------------------------- */

static void begin(struct taken *t, const struct letter *letter, uint8_t how)
{
	const struct parse_options options = {
		.source = TEXT("fuzz"),
		.correlation = TEXT("run"),
		.agent = TEXT("model"),
		.event_max = how & IS_SMALL ? SMALL_EVENT : 0,
		.words = how & HAS_WORDS,
		.now_ms = some_time,
		.self = t,
		.signal = take_signal,
		.bad = take_bad,
		.meta = take_meta,
	};

	*t = (struct taken){.letter = letter};
	buf_init(&t->lines, TAKEN_MAX);
	t->parse = parse_create(parse_find(text_of(letter->protocol)), &options);
	if (how & AS_WHOLE)
		parse_set_framing(t->parse, FRAMING_WHOLE);
}

static void end(struct taken *t, uint8_t how)
{
	switch (how & ENDING) {
	case 0:
		parse_end(t->parse, NULL);
		break;
	case 1:
		parse_end(t->parse, "the line broke");
		break;
	case 2:
		parse_cancel(t->parse);
		break;
	default:
		return;
	}
	parse_end(t->parse, NULL);
	parse_feed(t->parse, TEXT("data: {}\n\n"));
	parse_cancel(t->parse);
	if (parse_find(text_of(t->letter->protocol))->is_answer)
		must_hold(t->ends == 1 && parse_is_over(t->parse));
}

static void finish(struct taken *t)
{
	parse_destroy(t->parse);
	buf_finish(&t->lines);
}

static void feed_cut(struct parse *p, struct text bytes, uint8_t seed)
{
	unsigned step = seed;

	while (bytes.len) {
		size_t n;

		step = step * 1103515245 + 12345;
		n = 1 + (step >> 16) % (1 + seed % 61u);
		n = n < bytes.len ? n : bytes.len;
		parse_feed(p, (struct text){bytes.at, n});
		bytes = (struct text){bytes.at + n, bytes.len - n};
	}
}

/* Every protocol has a letter, so that none is left out. */
static void check_letters(void)
{
	size_t kinds = 0;

	while (parse_kinds[kinds])
		kinds++;
	must_hold(kinds == LETTERS);
	for (size_t i = 0; i < LETTERS; i++)
		must_hold(parse_find(text_of(letters[i].protocol)) != NULL);
}

static const struct letter *letter_of(uint8_t byte)
{
	for (size_t i = 0; i < LETTERS; i++)
		if (letters[i].letter == (char)byte)
			return &letters[i];
	return &letters[byte % LETTERS];
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	const struct letter *letter;
	struct taken whole, cut;
	struct text rest;
	uint8_t how;

	check_letters();
	if (n < 3)
		return 0;
	letter = letter_of(bytes[0]);
	how = (uint8_t)(bytes[1] - '0');
	rest = (struct text){(const char *)bytes + 3, n - 3};
	begin(&whole, letter, how);
	if (how & AS_MESSAGE)
		parse_message(whole.parse, rest);
	else
		parse_feed(whole.parse, rest);
	end(&whole, how);
	if (!(how & AS_MESSAGE)) {
		begin(&cut, letter, how);
		feed_cut(cut.parse, rest, (uint8_t)(bytes[2] - '0'));
		end(&cut, how);
		must_hold(cut.signals == whole.signals && cut.bads == whole.bads);
		must_hold(text_equal(buf_text(&cut.lines), buf_text(&whole.lines)));
		finish(&cut);
	}
	finish(&whole);
	return 0;
}
