/* voice.h - the voice dialect: sessions in which a person speaks and is answered.
 *
 * One JSON text a message, `{type, payload}`, both ways; schema/voice.schema.json has all of
 * them.  Each turn is a run of the box.
 */
#ifndef VOICE_VOICE_H
#define VOICE_VOICE_H

#include "bus/back.h"
#include "hub/dialect.h"
#include "voice/settings.h"

struct bus;
struct loop;
struct requests;
struct voice_room;

/* All of it outlives the dialect, but for the configuration, which is copied. */
struct voice_options {
	const struct voice_config *config;
	struct loop *loop;
	struct bus *bus;
	struct back back;   /* to the agents that think */
	const char *data;   /* DATA */
	size_t message_max; /* bytes that a client may say at once */
};

extern const struct dialect dialect_voice; /* hub_dialect.of is a struct voice_room */

struct voice_room *voice_create(const struct voice_options *options);
void voice_destroy(struct voice_room *voice); /* after the hub, before the bus */
/* Once there is all that engines need; and before that goes: no turn is under way any more, and
 * none begins. */
void voice_begin(struct voice_room *voice, struct requests *requests);
void voice_stop(struct voice_room *voice);
void voice_reload(struct voice_room *voice, const struct voice_config *config);
/* Looks whether speech works on this machine; voice_look() tells. */
void voice_check(struct voice_room *voice);
/* Members: which engine a new session has, and what it can do. */
void voice_look(const struct voice_room *voice, struct buf *out);

#endif
