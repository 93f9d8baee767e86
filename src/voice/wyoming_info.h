/* wyoming_info.h - what an engine that speaks Wyoming says of itself (`info`), as far as a box
 * wants to know it; pure.
 *
 * An engine lists programs, and each its models or voices.  The first program that is installed
 * counts, or that which has what the configuration names.
 */
#ifndef VOICE_WYOMING_INFO_H
#define VOICE_WYOMING_INFO_H

#include "parse/wyoming.h"

#define INFO_NAME_MAX 80      /* bytes of a name, with its end; the rest of it is left out */
#define INFO_LANGUAGES_MAX 16 /* that are kept */
#define INFO_LANGUAGE_MAX 24  /* bytes of one, with its end */

enum wyoming_part { WYOMING_ASR, WYOMING_TTS };

/* What the configuration names.  NULL: nothing. */
struct wyoming_wish {
	const char *name; /* of a model or a voice */
	const char *language;
};

/* Nothing in these words is invisible (base/visible.h). */
struct wyoming_info {
	bool is_there; /* somebody does this part */
	bool streams;  /* what is heard, or what is to be said, may come piece by piece */
	char program[INFO_NAME_MAX];
	char used[INFO_NAME_MAX]; /* the model or the voice; empty: it may be any of several */
	unsigned language_count;
	char languages[INFO_LANGUAGES_MAX][INFO_LANGUAGE_MAX];
	struct error lacks; /* in words, what it has not of the wish; empty: nothing */
};

void wyoming_info_read(const struct wyoming_event *event, enum wyoming_part part,
                       const struct wyoming_wish *wish, struct wyoming_info *out);

#endif
