/* doctor_disk.c - what the machine gives: room and syncs, the time, descriptors. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/must.h"
#include "cli/doctor.h"
#include "journal/segment.h"
#include "journal/shelf.h"

/* ---- the disk ---- */

/* DATA, or as long as it is not there the directory it would be made in. */
static char *nearest(const char *data)
{
	char *path = must_dup(data);
	struct stat st;

	while (stat(path, &st) != 0 && errno == ENOENT && strcmp(path, "/") != 0 &&
	       strcmp(path, ".") != 0) {
		char *up = must_dup(dirname(path));

		free(path);
		path = up;
	}
	return path;
}

/* A file without a name, or with one that goes at once, on file systems that have none
 * such. */
static int open_trial(const char *dir)
{
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	char *path;

	if (fd >= 0)
		return fd;
	path = must_print("%s/doctor-%ld.tmp", dir, (long)getpid());
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0)
		unlink(path);
	free(path);
	return fd;
}

static void try_file(struct doctor *d, const char *dir)
{
	int fd = open_trial(dir);

	if (fd < 0 || write(fd, "x", 1) != 1) {
		doctor_say(d, HEALTH_BAD, "%s cannot be written to: %s", dir, strerror(errno));
		doctor_advise(d, "make room, mend its permissions, or choose another with --data");
	} else if (fdatasync(fd) != 0) {
		doctor_say(d, HEALTH_BAD, "%s: fdatasync fails: %s; nothing can be kept there", dir,
		           strerror(errno));
		doctor_advise(d, "look at `dmesg`, or choose another disk with --data");
	} else if (fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, 4096) != 0) {
		doctor_say(d, HEALTH_WARN,
		           "%s: no space can be reserved: %s; a full disk is noticed late", dir,
		           strerror(errno));
		doctor_advise(d, "choose ext4, xfs, btrfs or tmpfs with --data");
	} else {
		doctor_say(d, HEALTH_OK, "%s can be written, synced and reserved on", dir);
	}
	if (fd >= 0)
		close(fd);
}

static double journal_bytes(const char *data)
{
	char *path = must_print("%s/journal", data);
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct shelf shelf = {0};
	double bytes = 0;

	if (dir >= 0 && shelf_load(&shelf, dir, NULL))
		bytes = (double)shelf_bytes(&shelf);
	shelf_finish(&shelf);
	if (dir >= 0)
		close(dir);
	free(path);
	return bytes;
}

static void look_at_room(struct doctor *d, const char *dir)
{
	const struct config_journal *journal = &d->config->journal;
	struct statvfs fs;
	double room, wanted;

	if (statvfs(dir, &fs) != 0) {
		doctor_say(d, HEALTH_BAD, "%s: %s", dir, strerror(errno));
		doctor_advise(d, "choose another place with --data");
		return;
	}
	room = (double)fs.f_bavail * (double)fs.f_frsize;
	wanted = (double)journal->keep - journal_bytes(d->config->data);
	if (room < 2 * (double)journal->segment) {
		doctor_say(d, HEALTH_BAD, "%s has %.0f MiB left: not two segments of the journal",
		           dir, room / (double)MIB);
		doctor_advise(d, "make room, or set journal.keep and journal.segment lower");
	} else if (journal->keep == 0 || room < wanted) {
		doctor_say(d, HEALTH_WARN,
		           "%s has %.0f MiB left, and the journal may take more before it forgets",
		           dir, room / (double)MIB);
		doctor_advise(d, "set journal.keep below that");
	} else {
		doctor_say(d, HEALTH_OK, "%s has %.0f MiB left", dir, room / (double)MIB);
	}
}

void doctor_disk(struct doctor *d)
{
	char *dir = nearest(d->config->data);

	look_at_room(d, dir);
	try_file(d, dir);
	free(dir);
}

/* ---- the clock ---- */

#define CLOCK_SLACK_S 60 /* the clocks of file systems lag, those of other machines differ */

/* When the journal was last written to; 0: never. */
static int64_t newest_write(const char *data)
{
	char *path = must_print("%s/journal", data), name[SEGMENT_NAME_ROOM];
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct shelf shelf = {0};
	struct stat st = {0};

	if (dir >= 0 && shelf_load(&shelf, dir, NULL) && shelf.count) {
		segment_name(name, shelf.firsts[shelf.count - 1], SEGMENT_LINES);
		if (fstatat(dir, name, &st, 0) != 0)
			st = (struct stat){0};
	}
	shelf_finish(&shelf);
	if (dir >= 0)
		close(dir);
	free(path);
	return st.st_mtim.tv_sec;
}

void doctor_clock(struct doctor *d)
{
	int64_t now = clock_wall_ms() / 1000, written = newest_write(d->config->data);
	struct stat program;

	if (stat("/proc/self/exe", &program) == 0 && program.st_mtim.tv_sec > now + CLOCK_SLACK_S) {
		doctor_say(d, HEALTH_BAD,
		           "the clock is wrong: this program was built in the future");
		doctor_advise(d, "set it; `timedatectl set-ntp true` keeps it right");
	} else if (written > now + CLOCK_SLACK_S) {
		doctor_say(d, HEALTH_BAD,
		           "the clock is %lld s behind the journal's last write: it went back",
		           (long long)(written - now));
		doctor_advise(d, "set it; `timedatectl set-ntp true` keeps it right");
	} else {
		doctor_say(d, HEALTH_OK, "it is later than the journal's last write");
	}
}

/* ---- limits ---- */

#define DESCRIPTORS_KEPT 64 /* for listeners, files of the journal, sources */

void doctor_limits(struct doctor *d)
{
	unsigned wanted = d->config->limits.connections;
	struct rlimit files = {0};

	getrlimit(RLIMIT_NOFILE, &files);
	if (files.rlim_max < (rlim_t)wanted + DESCRIPTORS_KEPT) {
		doctor_say(d, files.rlim_max <= 2 * DESCRIPTORS_KEPT ? HEALTH_BAD : HEALTH_WARN,
		           "limits.connections is %u, but only %llu files may be open", wanted,
		           (unsigned long long)files.rlim_max);
		doctor_advise(d,
		              "`ulimit -Hn %u` before serve, LimitNOFILE=%u in its unit, or a "
		              "lower limits.connections",
		              wanted + DESCRIPTORS_KEPT, wanted + DESCRIPTORS_KEPT);
	} else {
		doctor_say(d, HEALTH_OK, "%u connections, and files enough for them", wanted);
	}
}
