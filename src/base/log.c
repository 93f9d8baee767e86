/* log.c - one safe line, one write(2). */
#include "base/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/utf8.h"

#define LOG_LINE_MAX (4 * KIB)

static _Atomic int most_level = LOG_INFO;

void log_set_level(enum log_level most)
{
	atomic_store(&most_level, (int)most);
}

void log_line(enum log_level level, const char *room, const char *format, ...)
{
	static const char *const names[] = {"error", "warn", "info", "debug"};
	char words[2 * KIB], stamp[32];
	struct buf line;
	struct timespec now;
	struct tm utc;
	va_list args;
	int n;

	if ((int)level > atomic_load(&most_level))
		return;
	va_start(args, format);
	n = vsnprintf(words, sizeof(words), format, args);
	va_end(args);
	clock_gettime(CLOCK_REALTIME, &now);
	strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%S", gmtime_r(&now.tv_sec, &utc));
	buf_init(&line, LOG_LINE_MAX * 2);
	buf_print(&line, "%s.%03ldZ %s %s: ", stamp, now.tv_nsec / 1000000, names[level], room);
	if (n >= (int)sizeof(words))
		n = (int)sizeof(words) - 1;
	utf8_add_shown(&line, (struct text){words, n < 0 ? 0 : (size_t)n});
	buf_add_char(&line, '\n');
	/* One write, so that lines of two threads never mix; a full disk or a
	 * closed standard error is nobody's to report to. */
	if (write(STDERR_FILENO, line.at, line.len) < 0)
		(void)0;
	buf_finish(&line);
}
