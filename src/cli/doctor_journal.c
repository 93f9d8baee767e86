/* doctor_journal.c - who has the journal, and is its newest part as it was written? */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/must.h"
#include "cli/doctor.h"
#include "journal/verify.h"

#define SEGMENTS 2       /* the newest ones, which are read: a second or so */
#define PROBLEMS_SHOWN 5 /* `journal verify` says all */
#define PID_ROOM 24
#define LINE_ROOM 256

/* ---- who has it ---- */

void doctor_process_name(pid_t pid, char name[PROCESS_NAME_ROOM])
{
	char path[48];
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	in = fopen(path, "re");
	if (!in || !fgets(name, PROCESS_NAME_ROOM, in))
		memcpy(name, "?", 2);
	name[strcspn(name, "\n")] = '\0';
	if (in)
		fclose(in);
}

static pid_t read_pid(int fd)
{
	char words[PID_ROOM];
	ssize_t n = pread(fd, words, sizeof(words), 0);
	uint64_t pid;

	if (n <= 0 || !text_to_u64(text_trim((struct text){words, (size_t)n}), &pid) ||
	    pid > INT32_MAX)
		return -1;
	return (pid_t)pid;
}

/* Is this file locked?  The kernel's list is asked and not the lock: to take it, if for a
 * moment, would keep a box from starting in that moment. */
static bool is_locked(int fd)
{
	FILE *in = fopen("/proc/locks", "re");
	char line[LINE_ROOM], inode[PID_ROOM];
	bool found = false;
	struct stat st;

	if (fstat(fd, &st) != 0)
		st.st_ino = 0;
	/* "1: FLOCK  ADVISORY  WRITE PID MAJOR:MINOR:INODE 0 EOF" */
	snprintf(inode, sizeof(inode), ":%llu ", (unsigned long long)st.st_ino);
	while (in && !found && fgets(line, sizeof(line), in))
		found = strstr(line, ": FLOCK ") && strstr(line, inode);
	if (in)
		fclose(in);
	return found;
}

bool doctor_is_hidden(const char *path)
{
	return access(path, F_OK) != 0 && errno != ENOENT && errno != ENOTDIR;
}

pid_t doctor_find_box(const char *data)
{
	char *path = must_print("%s/lock", data);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	pid_t box = 0;

	if (fd >= 0 && is_locked(fd))
		box = read_pid(fd);
	if (fd >= 0)
		close(fd);
	free(path);
	return box;
}

static void tell_box(struct doctor *d)
{
	char name[PROCESS_NAME_ROOM];

	if (d->box > 0) {
		doctor_process_name(d->box, name);
		doctor_say(d, HEALTH_OK, "a box has it: %s, pid %d", name, (int)d->box);
	} else {
		doctor_say(d, HEALTH_OK, d->box < 0 ? "a box has it" : "no box has it");
	}
}

/* ---- how it is ---- */

struct problems {
	struct doctor *doctor;
	unsigned shown;
};

static void tell_problem(void *self, const char *words)
{
	struct problems *p = self;

	if (p->shown++ >= PROBLEMS_SHOWN)
		return;
	doctor_say(p->doctor, HEALTH_BAD, "%s", words);
	doctor_advise(p->doctor, "stop the box, then: signalbox journal repair --data %s",
	              p->doctor->config->data);
}

static void tell_report(struct doctor *d, const struct journal_report *r)
{
	if (r->lost) {
		doctor_say(d, HEALTH_WARN, "%llu signals were lost by the disk",
		           (unsigned long long)r->lost);
		doctor_advise(d, "look at `dmesg` for why it did");
	}
	if (r->problems == 0)
		doctor_say(d, HEALTH_OK, "its newest part is as it was written, to signal %llu%s",
		           (unsigned long long)r->last,
		           d->box || r->stopped_cleanly || !r->segments
		                   ? ""
		                   : "; the last box did not stop, it ended");
}

static unsigned count_quarantined(const char *journal)
{
	DIR *dir = opendir(journal);
	const struct dirent *entry;
	unsigned count = 0;

	while (dir && (entry = readdir(dir)))
		count += strstr(entry->d_name, ".quarantine") != NULL;
	if (dir)
		closedir(dir);
	return count;
}

void doctor_journal(struct doctor *d)
{
	struct problems problems = {d, 0};
	struct journal_report report = {
		.problem = tell_problem, .self = &problems, .newest = SEGMENTS};
	char *path = must_print("%s/journal", d->config->data);
	unsigned quarantined = count_quarantined(path);
	struct error why;

	if (!doctor_is_hidden(path))
		tell_box(d);
	if (access(path, F_OK) != 0 && !doctor_is_hidden(path)) {
		doctor_say(d, HEALTH_OK, "there is none yet");
	} else if (!journal_verify(d->config->data, &report, &why)) {
		doctor_say(d, HEALTH_BAD, "%s", why.words);
		doctor_advise(d, "mend it, or choose another place with --data");
	} else {
		tell_report(d, &report);
	}
	if (quarantined) {
		doctor_say(d, HEALTH_WARN, "%u damaged pieces are put aside in %s", quarantined,
		           path);
		doctor_advise(d, "look at the disk; what can be read of them is in *.quarantine");
	}
	free(path);
}
