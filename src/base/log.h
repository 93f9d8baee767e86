/* log.h - words for the operator, one line an event, on standard error.
 *
 * What is logged may hold text from outside: it is made safe here, at the one
 * place all of it passes, so that no control sequence and no newline of theirs
 * comes out.  Secrets are not given to it in the first place.
 *
 * A line is text, or a JSON object with time, level, room and message.  Each room
 * may have a level of its own; all of it may be changed at any time, from one thread.
 *
 * Nobody waits for whoever should read it: a line that a pipe or a terminal does not take
 * is lost, and the next that is taken comes after one that says how many were.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };
enum log_format { LOG_TEXT, LOG_JSON };

#define LOG_ROOMS_MAX 32

void log_set_level(enum log_level most); /* of rooms that have none of their own */
void log_set_format(enum log_format format);

/* "hub=debug": what the room says at most.  Is that one? */
bool log_check_room(struct text rule, struct error *why);
/* These rooms, which were checked, and no others have a level of their own. */
void log_set_rooms(char *const *rules, size_t count);

/* room is a literal: it stands at the start of the line. */
void log_line(enum log_level level, const char *room, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#define log_error(...) log_line(LOG_ERROR, __VA_ARGS__)
#define log_warn(...) log_line(LOG_WARN, __VA_ARGS__)
#define log_info(...) log_line(LOG_INFO, __VA_ARGS__)
#define log_debug(...) log_line(LOG_DEBUG, __VA_ARGS__)

#endif
