/* files.c - names, lines and records of files that people send. */
#include "deliver/files.h"

#include "base/put.h"
#include "base/utf8.h"
#include "base/visible.h"

#define TYPE_MAX 100
#define STEM_MAX 80 /* bytes of a name before its end */
#define END_MAX 16  /* bytes of that */
#define SHOWN_MAX 60

static const struct {
	const char *word, *told, *type, *name;
} kinds[] = {
	[CHANNEL_PICTURE] = {"picture", "picture", "image/jpeg", "picture.jpg"},
	[CHANNEL_DOCUMENT] = {"file", "file", "application/octet-stream", "file"},
	[CHANNEL_VOICE] = {"voice", "voice note", "audio/ogg", "voice.ogg"},
	[CHANNEL_AUDIO] = {"audio", "recording", "audio/mpeg", "recording.mp3"},
	[CHANNEL_VIDEO] = {"video", "video", "video/mp4", "video.mp4"},
};

#define KINDS (sizeof(kinds) / sizeof(*kinds))

const char *files_kind_name(enum channel_file_kind kind)
{
	return kinds[kind].word;
}

bool files_read_kind(struct text word, enum channel_file_kind *kind)
{
	for (unsigned i = 0; i < KINDS; i++)
		if (text_is(word, kinds[i].word)) {
			*kind = (enum channel_file_kind)i;
			return true;
		}
	return false;
}

enum channel_file_kind files_kind_of(struct text type)
{
	return text_starts(type, TEXT("image/"))   ? CHANNEL_PICTURE
	       : text_starts(type, TEXT("audio/")) ? CHANNEL_AUDIO
	       : text_starts(type, TEXT("video/")) ? CHANNEL_VIDEO
	                                           : CHANNEL_DOCUMENT;
}

static const struct {
	const char *end, *type;
} types[] = {
	{".jpg", "image/jpeg"},        {".jpeg", "image/jpeg"},     {".png", "image/png"},
	{".gif", "image/gif"},         {".webp", "image/webp"},     {".heic", "image/heic"},
	{".svg", "image/svg+xml"},     {".ogg", "audio/ogg"},       {".oga", "audio/ogg"},
	{".opus", "audio/opus"},       {".mp3", "audio/mpeg"},      {".m4a", "audio/mp4"},
	{".wav", "audio/wav"},         {".flac", "audio/flac"},     {".mp4", "video/mp4"},
	{".webm", "video/webm"},       {".mov", "video/quicktime"}, {".pdf", "application/pdf"},
	{".txt", "text/plain"},        {".md", "text/markdown"},    {".csv", "text/csv"},
	{".json", "application/json"}, {".zip", "application/zip"},
};

struct text files_type_of(struct text name)
{
	for (unsigned i = 0; i < sizeof(types) / sizeof(*types); i++) {
		size_t len = strlen(types[i].end);

		if (name.len > len &&
		    text_equal_nocase((struct text){name.at + name.len - len, len},
		                      text_of(types[i].end)))
			return text_of(types[i].type);
	}
	return TEXT("");
}

static const struct {
	size_t at, len;
	const char *bytes, *type;
} beginnings[] = {
	{0, 8, "\x89PNG\r\n\x1A\n", "image/png"},
	{0, 3, "\xFF\xD8\xFF", "image/jpeg"},
	{0, 6, "GIF87a", "image/gif"},
	{0, 6, "GIF89a", "image/gif"},
	{8, 4, "WEBP", "image/webp"},
	{0, 4, "OggS", "audio/ogg"},
	{0, 3, "ID3", "audio/mpeg"},
	{0, 5, "%PDF-", "application/pdf"},
};

#define BEGINNINGS (sizeof(beginnings) / sizeof(*beginnings))

struct text files_type_in(struct text head, struct text named)
{
	bool is_opus = text_is(named, "audio/opus"), is_belied = is_opus;

	for (unsigned i = 0; i < BEGINNINGS; i++) {
		struct text type = text_of(beginnings[i].type);

		if (head.len >= beginnings[i].at + beginnings[i].len &&
		    memcmp(head.at + beginnings[i].at, beginnings[i].bytes, beginnings[i].len) == 0)
			return is_opus && text_is(type, "audio/ogg") ? named : type;
		is_belied |= text_equal(named, type);
	}
	/* Nothing has to stand at the beginning of an MP3. */
	return is_belied && !text_is(named, "audio/mpeg") ? TEXT("") : named;
}

/* ---- written down ---- */

static bool is_type(struct text type)
{
	for (size_t i = 0; i < type.len; i++)
		if (!((type.at[i] >= 'a' && type.at[i] <= 'z') ||
		      (type.at[i] >= 'A' && type.at[i] <= 'Z') ||
		      (type.at[i] >= '0' && type.at[i] <= '9') || strchr("/.+-_", type.at[i])) ||
		    !type.at[i])
			return false;
	return type.len > 0 && type.len <= TYPE_MAX;
}

static struct text type_of(const struct channel_file *file)
{
	return is_type(file->type) ? file->type : text_of(kinds[file->kind].type);
}

void files_put(const struct channel_file *files, unsigned count, struct buf *out)
{
	put_list(out, NULL);
	for (unsigned i = 0; i < count && i < CHANNEL_FILES_MAX; i++) {
		if (files[i].where.len > CHANNEL_WHERE_MAX)
			continue;
		put_object(out, NULL);
		put_word(out, "kind", kinds[files[i].kind].word);
		put_text(out, "name", utf8_cut(files[i].name, 4 * FILES_NAME_MAX));
		put_text(out, "type", type_of(&files[i]));
		put_u64(out, "size", files[i].size);
		put_text(out, "where", files[i].where);
		put_end(out);
	}
	put_list_end(out);
}

unsigned files_read(struct json_reader *reader, struct text json, struct channel_file *out)
{
	yyjson_val *root = yyjson_doc_get_root(json_read(reader, json, NULL));
	yyjson_arr_iter it = yyjson_arr_iter_with(root);
	yyjson_val *one;
	unsigned count = 0;

	while (count < FILES_MAX && (one = yyjson_arr_iter_next(&it))) {
		out[count] = (struct channel_file){
			.name = json_text_at(one, "name"),
			.type = json_text_at(one, "type"),
			.where = json_text_at(one, "where"),
			.size = yyjson_get_uint(yyjson_obj_get(one, "size")),
		};
		if (files_read_kind(json_text_at(one, "kind"), &out[count].kind))
			count++;
	}
	return count;
}

void files_join(struct text a, struct text b, struct buf *out)
{
	bool has_both = a.len > 2 && b.len > 2; /* "[]" has nothing in it */

	if (has_both)
		a.len--;
	buf_add(out, a.len ? a : b);
	if (has_both) {
		buf_add_char(out, ',');
		buf_add(out, (struct text){b.at + 1, b.len - 1});
	}
}

/* ---- names ---- */

/* A letter, a digit, a dash or a dot stays; of other writings, all that has a shape. */
static bool is_plain_char(struct text character)
{
	unsigned char c = (unsigned char)character.at[0];

	if (character.len > 1)
		return visible_kind(utf8_decode(character)) == VISIBLE_SHAPE;
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '-' || c == '_' || c == '.';
}

static void put_plain(struct text t, size_t max, struct buf *out)
{
	size_t from = out->len;

	for (size_t i = 0; i < t.len && out->len - from < max;) {
		struct text one = {t.at + i, utf8_length((struct text){t.at + i, t.len - i})};

		if (one.len == 0)
			one.len = 1; /* a byte that is no text */
		if (out->len - from + one.len > max)
			break;
		if (is_plain_char(one))
			buf_add(out, one);
		else
			buf_add_char(out, '_');
		i += one.len;
	}
}

/* The last part of a path, whoever's slashes it has. */
static struct text last_part(struct text name)
{
	for (size_t i = name.len; i-- > 0;)
		if (name.at[i] == '/' || name.at[i] == '\\')
			return (struct text){name.at + i + 1, name.len - i - 1};
	return name;
}

static struct text end_of(struct text name)
{
	for (size_t i = name.len; i-- > 1 && name.len - i <= END_MAX;)
		if (name.at[i] == '.')
			return (struct text){name.at + i, name.len - i};
	return TEXT("");
}

void files_put_name(const struct channel_file *file, unsigned number, struct buf *out)
{
	struct text name = last_part(file->name), end = end_of(name);

	if (!name.len)
		name = text_of(kinds[file->kind].name), end = end_of(name);
	name.len -= end.len;
	buf_print(out, "%u-", number);
	put_plain(name, STEM_MAX, out);
	put_plain(end, END_MAX, out);
}

/* ---- told ---- */

static void put_size(uint64_t size, struct buf *out)
{
	if (size < 1000)
		buf_print(out, "%llu bytes", (unsigned long long)size);
	else if (size < 1000000)
		buf_print(out, "%llu KB", (unsigned long long)(size + 500) / 1000);
	else
		buf_print(out, "%llu.%llu MB", (unsigned long long)size / 1000000,
		          (unsigned long long)size / 100000 % 10);
}

void files_put_shown(const struct channel_file *file, struct buf *out)
{
	struct text name = last_part(file->name);

	put_plain(name.len ? name : text_of(kinds[file->kind].name), SHOWN_MAX, out);
}

void files_put_line(const struct channel_file *file, const struct files_end *end, struct buf *out)
{
	if (end->heard.len)
		buf_print(out, "(heard from a %s) %.*s\n", kinds[file->kind].told,
		          TEXT_ARG(end->heard));
	buf_print(out, "[%s: ", kinds[file->kind].told);
	if (end->path.len) {
		buf_add(out, end->path);
		buf_add(out, TEXT(", "));
		buf_add(out, type_of(file));
		buf_add(out, TEXT(", "));
		put_size(end->size, out);
	} else {
		files_put_shown(file, out);
	}
	if (end->why.len) {
		buf_add(out, end->path.len ? TEXT("; ") : TEXT(" is not here: "));
		buf_add(out, end->why);
	}
	buf_add_char(out, ']');
}
