/* interrupt.c - the only file that knows <signal.h>. */
#include "net/interrupt.h"

#include <signal.h>
#include <stdlib.h>
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

void interrupt_ignore_pipe(void)
{
	signal(SIGPIPE, SIG_IGN);
}
