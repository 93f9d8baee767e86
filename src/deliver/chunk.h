/* chunk.h - a reply cut into pieces that read well, as it is being written.
 *
 * Tokens are added, pieces are taken.  A cut is decided when more than max_chars are there, or
 * at a flush; so the same text gives the same pieces however it comes.  It falls, in this order,
 * between paragraphs, lines or sentences (the preference says where to begin), between words, or
 * hard where the window ends; never within a grapheme cluster that fits into a piece.  Space at a
 * cut is left out: one character, then blank lines; the indentation of a line stays.
 *
 * A piece is a message of its own.  So a code fence that is open where a piece ends is closed
 * there, and opened again by the next one; inside a fence a cut falls at the end of a line if
 * it can.  A piece is never longer than max_chars in the unit of its channel, nor has it more
 * lines than that has, with all that fences add.
 */
#ifndef DELIVER_CHUNK_H
#define DELIVER_CHUNK_H

#include "base/text.h"

/* In what a channel counts the length of a message. */
enum chunk_unit {
	CHUNK_UTF16,  /* a character above U+FFFF is two */
	CHUNK_POINTS, /* code points */
	CHUNK_BYTES,
};

enum chunk_break {
	CHUNK_UNSET, /* as the level above says */
	CHUNK_PARAGRAPH,
	CHUNK_NEWLINE,
	CHUNK_SENTENCE,
};

enum chunk_switch { CHUNK_AS_ABOVE, CHUNK_OFF, CHUNK_ON };

/* What fits into one message of a channel. */
struct chunk_limit {
	enum chunk_unit unit;
	size_t max;
	size_t lines; /* 0: as many as there are */
};

/* `chunking` of one level of the configuration; 0 is unset in every member. */
struct chunk_wish {
	size_t min_chars, max_chars;
	enum chunk_break break_preference;
	enum chunk_switch flush_on_paragraph;
};

struct chunk_options {
	enum chunk_unit unit;
	size_t min_chars, max_chars, max_lines;
	enum chunk_break break_preference;
	/* A paragraph that ends when so many are there is a piece at once; 0: none is.
	 * flushOnParagraph is 1. */
	size_t paragraph_from;
};

#define CHUNK_MIN_CHARS 800
#define CHUNK_MAX_CHARS 1200
/* Less holds no fence that is closed and opened again. */
#define CHUNK_LEAST_CHARS 32
#define CHUNK_LEAST_LINES 4

/* Account over channel over the general level over the defaults, each of which may be NULL;
 * clamped to what the channel's messages hold. */
void chunk_resolve(struct chunk_options *options, const struct chunk_limit *limit,
                   const struct chunk_wish *general, const struct chunk_wish *channel,
                   const struct chunk_wish *account);

/* What the text left out between a piece and the one before it. */
enum chunk_gap { CHUNK_GAP_NONE, CHUNK_GAP_SPACE, CHUNK_GAP_LINE, CHUNK_GAP_PARAGRAPH };
struct text chunk_gap_text(enum chunk_gap gap);

struct chunk_piece {
	struct text text; /* the message */
	struct text body; /* of it that which is the text's own; the rest is of fences */
	enum chunk_gap gap;
	bool ends_paragraph;
};

struct chunker;

struct chunker *chunker_create(const struct chunk_options *options);
void chunker_destroy(struct chunker *c);

/* UTF-8; a character may come in parts.  False, and nothing is added, when more than
 * CHUNK_HELD_MAX bytes would wait to be taken. */
#define CHUNK_HELD_MAX ((size_t)4 * 1024 * 1024)
bool chunk_add(struct chunker *c, struct text token);

/* All that is there is a piece or several, whatever its length.  More may follow. */
void chunk_flush(struct chunker *c);

/* The next piece, valid until the next call; false: there is none yet.  Take them all after
 * each add and each flush. */
bool chunk_take(struct chunker *c, struct chunk_piece *piece);

/* What was added and is in no piece yet, until the next call; its last character may be a part. */
struct text chunk_held(const struct chunker *c);

/* --- measuring, for channels, too ---------------------------------------------------- */

size_t chunk_length(enum chunk_unit unit, struct text t);

/* The bytes of the longest beginning of t that is no longer than this, in whole characters. */
size_t chunk_reach(enum chunk_unit unit, struct text t, size_t length);

#endif
