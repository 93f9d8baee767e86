/* attached.c - references of agents to pictures and files. */
#include "deliver/attached.h"

#include "deliver/files.h"

bool attached_fits(struct text where)
{
	for (size_t i = 0; i < where.len; i++)
		if ((unsigned char)where.at[i] < ' ' || where.at[i] == 0x7F)
			return false;
	return where.len > 0 && where.len <= CHANNEL_WHERE_MAX;
}

unsigned attached_count(struct text list)
{
	unsigned count = list.len > 0;

	for (size_t i = 0; i < list.len; i++)
		count += list.at[i] == '\n';
	return count;
}

struct text attached_get(struct text list, unsigned number)
{
	for (struct text rest = list; rest.at;) {
		struct text one = text_cut(rest, '\n', &rest);

		if (--number == 0)
			return one;
	}
	return TEXT("");
}

static bool starts_nocase(struct text t, struct text prefix)
{
	return t.len >= prefix.len && text_equal_nocase((struct text){t.at, prefix.len}, prefix);
}

bool attached_is_web(struct text where)
{
	return starts_nocase(where, TEXT("http://")) || starts_nocase(where, TEXT("https://"));
}

/* What leads out of the directory is for who opens it to refuse. */
struct text attached_below(struct text where, struct text directory)
{
	struct text none = {NULL, 0};

	if (memmem(where.at, where.len, "://", 3))
		return none;
	if (!where.len || where.at[0] != '/')
		return where;
	while (directory.len > 1 && directory.at[directory.len - 1] == '/')
		directory.len--;
	if (!text_starts(where, directory) || where.len <= directory.len + 1 ||
	    where.at[directory.len] != '/')
		return none;
	return (struct text){where.at + directory.len + 1, where.len - directory.len - 1};
}

/* The last part of its path; a URL may go on behind it. */
static struct text named_by(struct text where)
{
	struct text rest, path = where;

	if (attached_is_web(where))
		path = text_cut(text_cut(where, '?', &rest), '#', &rest);
	for (size_t i = path.len; i-- > 0;)
		if (path.at[i] == '/') {
			if (i > 0 && path.at[i - 1] == '/' && attached_is_web(where))
				return TEXT(""); /* that is the host */
			return (struct text){path.at + i + 1, path.len - i - 1};
		}
	return path;
}

struct channel_file attached_file(struct text where, bool is_voice)
{
	struct text name = named_by(where), type = files_type_of(name);
	enum channel_file_kind kind = files_kind_of(type);

	if (is_voice && kind == CHANNEL_AUDIO)
		kind = CHANNEL_VOICE;
	return (struct channel_file){.kind = kind, .name = name, .type = type};
}

void attached_put_names(struct text list, bool is_voice, struct buf *out)
{
	unsigned count = attached_count(list);

	for (unsigned i = 1; i <= count; i++) {
		struct channel_file file = attached_file(attached_get(list, i), is_voice);

		if (out->len)
			buf_add_char(out, '\n');
		buf_print(out, "[%s: ", files_kind_name(file.kind));
		files_put_shown(&file, out);
		buf_add_char(out, ']');
	}
}
