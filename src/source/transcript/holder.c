/* holder.c - a walk through /proc. */
#include "source/transcript/holder.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/must.h"
#include "base/proc.h"

#define DESCRIPTORS_MAX 4096 /* of a process that are looked at */
#define CANDIDATES_MAX 16    /* of more it is not said which it is */
#define WORDS_MAX 8          /* of a command that are looked at */

/* Processes of one program in one folder. */
struct holder_found {
	bool is_folder; /* there is one, and this is it */
	dev_t device;
	ino_t inode;
	uint64_t pids[CANDIDATES_MAX], parents[CANDIDATES_MAX];
	unsigned count;
};

struct holder_walk {
	struct holder_find *find;
	bool wants_files, wants_folders;
	struct holder_found found[HOLDERS_MAX]; /* as find.wishes */
};

/* ---- by its descriptors ---- */

static struct holder_wish *wish_of(struct holder_find *find, const char *path)
{
	const char *slash = strrchr(path, '/');

	for (unsigned i = 0; slash && path[0] == '/' && i < find->count; i++)
		if (!find->wishes[i].pid && !find->wishes[i].program &&
		    strcmp(find->wishes[i].name, slash + 1) == 0)
			return &find->wishes[i];
	return NULL;
}

/* "flags:" and how it was opened, in octal. */
static bool is_written(uint64_t pid, const char *number)
{
	char path[64], said[256];
	unsigned flags = O_RDONLY;
	const char *at;
	ssize_t n = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%llu/fdinfo/%.16s", (unsigned long long)pid, number);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, said, sizeof(said) - 1);
		close(fd);
	}
	said[n > 0 ? n : 0] = '\0';
	at = strstr(said, "flags:");
	if (at)
		flags = (unsigned)strtoul(at + 6, NULL, 8);
	return (flags & O_ACCMODE) != O_RDONLY;
}

static void look_at_descriptor(struct holder_find *find, int dir, const char *number, uint64_t pid)
{
	char path[PATH_MAX];
	ssize_t n = readlinkat(dir, number, path, sizeof(path) - 1);
	struct holder_wish *wish;
	struct proc process;
	struct stat is;

	if (n <= 0)
		return;
	path[n] = '\0';
	wish = wish_of(find, path);
	if (wish && fstatat(dir, number, &is, 0) == 0 && is.st_ino == wish->inode &&
	    is.st_dev == wish->device && is_written(pid, number) && proc_look(pid, &process)) {
		wish->pid = pid;
		wish->start = process.start;
	}
}

/* ---- by its folder and its name ---- */

/* One of its first words is the program, or a script of that name: node /usr/bin/gemini. */
static bool is_called(uint64_t pid, const char *program)
{
	char path[64], said[4096];
	ssize_t n = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%llu/cmdline", (unsigned long long)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, said, sizeof(said) - 1);
		close(fd);
	}
	said[n > 0 ? n : 0] = '\0';
	for (ssize_t at = 0, words = 0; at < n && words < WORDS_MAX; words++) {
		const char *word = said + at, *slash = strrchr(word, '/');
		size_t len = strlen(program);

		at += (ssize_t)strlen(word) + 1;
		word = slash ? slash + 1 : word;
		if (strncmp(word, program, len) == 0 &&
		    (word[len] == '\0' || strcmp(word + len, ".js") == 0))
			return true;
	}
	return false;
}

static uint64_t parent_of(uint64_t pid)
{
	char path[64], said[1024];
	struct text rest;
	ssize_t n = 0;
	uint64_t parent;
	const char *at;
	int fd;

	snprintf(path, sizeof(path), "/proc/%llu/stat", (unsigned long long)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, said, sizeof(said) - 1);
		close(fd);
	}
	said[n > 0 ? n : 0] = '\0';
	at = strrchr(said, ')'); /* then its state, and its parent */
	if (!at || strlen(at) < 5 || !text_to_u64(text_cut(text_of(at + 4), ' ', &rest), &parent))
		return 0;
	return parent;
}

static void note_candidate(struct holder_found *found, uint64_t pid)
{
	if (found->count < CANDIDATES_MAX) {
		found->pids[found->count] = pid;
		found->parents[found->count] = parent_of(pid);
	}
	found->count++;
}

static void look_at_folder(struct holder_walk *walk, uint64_t pid)
{
	struct holder_find *find = walk->find;
	char path[64];
	struct stat is;

	snprintf(path, sizeof(path), "/proc/%llu/cwd", (unsigned long long)pid);
	if (stat(path, &is) != 0)
		return;
	for (unsigned i = 0; i < find->count; i++) {
		const struct holder_found *f = &walk->found[i];

		if (f->is_folder && f->device == is.st_dev && f->inode == is.st_ino &&
		    is_called(pid, find->wishes[i].program))
			note_candidate(&walk->found[i], pid);
	}
}

static bool has_child(const struct holder_found *found, uint64_t pid)
{
	for (unsigned i = 0; i < found->count; i++)
		if (found->parents[i] == pid)
			return true;
	return false;
}

/* The only one that no other of them began. */
static void choose(struct holder_wish *wish, const struct holder_found *found)
{
	struct proc process;
	uint64_t pid = 0;

	if (found->count > CANDIDATES_MAX)
		return;
	for (unsigned i = 0; i < found->count; i++) {
		if (has_child(found, found->pids[i]))
			continue;
		if (pid)
			return;
		pid = found->pids[i];
	}
	if (pid && proc_look(pid, &process)) {
		wish->pid = pid;
		wish->start = process.start;
	}
}

/* ---- all of them ---- */

static void look_at_process(struct holder_walk *walk, const char *number)
{
	uint64_t pid;
	char path[64];
	struct stat is;
	struct dirent *entry;
	unsigned looked = 0;
	DIR *dir;

	if (!text_to_u64(text_of(number), &pid) || pid == (uint64_t)getpid())
		return;
	snprintf(path, sizeof(path), "/proc/%llu/fd", (unsigned long long)pid);
	if (stat(path, &is) != 0 || is.st_uid != geteuid() || !(dir = opendir(path)))
		return;
	while (walk->wants_files && looked++ < DESCRIPTORS_MAX && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			look_at_descriptor(walk->find, dirfd(dir), entry->d_name, pid);
	closedir(dir);
	if (walk->wants_folders)
		look_at_folder(walk, pid);
}

static void walk_begin(struct holder_walk *walk)
{
	struct stat is;

	for (unsigned i = 0; i < walk->find->count; i++) {
		const struct holder_wish *wish = &walk->find->wishes[i];
		struct holder_found *found = &walk->found[i];

		found->is_folder = wish->program && wish->cwd && stat(wish->cwd, &is) == 0;
		if (found->is_folder) {
			found->device = is.st_dev;
			found->inode = is.st_ino;
		}
		walk->wants_folders |= found->is_folder;
		walk->wants_files |= !wish->program;
	}
}

void holder_find_run(struct holder_find *find)
{
	struct holder_walk *walk = must_zero(1, sizeof(*walk));
	DIR *dir = opendir("/proc");
	struct dirent *entry;

	walk->find = find;
	walk_begin(walk);
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9')
			look_at_process(walk, entry->d_name);
	if (dir)
		closedir(dir);
	for (unsigned i = 0; i < find->count; i++)
		choose(&find->wishes[i], &walk->found[i]);
	free(walk);
}

void holder_find_finish(struct holder_find *find)
{
	for (unsigned i = 0; i < find->count; i++) {
		free(find->wishes[i].name);
		free(find->wishes[i].cwd);
	}
}
