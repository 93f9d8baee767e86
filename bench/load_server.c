/* What the server under load uses: processor time of all its threads, and memory. */
#include "load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The clock of the process is exact to the nanosecond also while it runs, and holds
 * the threads that have ended; the files in /proc are a tick behind. */
uint64_t server_cpu_ns(pid_t pid)
{
	struct timespec t;
	clockid_t clock;

	errno = clock_getcpuclockid(pid, &clock);
	if (errno != 0 || clock_gettime(clock, &t) < 0)
		die("the processor time of process %d", (int)pid);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The thread that a process begins with is the one that runs the loop. A thread of
 * another process has no clock to ask, so this one is a tick behind. */
uint64_t server_loop_cpu_ns(pid_t pid)
{
	char path[64], line[128] = "";
	FILE *file;

	snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", (int)pid, (int)pid);
	file = fopen(path, "r");
	if (file == NULL || fgets(line, sizeof line, file) == NULL)
		die("the processor time of process %d", (int)pid);
	fclose(file);
	return strtoull(line, NULL, 10);
}

/* Anonymous and shared memory, and no files: the program's text is shared with whoever
 * else runs it, and its part in that changes as they come and go. */
static uint64_t memory_in_rollup(FILE *file)
{
	char line[256];
	uint64_t kib = 0;

	while (fgets(line, sizeof line, file) != NULL)
		if (strncmp(line, "Pss_Anon:", 9) == 0 || strncmp(line, "Pss_Shmem:", 10) == 0)
			kib += strtoull(strchr(line, ':') + 1, NULL, 10);
	return kib * 1024;
}

/* A server that forbids looking into it still shows its pages in statm. */
uint64_t server_memory(pid_t pid)
{
	char path[64];
	unsigned long total, resident, shared;
	uint64_t bytes = 0;
	FILE *file;

	snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)pid);
	file = fopen(path, "r");
	if (file != NULL) {
		bytes = memory_in_rollup(file);
		fclose(file);
	}
	if (bytes > 0)
		return bytes;
	snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
	file = fopen(path, "r");
	if (file == NULL || fscanf(file, "%lu %lu %lu", &total, &resident, &shared) != 3)
		die("the memory of process %d", (int)pid);
	fclose(file);
	return (uint64_t)(resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE);
}
