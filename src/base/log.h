/* log.h - words for the operator, one line an event, on standard error.
 *
 * What is logged may hold text from outside: it is made safe here, at the one
 * place all of it passes, so that no control sequence and no newline of theirs
 * comes out.  Secrets are not given to it in the first place.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

void log_set_level(enum log_level most);

/* room is a literal: it stands at the start of the line. */
void log_line(enum log_level level, const char *room, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#define log_error(...) log_line(LOG_ERROR, __VA_ARGS__)
#define log_warn(...) log_line(LOG_WARN, __VA_ARGS__)
#define log_info(...) log_line(LOG_INFO, __VA_ARGS__)
#define log_debug(...) log_line(LOG_DEBUG, __VA_ARGS__)

#endif
