/* main.c - argv to a command, nothing else. */
#include <unistd.h>

#include "box.h"
#include "cli/command.h"
#include "net/interrupt.h"

int main(int argc, char **argv)
{
	struct command_context context = {.serve = box_run, .env = (const char *const *)environ};

	interrupt_ignore_pipe();
	return command_main(&context, argc, argv);
}
