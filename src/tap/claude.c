/* claude.c - looking for programs, packages, extensions and sessions. */
#include "tap/claude.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/must.h"
#include "base/proc.h"
#include "base/whole.h"
#include "parse/claude_session.h"
#include "signal/json.h"
#include "tap/events.h"

#define PACKAGE "@anthropic-ai/claude-code" /* and those of its machines: ...-linux-x64 */
#define PACKAGE_MAX (256 * KIB)
#define ENTRIES_MAX 1024 /* of a directory that are looked at: nobody has so many */

struct claude_search {
	struct claude_found *found;
	struct json_reader reader;
};

/* ---- what was found ---- */

/* version NULL: there is one, and nobody can say which. */
static void claude_note(struct claude_search *s, const char *where, const struct version *version)
{
	struct claude_found *found = s->found;
	struct version is = version ? *version : tap_oldest_supposed;

	if (found->where && version_compare(found->version, is) <= 0)
		return;
	free(found->where);
	*found = (struct claude_found){is, version != NULL, must_dup(where)};
}

/* The package file of a directory, if it is Claude Code's. */
static bool read_package(struct claude_search *s, const char *dir, struct version *out)
{
	char *path = must_print("%s/package.json", dir);
	struct text name = {0}, version = {0};
	struct buf text;
	yyjson_doc *doc = NULL;

	buf_init(&text, PACKAGE_MAX);
	if (whole_load(path, 0, &text, NULL))
		doc = json_read(&s->reader, buf_text(&text), NULL);
	if (doc) {
		name = json_text_at(yyjson_doc_get_root(doc), "name");
		version = json_text_at(yyjson_doc_get_root(doc), "version");
	}
	buf_finish(&text);
	free(path);
	return (text_starts(name, TEXT(PACKAGE)) || text_is(name, "claude-code")) &&
	       version_read(version, out);
}

/* ---- programs ---- */

static struct text claude_name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return text_of(slash ? slash + 1 : path);
}

/* The program's own directory, the one above it (.../bin/claude), and for a small script
 * the packages beside it. */
static bool version_beside(struct claude_search *s, const char *path, struct version *out)
{
	static const char *const places[] = {"", "/..", ("/node_modules/" PACKAGE)};
	struct text name = claude_name_of(path);
	bool known = version_read(name, out); /* .../claude/versions/2.1.97 */

	for (size_t i = 0; !known && i < sizeof(places) / sizeof(*places); i++) {
		char *dir = must_print("%.*s%s", (int)(name.at - path), path, places[i]);

		known = read_package(s, dir, out);
		free(dir);
	}
	return known;
}

/* A link of an installer leads to the program. */
static void claude_look_at_program(struct claude_search *s, const char *path)
{
	char *real = realpath(path, NULL);
	struct version version;

	if (real && access(real, X_OK) == 0)
		claude_note(s, path, version_beside(s, real, &version) ? &version : NULL);
	free(real);
}

static void look_on_path(struct claude_search *s, const char *path)
{
	struct text rest = text_of(path);

	while (rest.len) {
		struct text dir = text_cut(rest, ':', &rest);
		char *program = must_print("%.*s/claude", TEXT_ARG(dir));

		if (dir.len && dir.at[0] == '/')
			claude_look_at_program(s, program);
		free(program);
	}
}

/* ---- directories ---- */

typedef void entry_fn(struct claude_search *s, const char *dir, const char *name);

static void each_entry(struct claude_search *s, const char *dir, entry_fn *fn)
{
	DIR *open = opendir(dir);
	struct dirent *entry;

	for (unsigned n = 0; open && n < ENTRIES_MAX && (entry = readdir(open)); n++)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			fn(s, dir, entry->d_name);
	if (open)
		closedir(open);
}

/* The native installer keeps each version under its name. */
static void look_at_native(struct claude_search *s, const char *dir, const char *name)
{
	char *path = must_print("%s/%s", dir, name);
	struct version version;

	if (version_read(text_of(name), &version))
		claude_note(s, path, &version);
	free(path);
}

#define EXTENSION "anthropic.claude-code-"

static void look_at_extension(struct claude_search *s, const char *dir, const char *name)
{
	char *path = must_print("%s/%s", dir, name);
	struct text rest = text_of(name);
	struct version version;

	if (text_starts(rest, TEXT(EXTENSION))) {
		rest.at += sizeof(EXTENSION) - 1;
		rest.len -= sizeof(EXTENSION) - 1;
		claude_note(s, path, version_read(rest, &version) ? &version : NULL);
	}
	free(path);
}

/* ~/.vscode, ~/.cursor-server and many more: there is a new editor every month. */
static void look_at_editor(struct claude_search *s, const char *home, const char *name)
{
	char *dir = must_print("%s/%s/extensions", home, name);

	if (name[0] == '.')
		each_entry(s, dir, look_at_extension);
	free(dir);
}

/* nvm has a directory for each version of node. */
static void look_at_node(struct claude_search *s, const char *dir, const char *name)
{
	char *program = must_print("%s/%s/bin/claude", dir, name);

	claude_look_at_program(s, program);
	free(program);
}

/* ---- sessions ---- */

/* Versions before some 2.1.200 do not say which they are in the registry: their command does. */
static void look_at_command(struct claude_search *s, uint64_t pid)
{
	char path[64], bytes[4 * KIB];
	FILE *in;
	struct text rest = {bytes, 0};
	struct version version;

	snprintf(path, sizeof(path), "/proc/%llu/cmdline", (unsigned long long)pid);
	in = fopen(path, "re");
	if (in) {
		rest.len = fread(bytes, 1, sizeof(bytes) - 1, in);
		bytes[rest.len] = '\0';
		fclose(in);
	}
	for (int i = 0; i < 2 && rest.len; i++) { /* `claude ...`, `node .../cli.js ...` */
		struct text word = text_cut(rest, '\0', &rest);
		char *real = word.len && word.at[0] == '/' ? realpath(word.at, NULL) : NULL;

		if (real && version_beside(s, real, &version))
			claude_note(s, real, &version);
		free(real);
	}
}

static void look_at_session(struct claude_search *s, const char *dir, const char *name)
{
	size_t len = strlen(name);
	char *path;
	struct claude_session session;
	struct proc process;
	struct version version;
	struct buf text;

	/* PID.json and nothing else: the key beside it is a secret. */
	if (len < 6 || strcmp(name + len - 5, ".json") != 0 ||
	    strspn(name, "0123456789") != len - 5)
		return;
	path = must_print("%s/%s", dir, name);
	buf_init(&text, CLAUDE_SESSION_MAX);
	if (whole_load(path, WHOLE_NO_LINK, &text, NULL) &&
	    claude_session_read(&s->reader, buf_text(&text), &session, NULL) &&
	    proc_look(session.pid, &process) && claude_session_is(&session, &process)) {
		if (version_read(session.version, &version))
			claude_note(s, path, &version);
		else
			look_at_command(s, session.pid);
	}
	buf_finish(&text);
	free(path);
}

/* ---- all of it ---- */

static void claude_look_in(struct claude_search *s, const char *top, const char *under,
                           entry_fn *fn)
{
	char *dir = must_print("%s/%s", top, under);

	each_entry(s, dir, fn);
	free(dir);
}

/* A service of the user has a shorter PATH than a shell. */
static void look_at_home(struct claude_search *s, const char *home)
{
	static const char *const bins[] = {".local/bin", ".npm-global/bin", ".bun/bin",
	                                   ".volta/bin", ".claude/local"};

	for (size_t i = 0; i < sizeof(bins) / sizeof(*bins); i++) {
		char *program = must_print("%s/%s/claude", home, bins[i]);

		claude_look_at_program(s, program);
		free(program);
	}
	each_entry(s, home, look_at_editor);
	claude_look_in(s, home, ".nvm/versions/node", look_at_node);
	claude_look_in(s, home, ".local/share/claude/versions", look_at_native);
}

void claude_find(const struct claude_places *places, struct claude_found *found)
{
	struct claude_search s = {.found = found};

	*found = (struct claude_found){.version = tap_oldest_supposed};
	json_reader_init(&s.reader, PACKAGE_MAX);
	if (places->path)
		look_on_path(&s, places->path);
	if (places->home && *places->home)
		look_at_home(&s, places->home);
	if (places->config)
		claude_look_in(&s, places->config, "sessions", look_at_session);
	json_reader_finish(&s.reader);
}

void claude_found_finish(struct claude_found *found)
{
	free(found->where);
	*found = (struct claude_found){0};
}
