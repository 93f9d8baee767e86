/* choice.h - which engine a session has; for this room alone. */
#ifndef VOICE_CHOICE_H
#define VOICE_CHOICE_H

#include "voice/kit.h"

struct voice_line;
struct voice_room;

/* Features that need no engine. */
#define VOICE_ALWAYS \
	(VOICE_BIT(VOICE_TURNS) | VOICE_BIT(VOICE_TEXT) | VOICE_BIT(VOICE_RESUME) | \
	 VOICE_BIT(VOICE_HANDS_FREE))
#define VOICE_REAL_MAX 8 /* sessions with engines that are no mock, at once */

void voice_choices_make(struct voice_room *voice);
void voice_choices_renew(struct voice_room *voice);
void voice_choices_drop(struct voice_room *voice);
const struct voice_kit *voice_choice(const struct voice_room *voice); /* of a new session */
/* The line's engine, for as long as it lives. */
void voice_engage(struct voice_line *line);
void voice_disengage(struct voice_line *line);
/* Once more, for one that came when too many were there.  It has no turn under way. */
void voice_engage_again(struct voice_line *line);
/* Its client's choice; not while a turn is under way, nor of an engine that asks nobody. */
void voice_choose_source(struct voice_line *line, struct text source);
void voice_line_tell_full(struct voice_line *line); /* that it waits */

#endif
