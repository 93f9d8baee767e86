/* torture.c - counting, and who calls.
 *
 * It runs inside malloc() and before anything is set up, so it takes no memory and no
 * lock; the objects of the program are looked at once, at the first call.
 */
#include "torture.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OBJECTS_MAX 128
#define LINE 256
#define FRAMES_MAX 40

static struct object {
	const char *name; /* empty: the program itself */
	uintptr_t base, from, to;
	bool is_spared;
} objects[OBJECTS_MAX];

static unsigned object_count;
static unsigned long turn; /* 0: nothing fails */
static bool lasts;
static atomic_ulong seen;
static atomic_uint seed;
static atomic_bool is_ready;

/* --- who calls ------------------------------------------------------------ */

/* cmocka is no part of what is tested, the loader ends the program by itself, and what
 * OpenSSL takes comes from must_* in the program, though not in the tests of a room. */
static bool is_spared(const char *name)
{
	return strstr(name, "/libcmocka") || strstr(name, "/ld-linux") ||
	       strstr(name, "/libcrypto") || strstr(name, "/libssl");
}

static int note_object(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size, (void)unused;
	for (unsigned i = 0; i < info->dlpi_phnum && object_count < OBJECTS_MAX; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uintptr_t from = info->dlpi_addr + part->p_vaddr;

		if (part->p_type == PT_LOAD && (part->p_flags & PF_X))
			objects[object_count++] =
				(struct object){info->dlpi_name, info->dlpi_addr, from,
			                        from + part->p_memsz, is_spared(info->dlpi_name)};
	}
	return 0;
}

static const struct object *object_of(const void *caller)
{
	for (unsigned i = 0; i < object_count; i++)
		if ((uintptr_t)caller >= objects[i].from && (uintptr_t)caller < objects[i].to)
			return &objects[i];
	return NULL;
}

bool torture_is_in(const void *caller, const char *object)
{
	const struct object *o = object_of(caller);

	return o && strstr(o->name, object);
}

/* --- where it breaks -------------------------------------------------------- */

static const int breaks[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

/* Each place on the way to it, the innermost first. */
static void tell_break(int number)
{
	void *places[FRAMES_MAX];
	int count = backtrace(places, FRAMES_MAX);

	is_ready = false;
	for (int i = 0; i < count; i++)
		torture_tell("broke", strsignal(number), places[i]);
	sigaction(number, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
	raise(number);
}

static void watch_breaks(void)
{
	void *place[1];

	backtrace(place, 1); /* what it needs is loaded now */
	for (size_t i = 0; i < sizeof(breaks) / sizeof(breaks[0]); i++)
		sigaction(breaks[i], &(struct sigaction){.sa_handler = tell_break}, NULL);
}

/* cmocka's way to set a handler of its own, which would go on. */
sighandler_t signal(int number, sighandler_t handler)
{
	struct sigaction was, will = {.sa_handler = handler, .sa_flags = SA_RESTART};

	for (size_t i = 0; i < sizeof(breaks) / sizeof(breaks[0]); i++)
		if (number == breaks[i])
			return SIG_DFL;
	return sigaction(number, &will, &was) == 0 ? was.sa_handler : SIG_ERR;
}

/* --- whose turn it is ------------------------------------------------------ */

__attribute__((constructor)) static void make_ready(void)
{
	const char *fail = getenv("TORTURE_FAIL"), *lot = getenv("TORTURE_SEED");
	char *end;

	dl_iterate_phdr(note_object, NULL);
	watch_breaks();
	turn = fail ? strtoul(fail, &end, 10) : 0;
	lasts = fail && *end == '+';
	seed = lot ? (unsigned)strtoul(lot, NULL, 10) : 1;
	is_ready = true;
}

__attribute__((destructor)) static void write_count(void)
{
	const char *path = getenv("TORTURE_COUNT");
	FILE *file = path ? fopen(path, "we") : NULL;

	is_ready = false;
	if (!file)
		return;
	fprintf(file, "%lu\n", atomic_load(&seen));
	fclose(file);
}

static bool concerns(const void *caller)
{
	const struct object *o = is_ready ? object_of(caller) : NULL;

	return is_ready && !(o && o->is_spared);
}

bool torture_now(const void *caller)
{
	return concerns(caller) && atomic_fetch_add(&seen, 1) + 1 == turn;
}

bool torture_lasts(const void *caller)
{
	return lasts && atomic_load(&seen) >= turn && concerns(caller);
}

unsigned torture_lot(unsigned n)
{
	unsigned now = atomic_load(&seed) * 1103515245 + 12345;

	atomic_store(&seed, now);
	return (now >> 8) % n;
}

void torture_tell(const char *call, const char *how, const void *caller)
{
	const struct object *o = object_of(caller);
	uintptr_t at = (uintptr_t)caller - (o ? o->base : 0);
	char line[LINE];
	int n = snprintf(line, sizeof(line), "torture: %s %s, called from %s 0x%lx\n", call, how,
	                 o && o->name[0] ? o->name : "the program", (unsigned long)at);

	if (n > 0 && syscall(SYS_write, 2, line, (size_t)n) < 0)
		_exit(125);
}

char *mkdtemp(char *template)
{
	char *(*real)(char *) = (char *(*)(char *))dlsym(RTLD_NEXT, "mkdtemp");
	const char *path = getenv("TORTURE_MADE");
	char *made = real(template);
	int fd = path && made ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;

	if (fd >= 0) {
		dprintf(fd, "%s\n", made);
		close(fd);
	}
	return made;
}
