/* adapter_child.c - a program of an adapter, watched over. */
#include "deliver/adapter/adapter_child.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/must.h"
#include "base/utf8.h"

#define HEARD_AT_ONCE MIB /* then it has to wait for a moment, and not the loop */
#define PIECE_COST 256    /* each line counts as so many bytes more */
#define GARBAGE_MAX 1000  /* lines in a row that are none: it is ended */
#define COMPLAINTS_MAX 20 /* lines of its complaints that are logged, of each life */

struct adapter_child {
	struct adapter_child_options options;
	char **argv, **env, *account, *directory;
	struct process *process;
	struct deadline due, pause; /* to be begun or ended; to be heard again */
	struct buf answer;
	bool is_hushed, is_paused, is_ending;
	size_t heard;
	unsigned restarts, garbage, complaints;
	uint64_t began_ms;
	struct error why; /* it has to end */
};

static void child_begin(struct adapter_child *c);

/* ---- what it says ---- */

static void apply_hush(struct adapter_child *c)
{
	if (c->process)
		process_hush(c->process, c->is_hushed || c->is_paused);
}

static void pause_is_over(struct deadline *deadline)
{
	struct adapter_child *c = list_of(deadline, struct adapter_child, pause);

	c->heard = 0;
	c->is_paused = false;
	apply_hush(c);
}

static void child_complains(struct adapter_child *c, struct text words)
{
	struct buf out;

	if (!text_trim(words).len || c->complaints++ >= COMPLAINTS_MAX)
		return;
	buf_init(&out, 2 * PROCESS_COMPLAINT_MAX);
	utf8_add_shown(&out, utf8_cut(words, 300));
	log_warn("deliver", "the adapter %s says: %.*s", c->account, TEXT_ARG(buf_text(&out)));
	buf_finish(&out);
}

static void note_garbage(struct adapter_child *c, const char *why)
{
	if (c->garbage++ == 0)
		log_warn("deliver", "a line of the adapter %s is left out: %s", c->account, why);
	if (c->garbage == GARBAGE_MAX)
		adapter_child_end(c, "it prints garbage");
}

static void hear_line(struct adapter_child *c, const struct piece *piece)
{
	struct error why = {"it is too long"};

	if (!text_trim(piece->bytes).len)
		return;
	if (piece->is_cut || !c->options.line(c->options.self, piece->bytes, &why))
		note_garbage(c, why.words);
	else
		c->garbage = 0;
}

static void child_heard(void *self, enum process_stream stream, const struct piece *piece)
{
	struct adapter_child *c = self;

	c->heard += piece->bytes.len + PIECE_COST;
	if (c->heard >= HEARD_AT_ONCE && !c->is_paused) {
		c->is_paused = true;
		apply_hush(c);
		deadline_set(c->options.loop, &c->pause, 1);
	}
	if (stream == PROCESS_COMPLAINTS)
		child_complains(c, piece->bytes);
	else if (c->is_ending)
		return;
	else if (c->options.has_lines)
		hear_line(c, piece);
	else if (!buf_add(&c->answer, piece->bytes))
		adapter_child_end(c, "its answer is too long");
}

/* ---- its end ---- */

static void child_rests(struct adapter_child *c)
{
	unsigned ms;

	if (loop_now_ms(c->options.loop) - c->began_ms >= ADAPTER_HEALTHY_MS)
		c->restarts = 0;
	ms = adapter_rest_ms(c->restarts);
	if (c->restarts == ADAPTER_RESTARTS_MAX)
		log_error("deliver",
		          "the adapter %s ended %u times: it is tried again every %u minutes",
		          c->account, c->restarts + 1, ms / 60000);
	c->restarts++;
	deadline_set(c->options.loop, &c->due, ms);
}

static void child_is_over(struct adapter_child *c, const char *why)
{
	struct buf answer = c->answer;

	buf_init(&c->answer, ADAPTER_LINE_MAX);
	deadline_clear(&c->due);
	deadline_clear(&c->pause);
	c->is_paused = false;
	if (c->options.ms == 0)
		child_rests(c);
	c->options.over(c->options.self, buf_text(&answer), why); /* c may be gone then */
	buf_finish(&answer);
}

static void child_ended(void *self, const struct process_end *end)
{
	struct adapter_child *c = self;
	struct error why;

	c->process = NULL;
	error_set(&why, "it %s", end->words);
	if (c->is_ending)
		child_is_over(c, c->why.words);
	else
		child_is_over(c, end->status || c->options.ms == 0 ? why.words : NULL);
}

/* It is time to begin it, or for it to end. */
static void child_is_due(struct deadline *deadline)
{
	struct adapter_child *c = list_of(deadline, struct adapter_child, due);

	if (c->process)
		adapter_child_end(c, "it takes too long");
	else if (c->is_ending)
		child_is_over(c, c->why.words);
	else
		child_begin(c);
}

void adapter_child_end(struct adapter_child *c, const char *why)
{
	if (c->is_ending)
		return;
	c->is_ending = true;
	error_set(&c->why, "%s", why);
	if (c->process)
		process_stop(c->process);
}

/* ---- its beginning ---- */

static void child_begin(struct adapter_child *c)
{
	struct process_options o = {.argv = (const char *const *)c->argv,
	                            .env = (const char *const *)c->env,
	                            .directory = c->directory,
	                            .line_max = c->options.has_lines ? ADAPTER_LINE_MAX : 0,
	                            .input_max = c->options.input_max,
	                            .self = c,
	                            .heard = child_heard,
	                            .ended = child_ended};

	c->is_ending = false;
	c->heard = c->garbage = c->complaints = 0;
	c->began_ms = loop_now_ms(c->options.loop);
	c->process = process_start(c->options.processes, &o, &c->why);
	if (!c->process) {
		c->is_ending = true;
		deadline_set(c->options.loop, &c->due, 1);
		return;
	}
	apply_hush(c);
	if (c->options.ms)
		deadline_set(c->options.loop, &c->due, c->options.ms);
	else if (c->options.began)
		c->options.began(c->options.self);
}

static char **copy_words(const char *const *words)
{
	size_t count = 0;
	char **all;

	while (words && words[count])
		count++;
	all = must_zero(count + 1, sizeof(*all));
	for (size_t i = 0; i < count; i++)
		all[i] = must_dup(words[i]);
	return all;
}

/* The environment has the credential. */
static void forget_words(char **words)
{
	for (char **word = words; *word; word++) {
		explicit_bzero(*word, strlen(*word));
		free(*word);
	}
	free(words);
}

struct adapter_child *adapter_child_create(const struct adapter_child_options *options)
{
	struct adapter_child *c = must_zero(1, sizeof(*c));

	c->options = *options;
	c->argv = copy_words(options->argv);
	c->env = copy_words(options->env);
	c->account = must_dup(options->account);
	c->directory = must_dup(options->directory);
	c->due.fire = child_is_due;
	c->pause.fire = pause_is_over;
	buf_init(&c->answer, ADAPTER_LINE_MAX);
	if (options->ms)
		child_begin(c);
	else
		deadline_set(options->loop, &c->due, 1);
	return c;
}

void adapter_child_set(struct adapter_child *c, const char *const *argv)
{
	forget_words(c->argv);
	c->argv = copy_words(argv);
}

void adapter_child_destroy(struct adapter_child *c)
{
	if (!c)
		return;
	deadline_clear(&c->due);
	deadline_clear(&c->pause);
	process_destroy(c->process);
	buf_finish(&c->answer);
	forget_words(c->argv);
	forget_words(c->env);
	free(c->account);
	free(c->directory);
	free(c);
}

/* ---- its input ---- */

bool adapter_child_runs(const struct adapter_child *c)
{
	return c && c->process && !c->is_ending;
}

bool adapter_child_write(struct adapter_child *c, struct text bytes)
{
	return adapter_child_runs(c) && process_write(c->process, bytes) == PROCESS_TAKEN;
}

void adapter_child_close_input(struct adapter_child *c)
{
	if (c->process)
		process_close_input(c->process);
}

void adapter_child_hush(struct adapter_child *c, bool hush)
{
	c->is_hushed = hush;
	apply_hush(c);
}
