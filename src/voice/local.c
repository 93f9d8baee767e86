/* local.c - see local.h. */
#include "voice/local.h"

#include <assert.h>
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/must.h"
#include "net/loop.h"
#include "net/process.h"

#define LINE_MAX_BYTES (4 * KIB)
#define FIRST_WAIT_MS 500
#define LONGEST_WAIT_MS 60000

struct voice_local {
	struct loop *loop;
	struct processes *processes;
	struct process *process; /* NULL: it does not run */
	struct deadline again;
	bool waits;       /* for that */
	unsigned users;   /* who started it and have not left */
	unsigned wait_ms; /* before the next start */
	char *data, *socket;
	char *program, *directory; /* NULL: it is not there */
};

/* ---- where it is ---- */

/* Beside our own program, as in the tree where both are built, or as both are installed. */
static char *find_beside(const char *here, const char *first, const char *second)
{
	const char *const places[] = {first, second};

	for (int i = 0; i < 2; i++) {
		char *path = must_print("%s/%s", here, places[i]);

		if (access(path, R_OK) == 0)
			return path;
		free(path);
	}
	return NULL;
}

static void find_program(struct voice_local *local)
{
	char here[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", here, sizeof(here) - 1);
	char *slash;

	if (n < 0)
		return;
	here[n] = '\0';
	slash = strrchr(here, '/');
	if (slash)
		*slash = '\0';
	local->program =
		find_beside(here, "signalbox-speech", "../libexec/signalbox/signalbox-speech");
	local->directory = find_beside(here, "voice", "../lib/signalbox/voice");
}

/* ---- its life ---- */

static bool run(struct voice_local *local, struct error *why);

static void wait_to_run(struct voice_local *local)
{
	local->waits = true;
	deadline_set(local->loop, &local->again, local->wait_ms);
	local->wait_ms *= 2;
	if (local->wait_ms > LONGEST_WAIT_MS)
		local->wait_ms = LONGEST_WAIT_MS;
}

static void run_again(struct deadline *deadline)
{
	struct voice_local *local = list_of(deadline, struct voice_local, again);
	struct error why;

	local->waits = false;
	if (run(local, &why))
		return;
	log_warn("voice", "%s", why.words);
	wait_to_run(local);
}

static void local_heard(void *self, enum process_stream stream, const struct piece *piece)
{
	struct voice_local *local = self;

	if (stream == PROCESS_COMPLAINTS)
		log_warn("voice", "%.*s", TEXT_ARG(piece->bytes));
	else if (text_is(piece->bytes, "ready"))
		local->wait_ms = FIRST_WAIT_MS;
}

static void local_ended(void *self, const struct process_end *end)
{
	struct voice_local *local = self;

	local->process = NULL;
	log_warn("voice", "signalbox-speech %s; it is started again", end->words);
	wait_to_run(local);
}

static bool run(struct voice_local *local, struct error *why)
{
	const char *argv[] = {
		local->program,   "--socket",
		local->socket,    local->directory ? "--directory" : NULL,
		local->directory, NULL,
	};

	local->process = process_start(local->processes,
	                               &(struct process_options){.argv = argv,
	                                                         .directory = local->data,
	                                                         .line_max = LINE_MAX_BYTES,
	                                                         .self = local,
	                                                         .heard = local_heard,
	                                                         .ended = local_ended},
	                               why);
	return local->process || error_within(why, "signalbox-speech cannot be started");
}

bool voice_local_start(struct voice_local *local, struct error *why)
{
	if (!local->program)
		return error_set(why, "signalbox-speech is not installed");
	if (!local->process && !local->waits && !run(local, why))
		return false;
	local->users++;
	return true;
}

void voice_local_leave(struct voice_local *local)
{
	assert(local->users > 0);
	if (--local->users)
		return;
	deadline_clear(&local->again);
	local->waits = false;
	local->wait_ms = FIRST_WAIT_MS;
	process_destroy(local->process);
	local->process = NULL;
}

/* ---- what it is made of ---- */

static void describe_file(const char *path, struct buf *out)
{
	struct stat file;

	if (stat(path, &file) == 0 && S_ISREG(file.st_mode))
		buf_print(out, "%s %lld %lld.%09ld\n", path, (long long)file.st_size,
		          (long long)file.st_mtim.tv_sec, file.st_mtim.tv_nsec);
}

static void describe_directory(const char *directory, struct buf *out)
{
	struct dirent **names;
	int count = scandir(directory, &names, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		char *path = must_print("%s/%s", directory, names[i]->d_name);

		describe_file(path, out);
		free(path);
		free(names[i]);
	}
	if (count >= 0)
		free(names);
}

bool voice_local_describe(const struct voice_local *local, struct buf *out)
{
	if (!local->program)
		return false;
	describe_file(local->program, out);
	if (local->directory)
		describe_directory(local->directory, out);
	return !out->full;
}

const char *voice_local_socket(const struct voice_local *local)
{
	return local->socket;
}

struct voice_local *voice_local_create(struct loop *loop, const char *data)
{
	struct voice_local *local = must_zero(1, sizeof(*local));

	local->loop = loop;
	local->processes = processes_create(loop);
	local->again.fire = run_again;
	local->wait_ms = FIRST_WAIT_MS;
	local->data = must_dup(data);
	local->socket = must_print("%s/speech.sock", data);
	find_program(local);
	return local;
}

void voice_local_destroy(struct voice_local *local)
{
	if (!local)
		return;
	deadline_clear(&local->again);
	processes_destroy(local->processes);
	free(local->data);
	free(local->socket);
	free(local->program);
	free(local->directory);
	free(local);
}
