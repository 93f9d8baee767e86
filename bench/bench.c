/* The few helpers of bench.h. */
#include "bench.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

_Noreturn void die(const char *format, ...)
{
	int code = errno;
	va_list args;

	va_start(args, format);
	fputs("bench: ", stderr);
	vfprintf(stderr, format, args);
	va_end(args);
	if (code != 0)
		fprintf(stderr, ": %s", strerror(code));
	fputc('\n', stderr);
	exit(1);
}

uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

unsigned raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		die("getrlimit");
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
		die("setrlimit");
	return limit.rlim_cur > 1u << 20 ? 1u << 20 : (unsigned)limit.rlim_cur;
}

const char *option(char **argv, const char *name, const char *otherwise)
{
	for (char **arg = argv + 1; *arg != NULL; arg++)
		if (strcmp(*arg, name) == 0)
			return arg[1] != NULL ? arg[1]
			                      : (errno = 0, die("%s needs a value", name), "");
	return otherwise;
}

uint64_t option_number(char **argv, const char *name, uint64_t otherwise)
{
	const char *text = option(argv, name, NULL);
	char *end;
	uint64_t value;

	if (text == NULL)
		return otherwise;
	value = strtoull(text, &end, 10);
	errno = 0;
	if (*text == '\0' || *end != '\0')
		die("%s: %s is not a number", name, text);
	return value;
}
