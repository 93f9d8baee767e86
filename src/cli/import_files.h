/* import_files.h - the files that agents left of their sessions, as far as we may read them. */
#ifndef CLI_IMPORT_FILES_H
#define CLI_IMPORT_FILES_H

#include <stdint.h>

#include "base/error.h"
#include "cli/command.h"

/* What one program leaves, and who reads it. */
struct import_kind {
	const char *name;           /* for --from */
	const char *protocol;       /* parse/ */
	const char *const *folders; /* below its own directory, where they are; ended by NULL */
	bool (*is_one)(const char *path); /* is it a file of its, by the name? */
	/* What the path of a transcript has, and a file before that which has the folder of its
	 * session; NULL: transcripts have it themselves. */
	const char *within, *place;
	/* Its own directory, which the caller frees; NULL: there is none. */
	char *(*home)(const struct command_context *context);
};
extern const struct import_kind *const import_kinds[]; /* ended by NULL */
const struct import_kind *import_kind_find(const char *name);

struct import_file {
	char *path;
	const struct import_kind *kind;
	uint64_t bytes;
	int64_t changed_ns;
};

struct import_files {
	struct import_file *list;
	size_t count, room;
	uint64_t bytes;
	uint64_t left_out; /* by their names transcripts, but no plain files of ours */
};

void import_files_init(struct import_files *files);
void import_files_finish(struct import_files *files);

/* A file, or a folder with all below it.  kind NULL: what its name says.  Links are not followed,
 * and files of other users are left alone. */
bool import_files_add(struct import_files *files, const char *path, const struct import_kind *kind,
                      struct error *why);
/* What is at its usual place. */
void import_files_add_known(struct import_files *files, const struct command_context *context,
                            const struct import_kind *kind);
void import_files_sort(struct import_files *files); /* what was changed first stands first */

#endif
