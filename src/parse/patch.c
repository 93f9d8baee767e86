/* patch.c - `*** Update File: PATH`, and lines that begin with + or -. */
#include "parse/patch.h"

#include "base/must.h"
#include "base/put.h"

#define PATH_LEN_MAX 4096
#define CHANGES_MAX (PATCH_FILES_MAX * (PATH_LEN_MAX * 6 + 200))

struct patch_file {
	struct text path;
	const char *kind;
	uint64_t added, removed;
};

static bool begins_file(struct text line, struct patch_file *file)
{
	static const struct {
		const char *head, *kind;
	} heads[] = {
		{"*** Add File: ", "create"},
		{"*** Update File: ", "update"},
		{"*** Delete File: ", "delete"},
	};

	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++) {
		size_t len = strlen(heads[i].head);

		if (!text_starts(line, text_of(heads[i].head)))
			continue;
		*file = (struct patch_file){
			.path = text_trim((struct text){line.at + len, line.len - len}),
			.kind = heads[i].kind};
		return true;
	}
	return false;
}

static void put_file(struct buf *out, const struct patch_file *file)
{
	if (!file->kind || file->path.len == 0 || file->path.len > PATH_LEN_MAX)
		return;
	put_object(out, NULL);
	put_text(out, "path", file->path);
	put_word(out, "kind", file->kind);
	put_u64(out, "added", file->added);
	put_u64(out, "removed", file->removed);
	put_end(out);
}

char *patch_changes(struct text patch)
{
	struct patch_file file = {0}, next;
	unsigned files = 0;
	struct buf out;
	char *changes;

	buf_init(&out, CHANGES_MAX);
	put_list(&out, NULL);
	while (patch.len && files < PATCH_FILES_MAX) {
		struct text line = text_cut(patch, '\n', &patch);

		if (begins_file(line, &next)) {
			put_file(&out, &file);
			file = next;
			files++;
		} else if (line.len) {
			file.added += line.at[0] == '+';
			file.removed += line.at[0] == '-';
		}
	}
	put_file(&out, &file);
	put_list_end(&out);
	changes = out.len > 2 && !out.full ? text_dup(buf_text(&out)) : NULL;
	buf_finish(&out);
	return changes;
}
