/* files.h - files that people send, as they are written down and told; pure.
 *
 * Names and types are a stranger's: they become a name of a file that lies where it should, and
 * words that stay in their line.
 */
#ifndef DELIVER_FILES_H
#define DELIVER_FILES_H

#include "base/buf.h"
#include "deliver/wrote.h"
#include "signal/json.h"

#define FILES_MAX 32               /* of one question, which may be gathered of several messages */
#define FILES_BYTES_MAX (20 * MIB) /* of one of them */
#define FILES_NAME_MAX 120         /* bytes of a name on the disk */

const char *files_kind_name(enum channel_file_kind kind); /* picture, file, voice, ... */
bool files_read_kind(struct text word, enum channel_file_kind *kind);
/* What it is by its type: image/..., audio/..., video/..., or a file. */
enum channel_file_kind files_kind_of(struct text type);

struct text files_type_of(struct text name); /* by its end; empty: it is not known */
/* By its first bytes, for pictures, recordings and PDF, and else as it is named; a name that they
 * belie says nothing.  Likewise empty. */
#define FILES_HEAD_BYTES 64
struct text files_type_in(struct text head, struct text named);

/* A JSON list of them, which is written down with the message; and back, up to FILES_MAX: how
 * many.  Texts are valid until the reader reads again. */
void files_put(const struct channel_file *files, unsigned count, struct buf *out);
unsigned files_read(struct json_reader *reader, struct text json, struct channel_file *out);
/* Two such lists as one. */
void files_join(struct text a, struct text b, struct buf *out);

/* NUMBER-NAME: letters, digits, dots and dashes, of one part, with an end that its type says. */
void files_put_name(const struct channel_file *file, unsigned number, struct buf *out);

/* What became of one. */
struct files_end {
	struct text path;  /* where it is; empty: it did not come */
	struct text why;   /* it did not, or what is wrong with it */
	struct text heard; /* what somebody says in it */
	uint64_t size;
};
/* "[picture: PATH, image/jpeg, 120 KB]": a line of a question; above it what was heard. */
void files_put_line(const struct channel_file *file, const struct files_end *end, struct buf *out);
/* "photo.jpg": its name, for a person, who gave it. */
void files_put_shown(const struct channel_file *file, struct buf *out);

#endif
