/* main.c - argv to a command, and whose memory OpenSSL takes. */
#include <openssl/crypto.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/must.h"
#include "box.h"
#include "cli/command.h"
#include "net/interrupt.h"

static void *take(size_t size, const char *file, int line)
{
	return must_alloc(size);
}

static void *grow(void *old, size_t size, const char *file, int line)
{
	return must_grow(old, size);
}

static void give(void *at, const char *file, int line)
{
	free(at);
}

int main(int argc, char **argv)
{
	struct command_context context = {
		.serve = box_run, .check = box_check, .env = (const char *const *)environ};

	/* OpenSSL does not bear to be without memory; and it may be told before it took any. */
	CRYPTO_set_mem_functions(take, grow, give);
	interrupt_ignore_pipe();
	return command_main(&context, argc, argv);
}
