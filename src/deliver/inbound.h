/* inbound.h - a line of a file that people's messages come in; pure.
 *
 *	{"id"?,"from","name"?,"peer"?,"kind"?,"thread"?,"replyTo"?,"mentioned"?,"text"}
 */
#ifndef DELIVER_INBOUND_H
#define DELIVER_INBOUND_H

#include "deliver/channel.h"
#include "signal/json.h"

#define INBOUND_LINE_MAX MIB

/* Texts are valid until the reader reads again.  message is empty where the line has no id. */
bool inbound_read(struct json_reader *reader, struct text line, struct channel_inbound *out,
                  struct error *why);

#endif
