/* chat.h - chats: where replies go, and who may ask there, as a part of struct config. */
#ifndef CONFIG_CHAT_H
#define CONFIG_CHAT_H

#include <stddef.h>

#include "config/streaming.h"

enum config_restart { CONFIG_RESTART_TELL, CONFIG_RESTART_AGAIN };
enum config_unknown { CONFIG_UNKNOWN_AGAIN, CONFIG_UNKNOWN_LEAVE };

struct config_adapter {
	char *name, *channel; /* channel NULL: as it is called */
	char **command;       /* the program outside that connects it */
	size_t command_count;
	char *agent;          /* the source that is asked, or NULL */
	char *inbox, *outbox; /* of files */
	char *url;            /* of its platform, where it is not the usual one */
	char *topic;          /* of ntfy */
	char *press_url;      /* where buttons of ntfy lead: how phones reach the box, or NULL */
	char *nick;           /* how the box is called there */
	char **rooms;         /* that it enters by itself */
	size_t room_count;
	char *credential; /* its value, once ${NAME} was looked up */
	char *credential_file;
	char *app_credential, *app_credential_file; /* of slack: of the app, likewise */
	char *response_prefix;
	enum config_restart on_restart;
	enum config_unknown on_unknown;
	struct config_streaming streaming;
};

/* Pictures and files of chats. */
struct config_media {
	bool receive, send;
	char *directory; /* of files that agents send, or NULL */
	unsigned keep_ms;
	size_t room;
};

struct config_deliver {
	char *again, *restarted, *failed, *lost; /* words for people */
	unsigned gather_ms;
};

extern const struct field config_delay_fields[], config_streaming_fields[], config_adapter_fields[],
	config_deliver_fields[], config_media_fields[];

extern const char *const config_tools_words[];

/* A struct config_adapter: its channel is known, and has what it needs. */
bool config_check_adapter(const void *row, size_t rows_before, struct error *why);

#endif
