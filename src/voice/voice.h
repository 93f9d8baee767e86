/* voice.h - the voice dialect: sessions in which a person speaks and is answered.
 *
 * One JSON text a message, `{type, payload}`, both ways; schema/voice.schema.json has all of
 * them.  Each turn is a run of the box.
 */
#ifndef VOICE_VOICE_H
#define VOICE_VOICE_H

#include "hub/dialect.h"
#include "voice/mock.h"

struct bus;
struct loop;
struct voice_room;

struct voice_config {
	enum { VOICE_TRIGGER_OFF, VOICE_TRIGGER_ON } trigger; /* mocked.turn.trigger */
	enum { VOICE_KEEP_NONE, VOICE_KEEP_TEXT } keep;       /* what signals tell */
	struct voice_mock_times mock;
};
extern const struct config_group voice_settings;

/* All of it outlives the dialect, but for the configuration, which is copied. */
struct voice_options {
	const struct voice_config *config;
	struct loop *loop;
	struct bus *bus;
	size_t message_max; /* bytes that a client may say at once */
};

extern const struct dialect dialect_voice; /* hub_dialect.of is a struct voice_room */

struct voice_room *voice_create(const struct voice_options *options);
void voice_destroy(struct voice_room *voice); /* after the hub, before the bus */
void voice_reload(struct voice_room *voice, const struct voice_config *config);

#endif
