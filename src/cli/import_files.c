/* import_files.c - where programs keep their transcripts, and walking there. */
#include "cli/import_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/must.h"
#include "tap/tap.h"

#define DEPTH_MAX 8
#define FILES_MAX 1000000

/* ---- programs ---- */

static char *claude_home(const struct command_context *context)
{
	return tap_config_dir(command_env(context, "CLAUDE_CONFIG_DIR"),
	                      command_env(context, "HOME"));
}

static bool is_claude(const char *path)
{
	return text_ends(text_of(path), TEXT(".jsonl"));
}

static const char *const claude_folders[] = {"projects", NULL};

static const struct import_kind claude = {
	.name = "claude",
	.protocol = "claude-transcript",
	.folders = claude_folders,
	.is_one = is_claude,
	.home = claude_home,
};

/* Below the home of the user where nothing else is said. */
static char *home_of(const struct command_context *context, const char *given, const char *below)
{
	const char *home = command_env(context, "HOME");

	if (given && given[0])
		return must_dup(given);
	return home && home[0] ? must_print("%s/%s", home, below) : NULL;
}

static char *codex_home(const struct command_context *context)
{
	return home_of(context, command_env(context, "CODEX_HOME"), ".codex");
}

static const char *name_in(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_codex(const char *path)
{
	return text_starts(text_of(name_in(path)), TEXT("rollout-")) &&
	       (is_claude(path) || text_ends(text_of(path), TEXT(".jsonl.zst")));
}

static const char *const codex_folders[] = {"sessions", "archived_sessions", NULL};

static const struct import_kind codex = {
	.name = "codex",
	.protocol = "codex-rollout",
	.folders = codex_folders,
	.is_one = is_codex,
	.home = codex_home,
};

static char *gemini_home(const struct command_context *context)
{
	const char *moved = command_env(context, "GEMINI_CLI_HOME");
	char *given = moved && moved[0] ? must_print("%s/.gemini", moved) : NULL;
	char *home = home_of(context, given, ".gemini");

	free(given);
	return home;
}

static bool is_gemini(const char *path)
{
	return strstr(path, "/chats/") &&
	       (is_claude(path) || text_ends(text_of(path), TEXT(".json")));
}

static const char *const gemini_folders[] = {"tmp", NULL};

static const struct import_kind gemini = {
	.name = "gemini",
	.protocol = "gemini-chat",
	.folders = gemini_folders,
	.is_one = is_gemini,
	.within = "/chats/",
	.place = ".project_root",
	.home = gemini_home,
};

/* The last takes any name. */
const struct import_kind *const import_kinds[] = {&codex, &gemini, &claude, NULL};

const struct import_kind *import_kind_find(const char *name)
{
	for (const struct import_kind *const *kind = import_kinds; *kind; kind++)
		if (text_is(text_of(name), (*kind)->name))
			return *kind;
	return NULL;
}

static const struct import_kind *kind_of(const char *path, const struct import_kind *kind)
{
	if (kind)
		return kind->is_one(path) ? kind : NULL;
	for (const struct import_kind *const *each = import_kinds; *each; each++)
		if ((*each)->is_one(path))
			return *each;
	return NULL;
}

/* ---- files ---- */

void import_files_init(struct import_files *files)
{
	*files = (struct import_files){0};
}

void import_files_finish(struct import_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		free(files->list[i].path);
	free(files->list);
	*files = (struct import_files){0};
}

static void add_file(struct import_files *files, const char *path, const struct stat *is,
                     const struct import_kind *kind)
{
	if (!S_ISREG(is->st_mode) || is->st_uid != geteuid() || files->count == FILES_MAX) {
		files->left_out++;
		return;
	}
	if (files->count == files->room) {
		files->room = files->room ? 2 * files->room : 64;
		files->list = must_grow(files->list, files->room * sizeof(*files->list));
	}
	files->list[files->count++] = (struct import_file){
		.path = must_dup(path),
		.kind = kind,
		.bytes = (uint64_t)is->st_size,
		.changed_ns = (int64_t)is->st_mtim.tv_sec * 1000000000 + is->st_mtim.tv_nsec,
	};
	files->bytes += (uint64_t)is->st_size;
}

struct import_walk {
	struct import_files *files;
	const struct import_kind *kind; /* NULL: what the names say */
};

static void walk(const struct import_walk *w, const char *path, unsigned depth);

static void walk_entry(const struct import_walk *w, DIR *dir, const char *path, const char *name,
                       unsigned depth)
{
	const struct import_kind *its;
	struct stat is;
	char *below;

	if (name[0] == '.' || fstatat(dirfd(dir), name, &is, AT_SYMLINK_NOFOLLOW) != 0)
		return;
	below = must_print("%s/%s", path, name);
	its = kind_of(below, w->kind);
	if (S_ISDIR(is.st_mode) && depth < DEPTH_MAX)
		walk(w, below, depth + 1);
	else if (its)
		add_file(w->files, below, &is, its);
	free(below);
}

static void walk(const struct import_walk *w, const char *path, unsigned depth)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (depth ? O_NOFOLLOW : 0));
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		walk_entry(w, dir, path, entry->d_name, depth);
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
}

/* True: it is the directory of a program, with folders that we know. */
static bool add_folders(struct import_files *files, const char *home,
                        const struct import_kind *kind)
{
	bool any = false;

	for (const char *const *folder = kind->folders; *folder; folder++) {
		char *path = must_print("%s/%s", home, *folder);

		if (access(path, R_OK | X_OK) == 0) {
			any = true;
			walk(&(struct import_walk){files, kind}, path, 0);
		}
		free(path);
	}
	return any;
}

bool import_files_add(struct import_files *files, const char *path, const struct import_kind *kind,
                      struct error *why)
{
	struct stat is;

	if (stat(path, &is) != 0)
		return error_set(why, "%s: %s", path, strerror(errno));
	if (!S_ISDIR(is.st_mode)) {
		kind = kind_of(path, kind);
		if (!kind)
			return error_set(why, "%s: not the name of a transcript", path);
		add_file(files, path, &is, kind);
		return true;
	}
	if (kind && add_folders(files, path, kind))
		return true;
	for (const struct import_kind *const *each = import_kinds; !kind && *each; each++)
		if (add_folders(files, path, *each))
			return true;
	walk(&(struct import_walk){files, kind}, path, 0);
	return true;
}

void import_files_add_known(struct import_files *files, const struct command_context *context,
                            const struct import_kind *kind)
{
	char *home = kind->home(context);

	if (home)
		add_folders(files, home, kind);
	free(home);
}

static int compare_files(const void *a, const void *b)
{
	const struct import_file *x = a, *y = b;

	if (x->changed_ns != y->changed_ns)
		return x->changed_ns < y->changed_ns ? -1 : 1;
	return strcmp(x->path, y->path);
}

void import_files_sort(struct import_files *files)
{
	if (files->count)
		qsort(files->list, files->count, sizeof(*files->list), compare_files);
}
