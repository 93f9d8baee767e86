/* command.c - the user's program: started, waited for, ended. */
#include "notify/command.h"

#include <stdlib.h>

#include "base/list.h"
#include "base/log.h"
#include "base/must.h"
#include "base/utf8.h"
#include "net/loop.h"
#include "net/process.h"

#define FACTS_NAME "SIGNALBOX_MATTER="
#define HEARD_AT_ONCE MIB /* of what it writes */
#define PIECE_COST 256    /* each line counts as so many bytes more */

/* What a program needs to reach the desktop, beside what every program keeps. */
static const char *const passed[] = {"DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY",
                                     "XAUTHORITY", "XDG_RUNTIME_DIR"};
#define PASSED (sizeof(passed) / sizeof(*passed))

/* One notice, while it waits and while its program runs. */
struct errand {
	struct notify_command *command;
	char *words, *facts;
	struct process *process;
	struct deadline deadline, pause;
	size_t heard; /* since it last had to wait */
	bool was_late, has_complained;
	struct link in_list; /* command.waiting or command.running */
};

struct notify_command {
	struct loop *loop;
	struct processes *processes;
	char **argv; /* ended by NULL; NULL: there is none */
	struct link waiting, running;
	unsigned waiting_count, running_count;
	bool has_dropped; /* and said so, until none waits */
};

static void errand_destroy(struct errand *e)
{
	deadline_clear(&e->deadline);
	deadline_clear(&e->pause);
	process_destroy(e->process);
	list_remove(&e->in_list);
	free(e->words);
	free(e->facts);
	free(e);
}

static void start_waiting(struct notify_command *c);

static void complain(struct errand *e, struct text words)
{
	struct buf out;

	if (e->has_complained || words.len == 0)
		return;
	e->has_complained = true;
	buf_init(&out, 2 * PROCESS_COMPLAINT_MAX);
	utf8_add_shown(&out, utf8_cut(words, 300));
	log_warn("notify", "%s says: %.*s", e->command->argv ? e->command->argv[0] : "the command",
	         TEXT_ARG(buf_text(&out)));
	buf_finish(&out);
}

static void pause_ends(struct deadline *deadline)
{
	struct errand *e = list_of(deadline, struct errand, pause);

	e->heard = 0;
	process_hush(e->process, false);
}

/* Its output is nobody's; the first line of its complaints is for the log.  One that writes without
 * end has to wait, and not the loop. */
static void errand_heard(void *self, enum process_stream stream, const struct piece *piece)
{
	struct errand *e = self;

	if (stream == PROCESS_COMPLAINTS)
		complain(e, piece->bytes);
	e->heard += piece->bytes.len + PIECE_COST;
	if (e->heard < HEARD_AT_ONCE)
		return;
	process_hush(e->process, true);
	e->pause.fire = pause_ends;
	deadline_set(e->command->loop, &e->pause, 1);
}

static void errand_ended(void *self, const struct process_end *end)
{
	struct errand *e = self;
	struct notify_command *c = e->command;

	if (e->was_late)
		log_warn("notify", "notify.command took longer than %d s and was ended",
		         COMMAND_PATIENCE_MS / 1000);
	else if (end->status != 0)
		log_warn("notify", "notify.command %s", end->words);
	e->process = NULL;
	errand_destroy(e);
	c->running_count--;
	start_waiting(c);
}

static void patience_ends(struct deadline *deadline)
{
	struct errand *e = list_of(deadline, struct errand, deadline);

	e->was_late = true;
	process_stop(e->process);
}

static struct process *begin(struct errand *e, struct error *why)
{
	char *variables[PASSED + 2] = {0};
	size_t count = 0;
	struct process *process;

	variables[count++] = must_print("%s%s", FACTS_NAME, e->facts);
	for (size_t i = 0; i < PASSED; i++)
		if (getenv(passed[i]))
			variables[count++] = must_print("%s=%s", passed[i], getenv(passed[i]));
	process = process_start(e->command->processes,
	                        &(struct process_options){
					.argv = (const char *const *)e->command->argv,
					.env = (const char *const *)variables,
					.directory = "/",
					.input_max = COMMAND_INPUT_MAX,
					.self = e,
					.heard = errand_heard,
					.ended = errand_ended,
				},
	                        why);
	while (count > 0)
		free(variables[--count]);
	return process;
}

static void start_errand(struct notify_command *c, struct errand *e)
{
	struct error why;

	c->waiting_count--;
	list_remove(&e->in_list);
	list_add(&c->running, &e->in_list);
	c->running_count++;
	e->process = begin(e, &why);
	if (!e->process) {
		log_warn("notify", "notify.command: %s", why.words);
		errand_destroy(e);
		c->running_count--;
		return;
	}
	process_write(e->process, utf8_cut(text_of(e->words), COMMAND_INPUT_MAX));
	process_close_input(e->process);
	e->deadline.fire = patience_ends;
	deadline_set(c->loop, &e->deadline, COMMAND_PATIENCE_MS);
}

static void start_waiting(struct notify_command *c)
{
	while (c->running_count < COMMAND_AT_ONCE && !list_is_empty(&c->waiting))
		start_errand(c, list_of(c->waiting.next, struct errand, in_list));
	if (list_is_empty(&c->waiting))
		c->has_dropped = false;
}

static void drop_oldest(struct notify_command *c)
{
	if (!c->has_dropped)
		log_warn("notify", "notify.command is too slow: the oldest matters are dropped");
	c->has_dropped = true;
	c->waiting_count--;
	errand_destroy(list_of(c->waiting.next, struct errand, in_list));
}

void notify_command_run(struct notify_command *c, struct text words, struct text facts)
{
	struct errand *e;

	if (!c->argv)
		return;
	if (c->waiting_count == COMMAND_WAITING_MAX)
		drop_oldest(c);
	e = must_zero(1, sizeof(*e));
	e->command = c;
	e->words = text_dup(words);
	e->facts = text_dup(facts);
	list_add(&c->waiting, &e->in_list);
	c->waiting_count++;
	start_waiting(c);
}

/* ---- life ---- */

static void forget_argv(struct notify_command *c)
{
	for (char **word = c->argv; word && *word; word++)
		free(*word);
	free(c->argv);
	c->argv = NULL;
}

void notify_command_set(struct notify_command *c, char *const *argv, size_t count)
{
	forget_argv(c);
	if (count == 0) {
		while (!list_is_empty(&c->waiting))
			errand_destroy(list_of(c->waiting.next, struct errand, in_list));
		c->waiting_count = 0;
		return;
	}
	c->argv = must_zero(count + 1, sizeof(*c->argv));
	for (size_t i = 0; i < count; i++)
		c->argv[i] = must_dup(argv[i]);
}

struct notify_command *notify_command_create(struct loop *loop)
{
	struct notify_command *c = must_zero(1, sizeof(*c));

	c->loop = loop;
	c->processes = processes_create(loop);
	list_init(&c->waiting);
	list_init(&c->running);
	return c;
}

void notify_command_destroy(struct notify_command *c)
{
	if (!c)
		return;
	list_each(&c->waiting, l)
		errand_destroy(list_of(l, struct errand, in_list));
	list_each(&c->running, l)
		errand_destroy(list_of(l, struct errand, in_list));
	processes_destroy(c->processes);
	forget_argv(c);
	free(c);
}
