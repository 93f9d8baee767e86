/* desk_files.c - what came with a message: fetched after its sender was let in, one after the
 * other, before the agent is asked.  What is said in a voice note is heard then, and becomes a part
 * of the question.
 *
 * What is on the disk already, from before a crash, is not fetched again.  What does not come, or
 * nobody hears, is told, to the person and to the agent; the text goes to the agent in any case.
 */
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "config/config.h"
#include "deliver/desk_files.h"
#include "deliver/files.h"
#include "deliver/media.h"

#define FETCH_MS 120000 /* then a channel says nothing any more */
#define HEAR_MS 90000   /* then nobody hears any more */
#define QUEUE_MS 300000 /* that a voice note waits for those of others */
#define SWEEP_MS (3600 * 1000)
#define NAME_ROOM (2 * FILES_NAME_MAX)
#define TOLD_MAX (4 * KIB)
#define LINES_MAX (64 * KIB)
#define HEARD_MAX (32 * KIB) /* bytes of words of one question */
#define RECORD_MAX (256 * KIB)

struct desk_file {
	char *path;  /* where it is, or NULL */
	char *why;   /* it is not, or what is wrong with it; or NULL */
	char *heard; /* what is said in it, or NULL */
	uint64_t size;
};

struct desk_files {
	struct json_reader reader; /* has the texts of the list */
	struct channel_file list[FILES_MAX];
	struct desk_file ends[FILES_MAX];
	unsigned count, at;     /* at: which is next */
	uint64_t number;        /* of the fetch, or the hearing, that is under way; 0: none is */
	struct media_file *out; /* of a fetch: where it is written */
	char *path;             /* of a hearing: where it is */
	uint64_t size;          /* of that */
	size_t heard;           /* bytes of words so far */
	int64_t until_ms;
	int64_t queue_ms; /* until when the next one waits to be heard; 0: it does not wait */
	bool is_told;
};

/* ---- rules ---- */

/* Of a request, or of a letter with files. */
static bool is_live(void *self, struct text name)
{
	const struct desk *d = self;
	const struct letter *l = custody_letter(d->options.custody, name);

	return map_get(&d->by_id, name) || map_get(&d->resting, name) || (l && !letter_is_over(l));
}

struct media_rules desk_media_rules(struct desk *d)
{
	return (struct media_rules){.keep_ms = d->config->media.keep_ms,
	                            .room = d->config->media.room,
	                            .wall_ms = d->options.wall_ms(),
	                            .self = d,
	                            .is_wanted = is_live};
}

void desk_sweep_files(struct desk *d)
{
	struct media_rules rules = desk_media_rules(d);

	if (d->swept_ms && d->now_ms - d->swept_ms < SWEEP_MS)
		return;
	d->swept_ms = d->now_ms ? d->now_ms : 1;
	media_sweep(d->media, &rules, 0);
}

/* ---- one file ---- */

static void settle_file(struct desk_files *f, char *path, uint64_t size, const char *why)
{
	struct desk_file *end = &f->ends[f->at++];

	end->path = path;
	end->size = size;
	end->why = must_dup(why);
	f->number = 0;
	f->queue_ms = 0;
}

static char *name_next(const struct desk_files *f)
{
	struct buf name;
	char *made;

	buf_init(&name, NAME_ROOM);
	files_put_name(&f->list[f->at], f->at + 1, &name);
	made = text_dup(buf_text(&name));
	buf_finish(&name);
	return made;
}

/* ---- voice notes ---- */

static void settle_unheard(struct desk_files *f, char *path, uint64_t size, const char *why)
{
	char *words = must_print("nobody has heard it: %s", why);

	settle_file(f, path, size, words);
	free(words);
}

static void settle_heard(struct nexus *x, struct text words, const char *why)
{
	struct desk_files *f = x->files;
	char *path = f->path;
	uint64_t size = f->size;

	f->path = NULL;
	x->account->hears = NULL;
	if (!why && f->heard + words.len > HEARD_MAX)
		why = "too much is said";
	if (why) {
		settle_unheard(f, path, size, why);
		return;
	}
	f->heard += words.len;
	f->ends[f->at].heard = text_dup(words);
	settle_file(f, path, size, NULL);
}

/* Takes the path. */
static void begin_hearing(struct nexus *x, char *path, uint64_t size)
{
	struct desk_files *f = x->files;
	struct desk *d = x->desk;
	const struct ears *ears = &d->options.ears;
	struct voice_note note = {++d->fetches, path, f->list[f->at].type};
	struct error why;

	error_set(&why, "no speech engine is configured");
	if (!ears->hear || !ears->hear(ears->self, &note, &why)) {
		settle_unheard(f, path, size, why.words);
		return;
	}
	x->account->hears = x;
	f->number = note.number;
	f->path = path;
	f->size = size;
	f->until_ms = d->now_ms + HEAR_MS;
}

/* Likewise.  Each account has one ear, so that nobody takes the engine of all. */
static void hear_in_turn(struct nexus *x, char *path, uint64_t size)
{
	struct desk_files *f = x->files;
	int64_t now_ms = x->desk->now_ms;

	if (!x->account->hears) {
		begin_hearing(x, path, size);
		return;
	}
	if (!f->queue_ms)
		f->queue_ms = now_ms + QUEUE_MS;
	if (now_ms >= f->queue_ms)
		settle_unheard(f, path, size, "too many others are heard before it");
	else
		free(path);
}

static bool settle_if_here(struct nexus *x, const char *name)
{
	struct desk_files *f = x->files;
	uint64_t size;
	char *path = media_find(x->desk->media, x->request.id, name, &size);

	if (path && f->list[f->at].kind == CHANNEL_VOICE)
		hear_in_turn(x, path, size);
	else if (path)
		settle_file(f, path, size, NULL);
	return path != NULL;
}

static void begin_fetch(struct nexus *x, const char *name)
{
	struct desk_files *f = x->files;
	struct desk *d = x->desk;
	struct media_rules rules = desk_media_rules(d);
	const struct outbox_line *line = &x->account->line;
	struct error why;

	f->out = media_begin(d->media, &rules, x->request.id, name, &why);
	if (!f->out) {
		settle_file(f, NULL, 0, why.words);
		return;
	}
	f->number = ++d->fetches;
	f->until_ms = d->now_ms + FETCH_MS;
	line->kind->fetch(line->channel, &(struct channel_fetch){.number = f->number,
	                                                         .where = f->list[f->at].where});
}

static void drop_fetch(struct desk_files *f)
{
	media_drop(f->out);
	f->out = NULL;
	f->number = 0;
}

static void drop_hearing(const struct nexus *x)
{
	const struct ears *ears = &x->desk->options.ears;

	if (!x->files->path)
		return;
	ears->forget(ears->self, x->files->number);
	x->account->hears = NULL;
}

static void be_late(struct nexus *x)
{
	struct desk_files *f = x->files;

	drop_hearing(x);
	if (f->path) {
		settle_heard(x, TEXT(""), "it took too long");
		return;
	}
	drop_fetch(f);
	settle_file(f, NULL, 0, "it did not come in time");
}

/* Settles the next file, or begins to fetch it. */
static void fetch_next(struct nexus *x, int64_t now_ms)
{
	struct desk_files *f = x->files;
	const struct outbox_line *line = &x->account->line;
	char *name = name_next(f);

	if (settle_if_here(x, name))
		;
	else if (!x->desk->config->media.receive)
		settle_file(f, NULL, 0, "no files are taken here");
	else if (f->list[f->at].size > FILES_BYTES_MAX)
		settle_file(f, NULL, 0, "it is larger than 20 MiB");
	else if (!line->kind->fetch)
		settle_file(f, NULL, 0, "files of this chat cannot be fetched");
	else if (line->channel)
		begin_fetch(x, name);
	else if (!f->until_ms)
		f->until_ms = now_ms + FETCH_MS;
	else if (now_ms >= f->until_ms)
		settle_file(f, NULL, 0, "the chat is away");
	free(name);
}

/* ---- what channels say ---- */

static struct nexus *find_fetch(struct desk *d, uint64_t number)
{
	list_each(&d->live, l) {
		struct nexus *x = list_of(l, struct nexus, in_desk);

		if (x->files && x->files->number == number)
			return x;
	}
	return NULL;
}

void desk_take_heard(struct desk *d, uint64_t number, struct text words, const char *why)
{
	struct nexus *x = find_fetch(d, number);

	if (!x || !x->files->path)
		return;
	settle_heard(x, words, why);
	desk_stir(x);
}

bool desk_take_part(struct desk *d, uint64_t number, struct text bytes)
{
	struct nexus *x = find_fetch(d, number);
	struct error why;

	if (!x || !x->files->out)
		return false;
	if (media_add(x->files->out, bytes, FILES_BYTES_MAX, &why))
		return true;
	drop_fetch(x->files);
	settle_file(x->files, NULL, 0, why.words);
	desk_stir(x);
	return false;
}

void desk_take_fetched(struct desk *d, uint64_t number, const struct error *why)
{
	struct nexus *x = find_fetch(d, number);
	struct media_file *out;
	struct error failed;
	char *name;

	if (!x || !x->files->out)
		return;
	out = x->files->out;
	x->files->out = NULL;
	if (why) {
		media_drop(out);
		settle_file(x->files, NULL, 0, why->words);
	} else if (!media_end(out, &failed)) {
		settle_file(x->files, NULL, 0, failed.words);
	} else {
		name = name_next(x->files);
		if (!settle_if_here(x, name))
			settle_file(x->files, NULL, 0, "it is gone again");
		free(name);
	}
	desk_stir(x);
}

void desk_lose_fetches(struct desk_account *account)
{
	list_each(&account->desk->live, l) {
		struct nexus *x = list_of(l, struct nexus, in_desk);

		if (x->account == account && x->files && x->files->out) {
			drop_fetch(x->files);
			desk_stir(x);
		}
	}
}

/* ---- told ---- */

static void put_attachment(const struct channel_file *file, const struct desk_file *end,
                           struct buf *out)
{
	put_object(out, NULL);
	put_word(out, "kind", files_kind_name(file->kind));
	put_text(out, "name", file->name);
	put_text(out, "type", file->type);
	put_u64(out, "size", end->path ? end->size : file->size);
	if (end->path)
		put_word(out, "path", end->path);
	if (end->why)
		put_word(out, "why", end->why);
	if (end->heard)
		put_word(out, "heard", end->heard);
	put_end(out);
}

static const char *content_type(enum channel_file_kind kind)
{
	static const char *const types[] = {[CHANNEL_PICTURE] = "image",
	                                    [CHANNEL_DOCUMENT] = "file",
	                                    [CHANNEL_VOICE] = "audio",
	                                    [CHANNEL_AUDIO] = "audio",
	                                    [CHANNEL_VIDEO] = "video"};

	return types[kind];
}

static void note_files(struct nexus *x)
{
	struct desk_files *f = x->files;
	struct buf lines, record;

	buf_init(&lines, LINES_MAX);
	buf_init(&record, RECORD_MAX);
	put_list(&record, NULL);
	for (unsigned i = 0; i < f->count; i++) {
		const struct desk_file *end = &f->ends[i];

		if (i)
			buf_add_char(&lines, '\n');
		files_put_line(&f->list[i],
		               &(struct files_end){text_of(end->path), text_of(end->why),
		                                   text_of(end->heard), end->size},
		               &lines);
		put_attachment(&f->list[i], end, &record);
	}
	put_list_end(&record);
	nexus_set(&x->request, NEXUS_CONTENT_TYPE, text_of(content_type(f->list[0].kind)));
	nexus_set(&x->request, NEXUS_FILES, buf_text(&lines));
	if (!record.full)
		nexus_set(&x->request, NEXUS_ATTACHMENTS, buf_text(&record));
	buf_finish(&lines);
	buf_finish(&record);
}

static void put_told(const struct desk_files *f, struct buf *out)
{
	for (unsigned i = 0; i < f->count; i++) {
		const struct desk_file *end = &f->ends[i];

		if (!end->why)
			continue;
		if (out->len)
			buf_add_char(out, '\n');
		files_put_shown(&f->list[i], out);
		buf_print(out,
		          end->path ? " went to the agent as a file: %s."
		                    : " did not reach the agent: %s.",
		          end->why);
	}
}

static bool was_told(const struct nexus *x)
{
	struct custody *custody = x->desk->options.custody;
	struct link *const lists[] = {custody_letters(custody), custody_over(custody)};

	for (unsigned i = 0; i < 2; i++)
		list_each(lists[i], l) {
			const struct letter *one = list_of(l, struct letter, in_all);

			if (letter_is(one, "aside") &&
			    text_is(letter_word(one, LETTER_REQUEST), x->request.id))
				return true;
		}
	return false;
}

/* What is wrong, in one message to the person; false: it cannot be taken now. */
static bool tell_person(struct nexus *x)
{
	struct payload payload = {.reply_to = nexus_word(&x->request, NEXUS_MESSAGE)};
	struct buf words;
	char *letter = NULL;

	buf_init(&words, TOLD_MAX);
	put_told(x->files, &words);
	payload.text = buf_text(&words);
	if (words.len && !was_told(x))
		letter = desk_prepare(x, "aside", &payload);
	else
		x->files->is_told = true;
	x->files->is_told |= letter != NULL;
	free(letter);
	buf_finish(&words);
	return x->files->is_told;
}

/* ---- all of them ---- */

static void read_files(struct nexus *x)
{
	const struct received *r =
		custody_request(x->desk->options.custody, text_of(x->request.id));
	struct desk_files *f;

	if (!r || !r->words[RECEIVED_FILES])
		return;
	f = x->files = must_zero(1, sizeof(*f));
	json_reader_init(&f->reader, MIB);
	f->count = files_read(&f->reader, received_word(r, RECEIVED_FILES), f->list);
}

bool desk_fetch(struct nexus *x, int64_t now_ms)
{
	struct desk_files *f;

	if (!x->files)
		read_files(x);
	f = x->files;
	if (!f || !f->count || f->is_told)
		return true;
	if (f->number && now_ms >= f->until_ms)
		be_late(x);
	for (unsigned at = f->count; !f->number && f->at < f->count && at != f->at;) {
		at = f->at;
		fetch_next(x, now_ms);
	}
	if (f->at < f->count)
		return false;
	note_files(x);
	return tell_person(x);
}

void desk_free_files(struct nexus *x)
{
	struct desk_files *f = x->files;

	if (!f)
		return;
	drop_hearing(x);
	drop_fetch(f);
	free(f->path);
	for (unsigned i = 0; i < FILES_MAX; i++) {
		free(f->ends[i].heard);
		free(f->ends[i].path);
		free(f->ends[i].why);
	}
	json_reader_finish(&f->reader);
	free(f);
	x->files = NULL;
}
