/* channel_file.c - a chat of two files: a JSON line for each message, in and out.
 *
 * How far the inbox was read rides in nex.received, so that a start goes on there.  A line of the
 * outbox is one write, accepted when it is on the disk, and what a crash left of one is taken
 * away.  A message is known again by its delivery and piece, which stand in its line.  It is
 * edited and removed by lines that name it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/must.h"
#include "base/put.h"
#include "config/chat.h"
#include "deliver/fetches.h"
#include "deliver/files.h"
#include "deliver/inbound.h"

#define LOOK_MS 250          /* between two looks at the inbox */
#define READ_MAX (64 * KIB)  /* of it at a time */
#define FILE_TEXT_MAX 100000 /* characters of one message */
/* Of the outbox, from its end, in which a message is sought: a line of the longest text, each
 * character of which may be six bytes of JSON, and more. */
#define SEEK_MAX (1 * MIB)
#define DRAFT_MS 500
#define DRAFT_CHARS 20
#define FILE_BUTTONS 8
#define ROOM 2048

struct file_chat {
	struct channel_options options;
	char *in_path, *out_path;
	int in, out;
	uint64_t offset;  /* of the first byte that was not taken */
	struct buf rest;  /* a line that is not whole yet, from offset on */
	bool is_skipping; /* a line that is too long */
	struct json_reader reader;
	struct fetches fetches;
};

/* ---- open and close ---- */

static char *path_of(const char *data, const char *name)
{
	return name[0] == '/' ? must_dup(name) : must_print("%s/%s", data, name);
}

/* What a crash left of a line is taken away: nobody has a half message. */
static bool mend_end(struct file_chat *f, struct error *why)
{
	struct stat st;
	struct buf tail;
	size_t room, kept;
	char *at;
	ssize_t n;

	if (fstat(f->out, &st) != 0)
		return error_errno(why, "%s", f->out_path);
	room = st.st_size > (off_t)SEEK_MAX ? SEEK_MAX : (size_t)st.st_size;
	buf_init(&tail, SEEK_MAX);
	at = buf_reserve(&tail, room ? room : 1);
	n = room ? pread(f->out, at, room, st.st_size - (off_t)room) : 0;
	kept = n > 0 ? (size_t)n : 0;
	while (kept > 0 && at[kept - 1] != '\n')
		kept--;
	buf_finish(&tail);
	if (n < 0)
		return error_errno(why, "%s", f->out_path);
	return (size_t)n == kept || ftruncate(f->out, st.st_size - n + (off_t)kept) == 0 ||
	       error_errno(why, "%s", f->out_path);
}

static bool open_files(struct file_chat *f, struct error *why)
{
	f->out = open(f->out_path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (f->out < 0)
		return error_errno(why, "%s", f->out_path);
	f->in = open(f->in_path, O_RDONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0600);
	if (f->in < 0)
		return error_errno(why, "%s", f->in_path);
	return mend_end(f, why);
}

static void file_close(void *self)
{
	struct file_chat *f = self;

	if (f->in >= 0)
		close(f->in);
	if (f->out >= 0)
		close(f->out);
	fetches_finish(&f->fetches);
	buf_finish(&f->rest);
	json_reader_finish(&f->reader);
	free(f->in_path);
	free(f->out_path);
	free(f);
}

static void *file_open(const struct channel_options *options, struct error *why)
{
	struct file_chat *f = must_zero(1, sizeof(*f));

	f->options = *options;
	f->options.config = NULL;
	f->in = f->out = -1;
	fetches_init(&f->fetches, &f->options);
	f->in_path = path_of(options->data, options->config->inbox);
	f->out_path = path_of(options->data, options->config->outbox);
	buf_init(&f->rest, INBOUND_LINE_MAX);
	json_reader_init(&f->reader, 2 * INBOUND_LINE_MAX);
	text_to_u64(options->place, &f->offset);
	if (open_files(f, why))
		return f;
	file_close(f);
	return NULL;
}

/* ---- in ---- */

/* False: not now. */
static bool take_message(struct file_chat *f, struct text line, uint64_t end)
{
	char digits[TEXT_U64_MAX], at[TEXT_U64_MAX + 1];
	struct channel_inbound inbound;
	struct inbound_files files;
	struct channel_press press;
	struct text place = text_of_u64(end, digits);
	struct error why;

	if (!text_trim(line).len)
		return true;
	if (inbound_read_press(&f->reader, line, &press)) {
		f->options.pressed(f->options.self, &press);
		return true;
	}
	if (!inbound_read(&f->reader, line, &files, &inbound, &why)) {
		log_warn("deliver", "a line of %s is no message: %s", f->in_path, why.words);
		return true;
	}
	if (!inbound.message.len) {
		at[0] = '@';
		memcpy(at + 1, place.at, place.len);
		inbound.message = (struct text){at, place.len + 1};
	}
	inbound.place = place;
	return f->options.came(f->options.self, &inbound);
}

static bool take_lines(struct file_chat *f)
{
	for (;;) {
		const char *end = f->rest.len ? memchr(f->rest.at, '\n', f->rest.len) : NULL;
		size_t len = end ? (size_t)(end - f->rest.at) + 1 : 0;

		if (!end)
			return true;
		if (!f->is_skipping &&
		    !take_message(f, (struct text){f->rest.at, len - 1}, f->offset + len))
			return false;
		f->is_skipping = false;
		f->offset += len;
		buf_drop(&f->rest, len);
	}
}

/* A line without an end that is too long is left out. */
static void skip_long(struct file_chat *f)
{
	if (!f->is_skipping)
		log_warn("deliver", "a line of %s is longer than 1 MiB", f->in_path);
	f->is_skipping = true;
	f->offset += f->rest.len;
	buf_clear(&f->rest);
	f->rest.full = false;
}

/* A file that became shorter is another one. */
static void follow_file(struct file_chat *f)
{
	struct stat st;

	if (fstat(f->in, &st) == 0 && (uint64_t)st.st_size < f->offset + f->rest.len) {
		buf_clear(&f->rest);
		f->offset = 0;
	}
}

static int64_t file_tick(void *self, int64_t now_ms)
{
	struct file_chat *f = self;
	char *room;
	ssize_t n;

	follow_file(f);
	if (!take_lines(f))
		return now_ms + LOOK_MS;
	room = buf_reserve(&f->rest, READ_MAX);
	if (!room) {
		skip_long(f);
		return now_ms;
	}
	n = pread(f->in, room, READ_MAX, (off_t)(f->offset + f->rest.len));
	if (n > 0)
		f->rest.len += (size_t)n;
	take_lines(f);
	return n == READ_MAX ? now_ms : now_ms + LOOK_MS;
}

/* By the web, or a path from the directory of the inbox. */
static void file_fetch(void *self, const struct channel_fetch *fetch)
{
	struct file_chat *f = self;
	char *where = text_dup(fetch->where), *directory = must_dup(f->in_path);
	char *slash = strrchr(directory, '/');

	if (slash)
		slash[slash == directory] = '\0';
	if (text_starts(fetch->where, TEXT("http://")) ||
	    text_starts(fetch->where, TEXT("https://")))
		fetches_web(&f->fetches, fetch->number, &(struct download_options){.url = where});
	else
		fetches_beneath(&f->fetches, fetch->number, slash ? directory : ".", where);
	free(where);
	free(directory);
}

/* ---- out ---- */

static void name_message(const struct channel_message *m, struct buf *id)
{
	buf_add(id, m->delivery);
	buf_print(id, "/%u", m->piece);
}

static bool write_line(struct file_chat *f, struct text line, struct error *why)
{
	struct stat st;
	ssize_t n;

	if (fstat(f->out, &st) != 0)
		return error_errno(why, "%s", f->out_path);
	n = write(f->out, line.at, line.len);
	if (n == (ssize_t)line.len)
		return true;
	error_errno(why, "%s", f->out_path);
	if (n >= 0 && ftruncate(f->out, st.st_size) != 0)
		return error_errno(why, "%s", f->out_path);
	return false;
}

/* It is accepted when a power loss cannot take it away.  What was written and may not stay is
 * looked for again. */
static enum channel_answer keep_line(struct file_chat *f, struct text line, struct error *why)
{
	if (!write_line(f, line, why))
		return CHANNEL_AWAY;
	if (fdatasync(f->out) == 0)
		return CHANNEL_ACCEPTED;
	error_errno(why, "%s", f->out_path);
	return CHANNEL_UNKNOWN;
}

static void file_answer(const struct file_chat *f, const struct channel_message *m,
                        struct channel_result result)
{
	struct buf id;

	buf_init(&id, ROOM);
	name_message(m, &id);
	result.delivery = m->delivery;
	result.piece = m->piece;
	result.message = buf_text(&id);
	f->options.answered(f->options.self, &result);
	buf_finish(&id);
}

static void put_where(const struct channel_message *m, struct buf *out)
{
	put_text(out, "peer", m->peer);
	if (m->thread.len)
		put_text(out, "thread", m->thread);
}

static void put_buttons(const struct channel_message *m, struct buf *out)
{
	if (!m->button_count)
		return;
	put_list(out, "buttons");
	for (unsigned i = 0; i < m->button_count; i++) {
		put_object(out, NULL);
		put_text(out, "label", m->buttons[i].label);
		put_text(out, "press", m->buttons[i].value);
		if (m->buttons[i].code.len)
			put_text(out, "code", m->buttons[i].code);
		put_end(out);
	}
	put_list_end(out);
}

static void put_upload(const struct channel_upload *file, struct buf *out)
{
	put_object(out, "file");
	put_word(out, "kind", files_kind_name(file->kind));
	put_word(out, "path", file->path);
	put_text(out, "name", file->name);
	put_text(out, "type", file->type);
	put_u64(out, "size", file->size);
	put_end(out);
}

/* A line that names a message, and says what becomes of it. */
static void write_message(struct file_chat *f, const struct channel_message *m,
                          enum channel_act act)
{
	static const char *const names[] = {
		[CHANNEL_SEND] = "id", [CHANNEL_EDIT] = "edit", [CHANNEL_REMOVE] = "remove"};
	struct error why = {""};
	struct buf line, id;
	enum channel_answer answer = CHANNEL_AWAY;

	buf_init(&line, 8 * MIB);
	buf_init(&id, ROOM);
	name_message(m, &id);
	put_object(&line, NULL);
	put_text(&line, names[act], act == CHANNEL_SEND ? buf_text(&id) : m->message);
	put_where(m, &line);
	if (act == CHANNEL_SEND && m->reply_to.len)
		put_text(&line, "replyTo", m->reply_to);
	if (act != CHANNEL_REMOVE && (!m->file || m->text.len))
		put_text(&line, "text", m->text);
	if (m->file)
		put_upload(m->file, &line);
	if (act == CHANNEL_SEND)
		put_buttons(m, &line);
	put_end(&line);
	buf_add_char(&line, '\n');
	if (!line.full)
		answer = keep_line(f, buf_text(&line), &why);
	buf_finish(&line);
	buf_finish(&id);
	file_answer(f, m, (struct channel_result){.act = act, .answer = answer, .why = &why});
}

static void file_send(void *self, const struct channel_message *m)
{
	write_message(self, m, CHANNEL_SEND);
}

static void file_edit(void *self, const struct channel_message *m)
{
	write_message(self, m, CHANNEL_EDIT);
}

static void file_remove(void *self, const struct channel_message *m)
{
	write_message(self, m, CHANNEL_REMOVE);
}

/* Its line begins with the id. */
static void file_look(void *self, const struct channel_message *m)
{
	struct file_chat *f = self;
	enum channel_answer answer = CHANNEL_ABSENT;
	struct error why = {"it has not left"};
	struct stat st = {0};
	struct buf tail, wanted, id;
	off_t from;
	ssize_t n = -1;

	buf_init(&tail, SEEK_MAX);
	buf_init(&wanted, ROOM);
	buf_init(&id, ROOM);
	name_message(m, &id);
	put_object(&wanted, NULL);
	put_text(&wanted, "id", buf_text(&id));
	buf_finish(&id);
	if (fstat(f->out, &st) == 0) {
		from = st.st_size > (off_t)SEEK_MAX ? st.st_size - (off_t)SEEK_MAX : 0;
		n = pread(f->out, buf_reserve(&tail, SEEK_MAX), SEEK_MAX, from);
	}
	if (n < 0)
		answer = CHANNEL_UNKNOWN;
	else if (n > 0 && memmem(tail.at, (size_t)n, wanted.at, wanted.len))
		answer = CHANNEL_ACCEPTED;
	buf_finish(&tail);
	buf_finish(&wanted);
	file_answer(f, m,
	            (struct channel_result){.act = CHANNEL_LOOK, .answer = answer, .why = &why});
}

static void file_type(void *self, const struct channel_message *where, bool shows)
{
	struct file_chat *f = self;
	struct error why;
	struct buf line;

	buf_init(&line, 8 * KIB);
	put_object(&line, NULL);
	put_bool(&line, "typing", shows);
	put_where(where, &line);
	put_end(&line);
	buf_add_char(&line, '\n');
	if (!line.full && !write_line(f, buf_text(&line), &why))
		log_warn("deliver", "%s", why.words);
	buf_finish(&line);
}

static void file_tell(void *self, const struct channel_press *press, struct text words)
{
	struct file_chat *f = self;
	struct error why;
	struct buf line;

	buf_init(&line, 8 * KIB);
	put_object(&line, NULL);
	put_text(&line, "pressed", press->value);
	put_text(&line, "peer", press->sender);
	put_text(&line, "words", words);
	put_end(&line);
	buf_add_char(&line, '\n');
	if (!line.full && !write_line(f, buf_text(&line), &why))
		log_warn("deliver", "%s", why.words);
	buf_finish(&line);
}

const struct channel_kind channel_file = {
	.name = "file",
	.traits = {.limit = {CHUNK_POINTS, FILE_TEXT_MAX, 0},
                   .mode = CHANNEL_BLOCKS,
                   .can_type = true,
                   .can_edit = true,
                   .can_media = true,
                   .buttons = FILE_BUTTONS,
                   .can_recognise = true,
                   .gathers = true,
                   .draft_ms = DRAFT_MS,
                   .draft_chars = DRAFT_CHARS},
	.open = file_open,
	.close = file_close,
	.send = file_send,
	.look = file_look,
	.type = file_type,
	.edit = file_edit,
	.remove = file_remove,
	.tell = file_tell,
	.fetch = file_fetch,
	.tick = file_tick,
};
