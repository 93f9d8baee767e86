/* proc.c - reading /proc. */
#include "base/proc.h"

#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define FIELD_STATE 3 /* the first behind the name */
#define FIELD_START 22

static size_t read_small(const char *path, char *bytes, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd >= 0 ? read(fd, bytes, room) : -1;

	if (fd >= 0)
		close(fd);
	return len > 0 ? (size_t)len : 0;
}

/* A name may hold spaces and brackets; what follows it does not. */
bool proc_read_stat(struct text stat, char *state, uint64_t *start)
{
	const char *end = stat.len ? memrchr(stat.at, ')', stat.len) : NULL;
	struct text rest, field = {0};

	if (!end)
		return false;
	rest = (struct text){end + 1, (size_t)(stat.at + stat.len - end) - 1};
	rest = text_trim(rest);
	for (int i = FIELD_STATE; i <= FIELD_START; i++) {
		field = text_cut(rest, ' ', &rest);
		if (i == FIELD_STATE && field.len == 1)
			*state = *field.at;
		else if (field.len == 0 || i == FIELD_STATE)
			return false;
	}
	return text_to_u64(field, start);
}

static int64_t proc_time_of(uint64_t ticks)
{
	long rate = sysconf(_SC_CLK_TCK);
	struct timespec since_boot;
	double age_ms;

	if (rate <= 0 || clock_gettime(CLOCK_BOOTTIME, &since_boot) != 0)
		return 0;
	age_ms = (double)since_boot.tv_sec * 1e3 + (double)since_boot.tv_nsec / 1e6 -
	         (double)ticks * 1e3 / (double)rate;
	return clock_wall_ms() - (int64_t)age_ms;
}

bool proc_look(uint64_t pid, struct proc *out)
{
	char path[64], bytes[1024], state;
	ssize_t len;
	struct text machine;

	*out = (struct proc){0};
	snprintf(path, sizeof(path), "/proc/%llu/stat", (unsigned long long)pid);
	if (pid == 0 ||
	    !proc_read_stat((struct text){bytes, read_small(path, bytes, sizeof(bytes))}, &state,
	                    &out->start) ||
	    state == 'Z' || state == 'X')
		return false;
	out->began_ms = proc_time_of(out->start);
	len = readlink("/proc/self/ns/pid", out->space, sizeof(out->space) - 1);
	out->space[len > 0 ? len : 0] = '\0';
	machine.len = read_small("/etc/machine-id", bytes, sizeof(out->machine) - 1);
	machine = text_trim((struct text){bytes, machine.len});
	memcpy(out->machine, machine.at, machine.len);
	return true;
}
