/* desk_uploads.c - pictures and files that agents send: copied before they leave.
 *
 * A copy lies in DATA/media/LETTER, as those of people do, so what leaves is what was looked at,
 * and after a crash it is the same.  Addresses are of the internet alone, paths of one directory.
 */
#include "deliver/desk_uploads.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/must.h"
#include "config/config.h"
#include "deliver/attached.h"
#include "deliver/beneath.h"
#include "deliver/desk_files.h"
#include "deliver/download.h"
#include "deliver/files.h"
#include "deliver/media.h"
#include "net/request.h"

#define UPLOADS_MAX 4 /* that come at a time; others wait */
#define COPY_BYTES (64 * KIB)
#define NAME_ROOM (2 * FILES_NAME_MAX)

/* One that comes, or did not. */
struct desk_upload {
	struct desk *desk;
	char *letter;
	unsigned number;
	struct media_file *out;
	struct download *download; /* NULL: it is over */
	struct error why;          /* then */
	struct link in_all;
};

struct desk_uploads {
	struct link all;
	unsigned coming;
	struct requests *requests;
};

struct desk_uploads *desk_uploads_create(void)
{
	struct desk_uploads *u = must_zero(1, sizeof(*u));

	list_init(&u->all);
	return u;
}

static void free_upload(struct desk_upload *u)
{
	list_remove(&u->in_all);
	download_cancel(u->download);
	media_drop(u->out);
	free(u->letter);
	free(u);
}

void desk_uploads_destroy(struct desk_uploads *u)
{
	if (!u)
		return;
	while (!list_is_empty(&u->all))
		free_upload(list_of(u->all.next, struct desk_upload, in_all));
	if (u->requests)
		requests_destroy(u->requests);
	free(u);
}

/* ---- one file ---- */

/* What is asked for, and what it is called on the disk. */
struct upload_wish {
	struct desk *desk;
	const struct letter *letter;
	unsigned number;
	char *where;
	struct channel_file file; /* its texts lie in where */
	char *directory, *name;
};

static void wish_init(struct upload_wish *w)
{
	struct text id = letter_word(w->letter, LETTER_ID);
	struct buf name;

	w->where = text_dup(attached_get(letter_word(w->letter, LETTER_MEDIA), w->number));
	w->file = attached_file(text_of(w->where), w->letter->words[LETTER_VOICE] != NULL);
	w->directory = text_dup(id);
	for (char *c = w->directory; *c; c++)
		if (*c == '/' || (*c == '.' && c == w->directory))
			*c = '_';
	buf_init(&name, NAME_ROOM);
	files_put_name(&w->file, w->number, &name);
	w->name = text_dup(buf_text(&name));
	buf_finish(&name);
}

static void wish_finish(struct upload_wish *w)
{
	free(w->where);
	free(w->directory);
	free(w->name);
}

/* Names are agents' words: what it begins with says what it is. */
static void look_inside(struct channel_upload *file, bool is_voice)
{
	int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	char head[FILES_HEAD_BYTES];
	ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof(head));

	if (fd >= 0)
		close(fd);
	file->type = files_type_in((struct text){head, n > 0 ? (size_t)n : 0},
	                           files_type_of(file->name)); /* in memory of its own */
	if (!file->type.len)
		file->type = TEXT("application/octet-stream");
	file->kind = files_kind_of(file->type);
	if (is_voice && file->kind == CHANNEL_AUDIO)
		file->kind = CHANNEL_VOICE;
}

static bool is_here(const struct upload_wish *w, struct channel_upload *file)
{
	char *path = media_find(w->desk->media, w->directory, w->name, &file->size);

	if (!path)
		return false;
	file->path = path;
	file->name = text_of(strchr(strrchr(path, '/'), '-') + 1);
	look_inside(file, w->letter->words[LETTER_VOICE] != NULL);
	return true;
}

static struct media_file *begin_copy(const struct upload_wish *w, struct error *why)
{
	struct media_rules rules = desk_media_rules(w->desk);

	return media_begin(w->desk->media, &rules, w->directory, w->name, why);
}

/* ---- from the disk ---- */

static bool copy_all(int fd, struct media_file *out, struct error *why)
{
	char *room = must_alloc(COPY_BYTES);
	bool good = true;
	ssize_t n;

	while (good && ((n = read(fd, room, COPY_BYTES)) > 0 || (n < 0 && errno == EINTR)))
		if (n > 0)
			good = media_add(out, (struct text){room, (size_t)n}, FILES_BYTES_MAX, why);
	if (good && n < 0)
		good = error_errno(why, "it cannot be read");
	free(room);
	return good;
}

/* The directory as the configuration has it, and the path below it.  NULL: it is not. */
static char *find_directory(const struct upload_wish *w, struct text *below)
{
	const struct config *config = w->desk->config;
	const char *directory = config->media.directory;
	char *whole, *real;

	if (!directory)
		return NULL;
	whole = directory[0] == '/' ? must_dup(directory)
	                            : must_print("%s/%s", config->data, directory);
	real = realpath(whole, NULL);
	*below = attached_below(text_of(w->where), text_of(whole));
	if (!below->at && real)
		*below = attached_below(text_of(w->where), text_of(real));
	free(real);
	if (below->at)
		return whole;
	free(whole);
	return NULL;
}

static bool copy_file(const struct upload_wish *w, struct error *why)
{
	struct text below;
	char *directory = find_directory(w, &below), *path;
	struct media_file *out;
	bool good = false;
	int fd;

	if (!directory)
		return error_set(why, "it is neither of the web nor in the directory that files "
		                      "are sent from");
	path = text_dup(below);
	fd = beneath_open(directory, path, FILES_BYTES_MAX, why);
	free(path);
	free(directory);
	out = fd < 0 ? NULL : begin_copy(w, why);
	if (out)
		good = copy_all(fd, out, why);
	if (good)
		good = media_end(out, why);
	else
		media_drop(out);
	if (fd >= 0)
		close(fd);
	return good;
}

/* ---- from the web ---- */

static void end_upload(struct desk_upload *u, const char *why)
{
	u->download = NULL;
	u->desk->uploads->coming--;
	error_set(&u->why, "%s", why);
	outbox_stir(u->desk->outbox);
	desk_wake(u->desk);
}

static bool upload_part(void *self, struct text bytes)
{
	struct desk_upload *u = self;
	struct error why;

	if (media_add(u->out, bytes, FILES_BYTES_MAX, &why))
		return true;
	end_upload(u, why.words);
	return false;
}

/* It is found where it lies from then on; if it is not, this says why. */
static void upload_done(void *self, const char *why)
{
	struct desk_upload *u = self;
	struct error failed = {"it is gone again"};

	if (!why && !media_end(u->out, &failed))
		why = failed.words;
	else if (why)
		media_drop(u->out);
	u->out = NULL;
	end_upload(u, why ? why : failed.words);
}

static struct desk_upload *begin_upload(const struct upload_wish *w, struct error *why)
{
	struct desk_uploads *all = w->desk->uploads;
	struct desk_upload *u = must_zero(1, sizeof(*u));

	if (!all->requests)
		all->requests = requests_create(w->desk->options.loop);
	u->desk = w->desk;
	u->letter = text_dup(letter_word(w->letter, LETTER_ID));
	u->number = w->number;
	list_init(&u->in_all);
	u->out = begin_copy(w, why);
	if (u->out)
		u->download = download_start(&(struct download_options){.requests = all->requests,
		                                                        .url = w->where,
		                                                        .max = FILES_BYTES_MAX,
		                                                        .self = u,
		                                                        .part = upload_part,
		                                                        .done = upload_done},
		                             why);
	if (!u->download) {
		free_upload(u);
		return NULL;
	}
	list_add(&all->all, &u->in_all);
	all->coming++;
	return u;
}

/* ---- what the outbox asks ---- */

/* Those that failed and that nobody asks for any more are forgotten. */
static struct desk_upload *find_upload(const struct upload_wish *w)
{
	struct desk_upload *found = NULL;

	list_each(&w->desk->uploads->all, l) {
		struct desk_upload *u = list_of(l, struct desk_upload, in_all);
		const struct letter *letter =
			custody_letter(w->desk->options.custody, text_of(u->letter));

		if (letter == w->letter && u->number == w->number)
			found = u;
		else if (!u->download && (!letter || letter_is_over(letter)))
			free_upload(u);
	}
	return found;
}

static enum outbox_file look_for(const struct upload_wish *w, struct error *why)
{
	struct desk_upload *u = find_upload(w);

	if (u && u->download)
		return OUTBOX_FILE_COMES;
	if (u) {
		*why = u->why;
		free_upload(u);
		return OUTBOX_FILE_MISSING;
	}
	if (!w->desk->config->media.send) {
		error_set(why, "files of agents are not sent");
		return OUTBOX_FILE_MISSING;
	}
	if (!attached_is_web(text_of(w->where)))
		return copy_file(w, why) ? OUTBOX_FILE_HERE : OUTBOX_FILE_MISSING;
	if (w->desk->uploads->coming >= UPLOADS_MAX)
		return OUTBOX_FILE_COMES;
	return begin_upload(w, why) ? OUTBOX_FILE_COMES : OUTBOX_FILE_MISSING;
}

enum outbox_file desk_find_upload(void *self, const struct letter *l, unsigned number,
                                  struct channel_upload *file, struct error *why)
{
	struct upload_wish w = {.desk = self, .letter = l, .number = number};
	enum outbox_file found = OUTBOX_FILE_HERE;

	wish_init(&w);
	if (!is_here(&w, file)) {
		found = look_for(&w, why);
		if (found == OUTBOX_FILE_HERE && !is_here(&w, file)) {
			error_set(why, "it is gone again");
			found = OUTBOX_FILE_MISSING;
		}
	}
	wish_finish(&w);
	return found;
}

void desk_add_media(const struct payload *payload, struct buf *media, struct outbox_wish *wish)
{
	payload_put_media(payload, media);
	wish->more[LETTER_MEDIA] = buf_text(media);
	if (payload->is_voice)
		wish->more[LETTER_VOICE] = TEXT("yes");
}
