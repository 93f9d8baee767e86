/* inbound.h - a line of a file that people's messages come in; pure.
 *
 *	{"press","from","peer"?}
 *	{"id"?,"from","name"?,"peer"?,"kind"?,"thread"?,"replyTo"?,"mentioned"?,"text"?,
 *	 "files"?: [{"path"|"url","name"?,"type"?,"voice"?}]}
 */
#ifndef DELIVER_INBOUND_H
#define DELIVER_INBOUND_H

#include "deliver/button.h"
#include "deliver/channel.h"
#include "signal/json.h"

#define INBOUND_LINE_MAX MIB

struct inbound_files {
	struct channel_file list[CHANNEL_FILES_MAX];
};
/* Texts are valid until the reader reads again, files as long as these.  message is empty where
 * the line has no id. */
bool inbound_read(struct json_reader *reader, struct text line, struct inbound_files *files,
                  struct channel_inbound *out, struct error *why);

/* Is it a press of a button?  Texts likewise. */
bool inbound_read_press(struct json_reader *reader, struct text line, struct channel_press *out);

#endif
