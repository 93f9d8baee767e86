/* process.c - a program's three pipes and its end, on the loop.
 *
 * The end is a descriptor like the rest (pidfd): no handler of SIGCHLD, and the number of a
 * process that has ended is not given out again before we have looked at it. */
#include "net/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/must.h"
#include "net/interrupt.h"
#include "net/loop.h"
#include "net/spawn.h"

/* One program's share of a turn, of each stream. */
#define READ_MAX (16 * KIB)
/* How long a process that was killed may take to be gone, at the end of the program. */
#define KILLED_MS 1000

/* A descriptor of ours, -1 when it is closed, and libuv's handle on it. */
struct process_pipe {
	uv_poll_t poll;
	int fd;
	bool is_watched; /* libuv knows it */
};

struct process_reader {
	struct process_pipe pipe;
	struct pieces pieces;
	size_t left; /* after the end: what is still in the pipe */
};

struct process {
	struct processes *processes;
	struct loop *loop;
	struct link in_processes; /* processes.running */
	struct process_options o; /* its callbacks and self; the rest is not ours to keep */
	struct process_pipe end;  /* readable: it has ended */
	struct process_pipe in;
	int leash;          /* while it is open, its group may live; -1: it is closed */
	struct buf waiting; /* to go in */
	struct process_reader readers[2]; /* by enum process_stream */
	struct later go_on;               /* after process_hush(false) */
	struct deadline grace;
	struct grave grave;
	pid_t pid; /* and the group's */
	int status;
	unsigned open; /* handles that libuv has not closed, and one until it parts */
	bool is_hushed, is_stopping, has_ended, wants_room;
	bool is_silent;    /* which was told */
	bool closes_input; /* once nothing waits */
	bool is_left;      /* nobody is told anything any more */
};

struct processes {
	struct loop *loop;
	struct link running;
	unsigned count;
};

/* --- descriptors ------------------------------------------------------------- */

static void process_release(struct process *p)
{
	if (--p->open > 0)
		return;
	buf_finish(&p->waiting);
	for (int i = 0; i < 2; i++)
		pieces_finish(&p->readers[i].pieces);
	free(p);
}

static void process_on_closed(uv_handle_t *handle)
{
	process_release(handle->data);
}

static bool pipe_open(struct process *p, struct process_pipe *pipe, int fd)
{
	pipe->fd = fd;
	pipe->is_watched = uv_poll_init(loop_uv(p->loop), &pipe->poll, fd) == 0;
	if (pipe->is_watched) {
		pipe->poll.data = p;
		p->open++;
	}
	return pipe->is_watched;
}

static void pipe_close(struct process_pipe *pipe)
{
	if (pipe->fd < 0)
		return;
	if (pipe->is_watched)
		uv_close((uv_handle_t *)&pipe->poll, process_on_closed);
	close(pipe->fd);
	pipe->fd = -1;
}

/* --- what it says ------------------------------------------------------------- */

static void on_said(uv_poll_t *poll, int status, int events);

static void hand_out(struct process *p, enum process_stream stream)
{
	struct pieces *pieces = &p->readers[stream].pieces;
	struct text rest = pieces_rest(pieces);
	struct piece piece;

	while (!p->is_hushed && !p->is_left && pieces_take(pieces, &rest, &piece))
		p->o.heard(p->o.self, stream, &piece);
	pieces_keep(pieces, rest);
}

static void process_end_stream(struct process_reader *r)
{
	r->pieces.is_over = true;
	pipe_close(&r->pipe);
}

static void process_read_stream(struct process *p, struct process_reader *r)
{
	size_t max = p->has_ended && r->left < READ_MAX ? r->left : READ_MAX;
	char *room = buf_reserve(&r->pieces.held, max);
	ssize_t n = read(r->pipe.fd, room, max);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0) {
		r->pieces.held.len += (size_t)n;
		r->left -= p->has_ended ? (size_t)n : 0;
	}
	if (n <= 0 || (p->has_ended && r->left == 0))
		process_end_stream(r);
}

/* --- its end ------------------------------------------------------------------ */

static void close_pipes(struct process *p)
{
	pipe_close(&p->in);
	for (int i = 0; i < 2; i++)
		pipe_close(&p->readers[i].pipe);
}

static void bury_process(struct grave *grave)
{
	process_release(list_of(grave, struct process, grave));
}

/* It is gone.  Its memory stays for this turn, and until libuv has closed the handles. */
static void part_with(struct process *p)
{
	deadline_clear(&p->grace);
	loop_forget(&p->go_on);
	if (p->processes) {
		list_remove(&p->in_processes);
		p->processes->count--;
		p->processes = NULL;
	}
	close_pipes(p);
	pipe_close(&p->end);
	if (p->leash >= 0)
		close(p->leash);
	p->leash = -1;
	p->grave.free = bury_process;
	loop_bury(p->loop, &p->grave);
}

static void process_tell_end(struct process *p)
{
	char words[80];
	struct process_end end = {WEXITSTATUS(p->status), words};

	snprintf(words, sizeof(words), "ended with status %d", end.status);
	if (WIFSIGNALED(p->status)) {
		end.status = 128 + WTERMSIG(p->status);
		snprintf(words, sizeof(words), "was ended by signal %d (%s)", WTERMSIG(p->status),
		         strsignal(WTERMSIG(p->status)));
	}
	p->is_left = true;
	part_with(p);
	p->o.ended(p->o.self, &end);
}

static bool process_is_done(const struct process_reader *r)
{
	return r->pieces.is_over && r->pieces.held.len == 0;
}

/* Hands out what there is, tells what is to be told, and watches for more. */
static void advance(struct process *p)
{
	hand_out(p, PROCESS_OUTPUT);
	hand_out(p, PROCESS_COMPLAINTS);
	if (p->is_left)
		return;
	for (int i = 0; i < 2; i++) {
		if (p->readers[i].pipe.fd < 0)
			continue;
		if (p->is_hushed)
			uv_poll_stop(&p->readers[i].pipe.poll);
		else
			uv_poll_start(&p->readers[i].pipe.poll, UV_READABLE, on_said);
	}
	if (p->has_ended && process_is_done(&p->readers[0]) && process_is_done(&p->readers[1])) {
		process_tell_end(p);
	} else if (!p->has_ended && !p->is_silent && process_is_done(&p->readers[PROCESS_OUTPUT])) {
		p->is_silent = true;
		if (p->o.silent)
			p->o.silent(p->o.self);
	}
}

static void on_said(uv_poll_t *poll, int status, int events)
{
	struct process *p = poll->data;

	if (!p->is_hushed)
		process_read_stream(p, poll == &p->readers[0].pipe.poll ? &p->readers[0]
		                                                        : &p->readers[1]);
	advance(p);
}

static void on_go_on(struct later *later)
{
	advance(list_of(later, struct process, go_on));
}

/* What is in the pipe now is all that it said: a process that has left the group may hold the
 * other end for as long as it likes. */
static void count_left(struct process_reader *r)
{
	int left = 0;

	if (r->pieces.is_over)
		return;
	if (ioctl(r->pipe.fd, FIONREAD, &left) == 0 && left > 0)
		r->left = (size_t)left;
	else
		process_end_stream(r);
}

/* Before it is waited for, because until then no other group can have its number. */
static void reap(struct process *p)
{
	interrupt_kill(-p->pid);
	while (waitpid(p->pid, &p->status, 0) < 0 && errno == EINTR)
		;
	p->has_ended = true;
}

static void on_end(uv_poll_t *poll, int status, int events)
{
	struct process *p = poll->data;

	reap(p);
	deadline_clear(&p->grace);
	pipe_close(&p->end);
	pipe_close(&p->in);
	if (p->is_left) {
		part_with(p);
		return;
	}
	for (int i = 0; i < 2; i++)
		count_left(&p->readers[i]);
	advance(p);
}

static void kill_late(struct deadline *deadline)
{
	interrupt_kill(-list_of(deadline, struct process, grace)->pid);
}

/* --- what it is told ----------------------------------------------------------- */

static void on_room(uv_poll_t *poll, int status, int events);

static void close_input(struct process *p)
{
	buf_clear(&p->waiting);
	pipe_close(&p->in);
}

static void flush_input(struct process *p)
{
	ssize_t n = 0;

	while (p->waiting.len && (n = write(p->in.fd, p->waiting.at, p->waiting.len)) > 0)
		buf_drop(&p->waiting, (size_t)n);
	if ((n < 0 && errno != EAGAIN && errno != EINTR) || (!p->waiting.len && p->closes_input))
		close_input(p);
	else if (p->waiting.len)
		uv_poll_start(&p->in.poll, UV_WRITABLE, on_room);
	else
		uv_poll_stop(&p->in.poll);
}

static void on_room(uv_poll_t *poll, int status, int events)
{
	struct process *p = poll->data;

	if (status < 0)
		close_input(p);
	else
		flush_input(p);
	if (p->waiting.len || !p->wants_room)
		return;
	p->wants_room = false;
	if (p->o.writable)
		p->o.writable(p->o.self);
}

enum process_take process_write(struct process *process, struct text bytes)
{
	if (process->in.fd < 0 || process->closes_input)
		return PROCESS_CLOSED;
	if (!buf_add(&process->waiting, bytes)) {
		process->wants_room = true;
		return PROCESS_FULL;
	}
	flush_input(process);
	return process->in.fd < 0 && !process->closes_input ? PROCESS_CLOSED : PROCESS_TAKEN;
}

void process_close_input(struct process *process)
{
	if (process->in.fd < 0)
		return;
	process->closes_input = true;
	flush_input(process);
}

void process_hush(struct process *process, bool hush)
{
	if (process->is_left)
		return;
	process->is_hushed = hush;
	loop_later(process->loop, &process->go_on);
}

/* --- its life ------------------------------------------------------------------- */

/* Pipes to and from it: ours in the process, the others where it begins. */
static bool open_pipes(struct process *p, size_t input_max, struct spawn *its, struct error *why)
{
	struct process_pipe *ours[] = {&p->in, &p->readers[0].pipe, &p->readers[1].pipe};
	int ends[2];

	for (int i = input_max ? 0 : 1; i < 3; i++) {
		if (pipe2(ends, O_CLOEXEC) != 0)
			return error_errno(why, "no pipe for the program");
		its->files[i] = ends[i == 0 ? 0 : 1];
		if (!pipe_open(p, ours[i], ends[i == 0 ? 1 : 0]))
			return error_set(why, "no place in the loop for the program");
	}
	p->leash = spawn_open_leash(its);
	return p->leash >= 0 || error_errno(why, "no pipe for the program");
}

static struct process *make_process(struct processes *processes,
                                    const struct process_options *options)
{
	struct process *p = must_zero(1, sizeof(*p));

	p->loop = processes->loop;
	p->o = *options;
	p->open = 1;
	p->go_on.run = on_go_on;
	p->grace.fire = kill_late;
	p->leash = p->end.fd = p->in.fd = p->readers[0].pipe.fd = p->readers[1].pipe.fd = -1;
	pieces_init(&p->readers[PROCESS_OUTPUT].pieces, options->line_max, READ_MAX);
	pieces_init(&p->readers[PROCESS_COMPLAINTS].pieces, PROCESS_COMPLAINT_MAX, READ_MAX);
	buf_init(&p->waiting, options->input_max);
	return p;
}

/* The group, and the descriptor that tells of its leader's end. */
static bool begin_program(struct process *p, const struct spawn *its, struct error *why)
{
	int fd;

	p->pid = spawn_begin(its, why);
	if (p->pid == 0)
		return false;
	fd = pidfd_open(p->pid, 0);
	if (fd >= 0 && pipe_open(p, &p->end, fd))
		return true;
	error_errno(why, "no descriptor for the program's end");
	reap(p);
	return false;
}

struct process *process_start(struct processes *processes, const struct process_options *options,
                              struct error *why)
{
	struct spawn its = {options->argv, options->env, options->directory, {-1, -1, -1}, -1};
	struct process *p;
	bool runs;

	if (processes->count >= PROCESSES_MAX) {
		error_set(why, "%d programs run already", PROCESSES_MAX);
		return NULL;
	}
	p = make_process(processes, options);
	runs = open_pipes(p, options->input_max, &its, why) && begin_program(p, &its, why);
	spawn_close(&its);
	if (!runs) {
		part_with(p);
		return NULL;
	}
	list_add(&processes->running, &p->in_processes);
	processes->count++;
	p->processes = processes;
	uv_poll_start(&p->end.poll, UV_READABLE, on_end);
	advance(p);
	return p;
}

void process_stop(struct process *process)
{
	if (process->is_stopping || process->has_ended)
		return;
	process->is_stopping = true;
	interrupt_end(-process->pid);
	deadline_set(process->loop, &process->grace, PROCESS_GRACE_MS);
}

void process_destroy(struct process *process)
{
	if (!process || process->is_left)
		return;
	process->is_left = true;
	process_stop(process);
	loop_forget(&process->go_on);
	close_pipes(process);
	if (process->has_ended)
		part_with(process);
}

struct processes *processes_create(struct loop *loop)
{
	struct processes *processes = must_zero(1, sizeof(*processes));

	/* Writing to a program that reads no more is an error code. */
	interrupt_ignore_pipe();
	processes->loop = loop;
	list_init(&processes->running);
	return processes;
}

void process_kill(struct process *process)
{
	if (process && !process->has_ended)
		interrupt_kill(-process->pid);
	process_destroy(process);
}

/* Those that are gone by then part. */
static void await_ends(struct processes *processes, unsigned ms)
{
	uint64_t until = clock_mono_ns() + (uint64_t)ms * 1000000;

	list_each(&processes->running, l) {
		struct process *p = list_of(l, struct process, in_processes);
		struct pollfd end = {.fd = p->end.fd, .events = POLLIN};
		uint64_t now = clock_mono_ns();

		if (!p->has_ended &&
		    poll(&end, 1, until > now ? (int)((until - now) / 1000000) : 0) <= 0)
			continue;
		if (!p->has_ended)
			reap(p);
		part_with(p);
	}
}

void processes_destroy(struct processes *processes)
{
	if (!processes)
		return;
	list_each(&processes->running, l)
		process_destroy(list_of(l, struct process, in_processes));
	await_ends(processes, PROCESS_GRACE_MS);
	list_each(&processes->running, l)
		interrupt_kill(-list_of(l, struct process, in_processes)->pid);
	await_ends(processes, KILLED_MS);
	list_each(&processes->running, l)
		part_with(list_of(l, struct process, in_processes));
	free(processes);
}
