/* command.h - a program of the user's, run for each matter that is told.
 *
 * It gets the words on its standard input and the facts as JSON in SIGNALBOX_MATTER; no shell is
 * involved.  It has COMMAND_PATIENCE_MS, then it is ended.  COMMAND_AT_ONCE run at the same time;
 * others wait, and of those that wait too many the oldest is dropped.
 */
#ifndef NOTIFY_COMMAND_H
#define NOTIFY_COMMAND_H

#include <stddef.h>

#include "base/text.h"

#define COMMAND_PATIENCE_MS 10000
#define COMMAND_AT_ONCE 4
#define COMMAND_WAITING_MAX 64
#define COMMAND_INPUT_MAX 8192 /* bytes of the words */

struct loop;
struct notify_command;

struct notify_command *notify_command_create(struct loop *loop);
void notify_command_destroy(struct notify_command *command); /* ends what runs */

/* What it is from now on; everything is copied.  count 0: there is none. */
void notify_command_set(struct notify_command *command, char *const *argv, size_t count);

void notify_command_run(struct notify_command *command, struct text words, struct text facts);

#endif
