/* log.c - one safe line, one write(2), and only where it would be taken: whoever does not read
 * the log loses lines of it and is told how many, but does not stop the box.
 *
 * Any thread may log while one changes what is said.  The rooms with a level of their own
 * are found by a hash of their name, in a table of words that are read and written whole:
 * a name that no rule has can at worst be as loud as one that has the same hash.
 */
#include "base/log.h"

#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/utf8.h"

#define LOG_LINE_MAX PIPE_BUF /* so that a pipe with room for one takes it whole */
#define LOG_WORDS_MAX (2 * KIB)
#define LOG_SHOWN_MAX (LOG_LINE_MAX / 2 - 256) /* every byte of it escaped, and the rest */
#define READER_WAIT_MS 100                     /* for one who is only late */
#define ROOM_MAX 32

static const char *const names[] = {"error", "warn", "info", "debug"};

static _Atomic int most_level = LOG_INFO;
static _Atomic int line_format = LOG_TEXT;
static _Atomic uint64_t rooms[LOG_ROOMS_MAX]; /* the hash, and the level in its last bits */
static _Atomic size_t room_count;
static _Atomic uint64_t lost; /* lines that nobody took since one was */

#define LEVEL_BITS UINT64_C(3)

void log_set_level(enum log_level most)
{
	atomic_store(&most_level, (int)most);
}

void log_set_format(enum log_format format)
{
	atomic_store(&line_format, (int)format);
}

/* ---- rooms ---- */

/* FNV-1a. */
static uint64_t hash_of(struct text room)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < room.len; i++)
		hash = (hash ^ (unsigned char)room.at[i]) * UINT64_C(0x100000001b3);
	return hash & ~LEVEL_BITS;
}

static bool read_level(struct text word, uint64_t *level)
{
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (text_is(word, names[i])) {
			*level = i;
			return true;
		}
	return false;
}

bool log_check_room(struct text rule, struct error *why)
{
	struct text word, room = text_cut(rule, '=', &word);
	uint64_t level;

	if (room.len == 0 || room.len > ROOM_MAX)
		return error_set(why, "ROOM=LEVEL, like hub=debug");
	for (size_t i = 0; i < room.len; i++)
		if (room.at[i] < 'a' || room.at[i] > 'z')
			return error_set(why, "a room's name is of small letters: hub=debug");
	return read_level(word, &level) ||
	       error_set(why, "the level must be error, warn, info or debug: hub=debug");
}

void log_set_rooms(char *const *rules, size_t count)
{
	struct text word, room;
	uint64_t level = 0;

	count = count < LOG_ROOMS_MAX ? count : LOG_ROOMS_MAX;
	atomic_store(&room_count, 0);
	for (size_t i = 0; i < count; i++) {
		room = text_cut(text_of(rules[i]), '=', &word);
		read_level(word, &level);
		atomic_store(&rooms[i], hash_of(room) | level);
	}
	atomic_store(&room_count, count);
}

static int most_of(const char *room)
{
	size_t count = atomic_load(&room_count);
	uint64_t hash = count ? hash_of(text_of(room)) : 0, own;

	/* The last word about a room is the one that counts. */
	while (count--) {
		own = atomic_load(&rooms[count]);
		if ((own & ~LEVEL_BITS) == hash)
			return (int)(own & LEVEL_BITS);
	}
	return atomic_load(&most_level);
}

/* ---- lines ---- */

struct event {
	char time[40];
	const char *level, *room;
	struct text words; /* safe to show */
};

static void log_add_text(struct buf *line, const struct event *e)
{
	buf_print(line, "%s %s %s: ", e->time, e->level, e->room);
	buf_add(line, e->words);
}

static void log_add_json(struct buf *line, const struct event *e)
{
	buf_print(line, "{\"time\":\"%s\",\"level\":\"%s\",\"room\":", e->time, e->level);
	buf_add_json(line, text_of(e->room));
	buf_add(line, TEXT(",\"message\":"));
	buf_add_json(line, e->words);
	buf_add_char(line, '}');
}

static void tell_time(char *out, size_t room)
{
	struct timespec now;
	struct tm utc;
	size_t n;

	clock_gettime(CLOCK_REALTIME, &now);
	n = strftime(out, room, "%Y-%m-%dT%H:%M:%S", gmtime_r(&now.tv_sec, &utc));
	snprintf(out + n, room - n, ".%03ldZ", now.tv_nsec / 1000000);
}

/* Another thread or program may be quicker to the last page of a pipe, and then we wait. */
static bool is_taken(void)
{
	struct pollfd reader = {.fd = STDERR_FILENO, .events = POLLOUT};
	int ready = poll(&reader, 1, atomic_load(&lost) ? 0 : READER_WAIT_MS);

	if (ready < 0) /* interrupted */
		ready = poll(&reader, 1, 0);
	return ready > 0; /* also when a write would fail at once */
}

static void log_add_line(struct buf *out, const struct event *e)
{
	if (atomic_load(&line_format) == LOG_JSON)
		log_add_json(out, e);
	else
		log_add_text(out, e);
	buf_add_char(out, '\n');
}

static void add_lost(struct buf *out, struct event e)
{
	uint64_t count = atomic_exchange(&lost, 0);
	char words[64];

	if (count == 0)
		return;
	snprintf(words, sizeof(words), "lines that nobody read, and that are lost: %llu",
	         (unsigned long long)count);
	e.level = names[LOG_WARN];
	e.room = "log";
	e.words = text_of(words);
	log_add_line(out, &e);
}

/* One write, so that lines of two threads never mix; a full disk or a closed standard
 * error is nobody's to report to. */
static void write_line(const struct event *e)
{
	struct buf out;

	if (!is_taken()) {
		atomic_fetch_add(&lost, 1);
		return;
	}
	buf_init(&out, LOG_LINE_MAX);
	add_lost(&out, *e);
	log_add_line(&out, e);
	if (write(STDERR_FILENO, out.at, out.len) < 0)
		(void)0;
	buf_finish(&out);
}

void log_line(enum log_level level, const char *room, const char *format, ...)
{
	struct event e = {.level = names[level], .room = room};
	char words[LOG_WORDS_MAX];
	struct buf shown;
	va_list args;
	int n;

	if ((int)level > most_of(room))
		return;
	va_start(args, format);
	n = vsnprintf(words, sizeof(words), format, args);
	va_end(args);
	if (n >= (int)sizeof(words))
		n = (int)sizeof(words) - 1;
	buf_init(&shown, LOG_SHOWN_MAX);
	utf8_add_shown(&shown, (struct text){words, n < 0 ? 0 : (size_t)n});
	e.words = buf_text(&shown);
	tell_time(e.time, sizeof(e.time));
	write_line(&e);
	buf_finish(&shown);
}
