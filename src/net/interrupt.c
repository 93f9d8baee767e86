/* interrupt.c - the only file that knows <signal.h>. */
#include "net/interrupt.h"

#include <signal.h>
#include <stdlib.h>
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

static void closed(uv_handle_t *handle)
{
	struct interrupts *interrupts = handle->data;

	if (--interrupts->open == 0)
		free(interrupts);
}

void interrupts_destroy(struct interrupts *interrupts)
{
	if (!interrupts)
		return;
	for (size_t i = 0; i < TABLE_LEN; i++)
		uv_close((uv_handle_t *)&interrupts->handles[i], closed);
}

/* What is passed on to a child, and what tells us of it. */
static void fill_caught(sigset_t *set)
{
	static const int numbers[] = {SIGINT,  SIGTERM, SIGHUP,   SIGQUIT,
	                              SIGUSR1, SIGUSR2, SIGWINCH, SIGCHLD};

	sigemptyset(set);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		sigaddset(set, numbers[i]);
}

int interrupt_catch(void)
{
	sigset_t set;

	fill_caught(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
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
		.was_sent = info.ssi_code <= 0,
	};
	return true;
}

void interrupt_pass(int number, int pid)
{
	kill(pid, number);
}

void interrupt_restore(void)
{
	sigset_t set;

	fill_caught(&set);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	signal(SIGPIPE, SIG_DFL);
}

void interrupt_ignore_pipe(void)
{
	signal(SIGPIPE, SIG_IGN);
}
