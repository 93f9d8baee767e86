/* claude_registry.c - files of the registry into session.facts. */
#include "source/transcript/claude_registry.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/list.h"
#include "base/must.h"
#include "base/proc.h"
#include "base/whole.h"
#include "parse/claude_session.h"
#include "signal/json.h"
#include "signal/make.h"
#include "source/transcript/facts.h"

#define FILES_MAX 512 /* of the directory that are looked at */

/* A file, as it was when it was read last. */
struct registry_file {
	char name[32];
	struct timespec changed;
	ino_t inode;
	off_t size;
	off_t torn;    /* its size when it could not be read last; -1: it could */
	uint64_t told; /* the hash of what was told of it; 0: nothing */
	bool is_there; /* in the look that is going on */
	struct link in_all;
};

struct claude_registry {
	struct claude_registry_options options;
	char *dir;
	struct link files;
	bool is_torn; /* in the look that is going on: one of them */
	struct json_reader reader;
};

struct claude_registry *claude_registry_create(const struct claude_registry_options *options)
{
	struct claude_registry *r = must_zero(1, sizeof(*r));

	r->options = *options;
	r->dir = must_print("%s/sessions", options->config);
	list_init(&r->files);
	json_reader_init(&r->reader, CLAUDE_SESSION_MAX);
	return r;
}

static void registry_forget(struct registry_file *file)
{
	list_remove(&file->in_all);
	free(file);
}

void claude_registry_destroy(struct claude_registry *r)
{
	if (!r)
		return;
	while (!list_is_empty(&r->files))
		registry_forget(list_of(r->files.next, struct registry_file, in_all));
	json_reader_finish(&r->reader);
	free(r->dir);
	free(r);
}

/* --- one file ----------------------------------------------------------------------- */

static bool is_registered_name(const char *name)
{
	size_t digits = strspn(name, "0123456789");

	return digits > 0 && digits < 16 && strcmp(name + digits, ".json") == 0;
}

static struct registry_file *registry_need(struct claude_registry *r, const char *name)
{
	struct registry_file *file;

	list_each(&r->files, l) {
		file = list_of(l, struct registry_file, in_all);
		if (strcmp(file->name, name) == 0)
			return file;
	}
	file = must_zero(1, sizeof(*file));
	file->torn = -1;
	snprintf(file->name, sizeof(file->name), "%s", name);
	list_add(&r->files, &file->in_all);
	return file;
}

/* False: it is none that we read, or the one that we have read. */
static bool registry_load(struct registry_file *file, int dir, struct buf *raw)
{
	int fd = openat(dir, file->name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat is;
	bool good;

	if (fd < 0)
		return false;
	good = fstat(fd, &is) == 0 && S_ISREG(is.st_mode) && is.st_uid == geteuid() &&
	       is.st_size <= CLAUDE_SESSION_MAX;
	if (good && file->told && is.st_ino == file->inode && is.st_size == file->size &&
	    is.st_mtim.tv_sec == file->changed.tv_sec &&
	    is.st_mtim.tv_nsec == file->changed.tv_nsec)
		good = false;
	if (good) {
		file->inode = is.st_ino;
		file->size = is.st_size;
		file->changed = is.st_mtim;
		good = whole_read(fd, raw);
	}
	close(fd);
	return good;
}

static struct facts facts_of(const struct claude_session *s)
{
	static const char *const known[] = {"busy", "waiting", "idle", NULL};
	struct facts facts = {
		.session = s->id,
		.from = "registry",
		.version = s->version,
		.cwd = s->cwd,
		.pid = s->pid,
		.proc_start = s->proc_start,
		.waiting_for = s->waiting_for,
	};

	/* A name that it made of the folder tells nothing of the work. */
	if (!text_is(s->name_source, "derived"))
		facts.title = s->name;
	for (const char *const *word = known; *word; word++)
		if (text_is(s->status, *word))
			facts.status = s->status;
	facts.at_ms = s->status_ms > s->updated_ms ? s->status_ms : s->updated_ms;
	if (!facts.at_ms)
		facts.at_ms = s->started_ms;
	return facts;
}

static void registry_tell(struct claude_registry *r, struct registry_file *file,
                          const struct claude_session *session, const struct proc *process)
{
	struct facts facts = facts_of(session);
	char start[TEXT_U64_MAX];
	struct buf signal;
	uint64_t hash;

	facts.proc_start = text_of_u64(process->start, start);
	hash = facts_hash(&facts) | 1;
	if (hash == file->told)
		return;
	buf_init(&signal, FACTS_MAX);
	if (facts_make(&facts, &signal)) {
		file->told = hash;
		r->options.tell(r->options.self, buf_text(&signal));
	}
	buf_finish(&signal);
}

/* It is rewritten in place: what cannot be read is read again soon, for as long as that changes. */
static void registry_look_at(struct claude_registry *r, int dir, const char *name)
{
	struct registry_file *file = registry_need(r, name);
	struct claude_session session;
	struct proc process;
	struct buf raw;

	file->is_there = true;
	buf_init(&raw, CLAUDE_SESSION_MAX);
	if (registry_load(file, dir, &raw)) {
		if (!claude_session_read(&r->reader, buf_text(&raw), &session, NULL)) {
			r->is_torn |= file->torn != file->size;
			file->torn = file->size;
			file->size = -1;
		} else {
			file->torn = -1;
			if (proc_look(session.pid, &process) &&
			    claude_session_is(&session, &process))
				registry_tell(r, file, &session, &process);
		}
	}
	buf_finish(&raw);
}

/* --- all of them -------------------------------------------------------------------- */

static void registry_walk(struct claude_registry *r, DIR *dir)
{
	struct dirent *entry;
	unsigned seen = 0;

	while (seen < FILES_MAX && (entry = readdir(dir)))
		if (is_registered_name(entry->d_name)) {
			seen++;
			registry_look_at(r, dirfd(dir), entry->d_name);
		}
}

bool claude_registry_look(struct claude_registry *r)
{
	int fd = open(r->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;

	r->is_torn = false;
	list_each(&r->files, l)
		list_of(l, struct registry_file, in_all)->is_there = false;
	if (dir) {
		registry_walk(r, dir);
		closedir(dir);
	} else if (fd >= 0)
		close(fd);
	list_each(&r->files, l) {
		struct registry_file *file = list_of(l, struct registry_file, in_all);

		if (!file->is_there)
			registry_forget(file);
	}
	return r->is_torn;
}
