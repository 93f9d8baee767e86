/* gather.c - what is held, and when it is enough. */
#include "deliver/gather.h"

/* --- the configuration ------------------------------------------------------------------- */

static void prefer_wish(struct gather_wish *wish, const struct gather_wish *over)
{
	if (!over)
		return;
	if (over->min_chars)
		wish->min_chars = over->min_chars;
	if (over->max_chars)
		wish->max_chars = over->max_chars;
	if (over->idle_ms)
		wish->idle_ms = over->idle_ms;
	if (over->joiner.len)
		wish->joiner = over->joiner;
	if (over->flush_on_enqueue)
		wish->flush_on_enqueue = over->flush_on_enqueue;
	if (over->idle)
		wish->idle = over->idle;
}

static struct text joiner_of(enum chunk_break preference)
{
	return preference == CHUNK_NEWLINE    ? TEXT("\n")
	       : preference == CHUNK_SENTENCE ? TEXT(" ")
	                                      : TEXT("\n\n");
}

void gather_resolve(struct gather_options *options, const struct gather_levels *levels,
                    const struct chunk_limit *limit, const struct chunk_options *chunking)
{
	struct gather_wish wish = {
		.min_chars = CHUNK_MIN_CHARS,
		.max_chars = CHUNK_MAX_CHARS,
		.idle_ms = GATHER_IDLE_MS,
		.joiner = joiner_of(chunking->break_preference),
		.flush_on_enqueue = chunking->paragraph_from == 1 ? CHUNK_ON : CHUNK_OFF,
		.idle = GATHER_IDLE_SENDS,
	};
	size_t n;

	prefer_wish(&wish, levels->general);
	prefer_wish(&wish, levels->channel);
	prefer_wish(&wish, levels->account);
	if (wish.max_chars < wish.min_chars)
		wish.max_chars = wish.min_chars;
	*options = (struct gather_options){
		.unit = chunking->unit,
		.max_chars = wish.max_chars < limit->max ? wish.max_chars : limit->max,
		.idle_ms = wish.idle_ms,
		.flush_on_enqueue = wish.flush_on_enqueue == CHUNK_ON,
		.idle = wish.idle,
		.max_lines = chunking->max_lines,
	};
	options->min_chars =
		wish.min_chars < options->max_chars ? wish.min_chars : options->max_chars;
	n = wish.joiner.len < GATHER_JOINER_MAX ? wish.joiner.len : GATHER_JOINER_MAX;
	memcpy(options->joiner, wish.joiner.at, n);
}

/* --- what is held ------------------------------------------------------------------------ */

void gather_init(struct gatherer *c, const struct gather_options *options)
{
	*c = (struct gatherer){.options = *options};
	buf_init(&c->text, CHUNK_HELD_MAX);
	buf_init(&c->reply_to, CHUNK_HELD_MAX);
}

void gather_finish(struct gatherer *c)
{
	buf_finish(&c->text);
	buf_finish(&c->reply_to);
}

bool gather_holds(const struct gatherer *c)
{
	return c->text.len > 0;
}

void gather_clear(struct gatherer *c)
{
	buf_clear(&c->text);
	buf_clear(&c->reply_to);
	c->is_voice = c->is_streamed = false;
}

static struct text between(const struct gatherer *c, const struct gather_part *part)
{
	if (!gather_holds(c))
		return TEXT("");
	return part->follows ? chunk_gap_text(part->gap) : text_of(c->options.joiner);
}

static size_t ends_of_lines(struct text t)
{
	size_t n = 0;

	for (size_t i = 0; i < t.len; i++)
		n += t.at[i] == '\n';
	return n;
}

/* An end of a line that ends the text begins no other. */
static size_t lines_in_message(struct text t)
{
	return ends_of_lines(t) + (t.len && t.at[t.len - 1] != '\n');
}

bool gather_fits(const struct gather_options *o, struct text t)
{
	return chunk_length(o->unit, t) <= o->max_chars &&
	       (o->max_lines == 0 || lines_in_message(t) <= o->max_lines);
}

static bool has_lines_for(const struct gatherer *c, const struct gather_part *part)
{
	return c->options.max_lines == 0 || ends_of_lines(buf_text(&c->text)) +
	                                                    ends_of_lines(between(c, part)) +
	                                                    lines_in_message(part->text) <=
	                                            c->options.max_lines;
}

struct gather_steps gather_plan(const struct gatherer *c, const struct gather_part *part)
{
	const struct gather_options *o = &c->options;
	size_t length = chunk_length(o->unit, part->text);
	size_t both = chunk_length(o->unit, buf_text(&c->text)) +
	              chunk_length(o->unit, between(c, part)) + length;
	struct gather_steps steps = {0};

	if (gather_holds(c))
		steps.flush_before = o->flush_on_enqueue || both > o->max_chars ||
		                     !has_lines_for(c, part) || c->is_voice != part->is_voice ||
		                     !text_equal(buf_text(&c->reply_to), part->reply_to);
	if (!gather_holds(c) || steps.flush_before) {
		both = length;
		steps.pass = o->flush_on_enqueue || length >= o->max_chars;
	}
	steps.flush_after = both >= o->max_chars || (part->ends_paragraph && both >= o->min_chars);
	return steps;
}

void gather_hold(struct gatherer *c, const struct gather_part *part)
{
	if (!gather_holds(c)) {
		c->gap = part->gap;
		c->follows = part->follows;
		c->is_voice = part->is_voice;
		buf_add(&c->reply_to, part->reply_to);
	} else {
		buf_add(&c->text, between(c, part));
	}
	c->is_streamed |= part->is_streamed;
	buf_add(&c->text, part->text);
}
