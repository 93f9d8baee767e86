/* interrupt.c - the only file that knows <signal.h>. */
#include "net/interrupt.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <uv.h>

#include "base/must.h"

static const struct {
	int number;
	enum interrupt which;
} table[] = {
	{SIGTERM, INTERRUPT_STOP},
	{SIGINT, INTERRUPT_STOP},
	{SIGHUP, INTERRUPT_RELOAD},
};

#define TABLE_LEN (sizeof(table) / sizeof(table[0]))

struct interrupts {
	uv_signal_t handles[TABLE_LEN];
	unsigned open; /* handles not yet closed */
	void (*fn)(void *self, enum interrupt which);
	void *self;
};

static void caught(uv_signal_t *handle, int number)
{
	struct interrupts *interrupts = handle->data;

	for (size_t i = 0; i < TABLE_LEN; i++)
		if (table[i].number == number)
			interrupts->fn(interrupts->self, table[i].which);
}

struct interrupts *interrupts_create(struct loop *loop,
                                     void (*fn)(void *self, enum interrupt which), void *self)
{
	struct interrupts *interrupts = must_zero(1, sizeof(*interrupts));

	interrupts->fn = fn;
	interrupts->self = self;
	interrupts->open = TABLE_LEN;
	for (size_t i = 0; i < TABLE_LEN; i++) {
		interrupts->handles[i].data = interrupts;
		uv_signal_init(loop_uv(loop), &interrupts->handles[i]);
		uv_signal_start(&interrupts->handles[i], caught, table[i].number);
	}
	return interrupts;
}

static void interrupt_closed(uv_handle_t *handle)
{
	struct interrupts *interrupts = handle->data;

	if (--interrupts->open == 0)
		free(interrupts);
}

/* Blocked, because libuv makes them deadly before we come to ignore them. */
void interrupts_destroy(struct interrupts *interrupts)
{
	sigset_t set, was;

	if (!interrupts)
		return;
	sigemptyset(&set);
	for (size_t i = 0; i < TABLE_LEN; i++)
		sigaddset(&set, table[i].number);
	sigprocmask(SIG_BLOCK, &set, &was);
	for (size_t i = 0; i < TABLE_LEN; i++) {
		uv_close((uv_handle_t *)&interrupts->handles[i], interrupt_closed);
		signal(table[i].number, SIG_IGN);
	}
	sigprocmask(SIG_SETMASK, &was, NULL);
}

static void interrupt_fill(sigset_t *set, const int *numbers, size_t count)
{
	sigemptyset(set);
	for (size_t i = 0; i < count; i++)
		sigaddset(set, numbers[i]);
}

/* What is passed on to a child, and what tells us of it. */
static void fill_caught(sigset_t *set)
{
	static const int numbers[] = {SIGINT,  SIGTERM, SIGHUP,   SIGQUIT,
	                              SIGUSR1, SIGUSR2, SIGWINCH, SIGCHLD};

	interrupt_fill(set, numbers, sizeof(numbers) / sizeof(*numbers));
}

static int catch_these(const sigset_t *set)
{
	sigprocmask(SIG_BLOCK, set, NULL);
	return signalfd(-1, set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int interrupt_catch(void)
{
	sigset_t set;

	fill_caught(&set);
	return catch_these(&set);
}

bool interrupt_read(int fd, struct interrupt_caught *caught)
{
	struct signalfd_siginfo info;

	if (read(fd, &info, sizeof(info)) != sizeof(info))
		return false;
	*caught = (struct interrupt_caught){
		.number = (int)info.ssi_signo,
		.is_child = info.ssi_signo == SIGCHLD,
		.is_resize = info.ssi_signo == SIGWINCH,
		.is_suspend = info.ssi_signo == SIGTSTP,
		.is_resume = info.ssi_signo == SIGCONT,
		.was_sent = info.ssi_code <= 0,
	};
	return true;
}

void interrupt_pass(int number, int pid)
{
	kill(pid, number);
}

void interrupt_ask(int pid)
{
	interrupt_pass(SIGINT, pid);
}

void interrupt_end(int pid)
{
	interrupt_pass(SIGTERM, pid);
}

void interrupt_kill(int pid)
{
	interrupt_pass(SIGKILL, pid);
}

void interrupt_end_with_parent(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

bool interrupt_leash(int fd, int group)
{
	return fcntl(fd, F_SETOWN, -group) == 0 && fcntl(fd, F_SETSIG, SIGKILL) == 0 &&
	       fcntl(fd, F_SETFL, O_ASYNC) == 0;
}

void interrupt_restore(void)
{
	sigset_t set;

	fill_caught(&set);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
}

void interrupt_restore_spawned(posix_spawnattr_t *attributes)
{
	sigset_t all, none;

	sigfillset(&all);
	sigemptyset(&none);
	posix_spawnattr_setsigdefault(attributes, &all);
	posix_spawnattr_setsigmask(attributes, &none);
}

/* ---- the screen ---- */

int interrupt_catch_screen(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT};
	sigset_t set;

	interrupt_fill(&set, numbers, sizeof(numbers) / sizeof(*numbers));
	return catch_these(&set);
}

void interrupt_suspend(void)
{
	static const int numbers[] = {SIGTSTP};
	sigset_t set;

	interrupt_fill(&set, numbers, 1);
	signal(SIGTSTP, SIG_DFL);
	kill(0, SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &set, NULL); /* it stops here */
	sigprocmask(SIG_BLOCK, &set, NULL);
}

static const int crashes[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTRAP};
#define CRASHES_LEN (sizeof(crashes) / sizeof(*crashes))

static struct sigaction before_crash[CRASHES_LEN];
static void (*on_crash)(void);

/* What was to happen before us still does, when this returns. */
static void crashed(int number)
{
	on_crash();
	for (size_t i = 0; i < CRASHES_LEN; i++)
		sigaction(crashes[i], &before_crash[i], NULL);
	raise(number);
}

void interrupt_before_crash(void (*restore)(void))
{
	struct sigaction action = {.sa_handler = crashed};

	on_crash = restore;
	for (size_t i = 0; i < CRASHES_LEN; i++)
		sigaction(crashes[i], &action, &before_crash[i]);
}

void interrupt_ignore_pipe(void)
{
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}
