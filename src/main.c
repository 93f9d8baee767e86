/* main.c - argv to a command, files where every program expects some, whose memory OpenSSL
 * takes, and whom the configuration asks. */
#include <fcntl.h>
#include <openssl/crypto.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/must.h"
#include "box.h"
#include "box/bare.h"
#include "box/dialects.h"
#include "cli/command.h"
#include "config/check.h"
#include "deliver/automations.h"
#include "deliver/channels.h"
#include "deliver/clause.h"
#include "net/interrupt.h"
#include "source/wish.h"

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

/* With one of the three closed, the next file that is opened would have its number, and get
 * what we say.  Opened the wrong way round, its use fails as it would without it. */
static bool has_standard_files(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			return false;
	return true;
}

int main(int argc, char **argv)
{
	struct command_context context = {
		.serve = box_run, .check = box_check, .env = (const char *const *)environ};

	if (!has_standard_files())
		return EXIT_FAILURE;
	/* OpenSSL does not bear to be without memory; and it may be told before it took any. */
	CRYPTO_set_mem_functions(take, grow, give);
	interrupt_ignore_pipe();
	box_declare_dialects();
	check_ask(&(struct check_by){.source_url = source_check_scheme,
	                             .protocol = source_check_protocol,
	                             .dialect = box_can_pin,
	                             .bare = box_is_bare,
	                             .channel = channel_check,
	                             .condition = clause_check,
	                             .message = automations_check,
	                             .names_all = channel_names_all});
	return command_main(&context, argc, argv);
}
