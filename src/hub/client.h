/* client.h - one reader of the hub: a socket, a tape and a cursor.
 *
 *   idle      joined, not subscribed
 *   live      a cursor on a tape
 *   reading   behind: lines come from the journal until they meet the tape
 *   closing   the last words are going out
 *
 * Frames for this client alone go to `mine` and are sent only between two frames
 * of the tape.
 */
#ifndef HUB_CLIENT_H
#define HUB_CLIENT_H

#include "base/buf.h"
#include "hub/dialect.h"
#include "hub/tape.h"
#include "net/caller.h"
#include "net/conn.h"
#include "net/ws.h"

struct account;
struct acks;
struct hub;
struct journal_reader;
struct person;
struct spoken;

enum client_state { CLIENT_IDLE, CLIENT_LIVE, CLIENT_READING, CLIENT_CLOSING };

/* What a sweep looks at comes first and fits one line of the cache. */
struct client {
	struct conn *conn;
	struct tape *tape;  /* NULL: not subscribed */
	uint64_t cursor;    /* live: on the tape */
	uint64_t frame_end; /* live: above cursor when it stands inside a frame */
	uint32_t place;     /* live: in tape.clients */
	uint32_t unstamped; /* emits the bus has not stamped yet; apart from the bits below,
	                     * which would be read together with what was just written */
	uint32_t mine_sent;
	uint8_t state : 4, policy : 4;
	uint8_t scopes;
	bool has_credential : 1;
	bool cold : 1;     /* reading: waits for the disk */
	bool dropping : 1; /* reading: will skip to the present */
	bool joining : 1;  /* reading: pieces of messages are joined */
	bool placed : 1;   /* reading: the journal has said where it stands */
	bool progress : 1; /* bytes went either way since the last beat */
	bool asked : 1;    /* a beat went unanswered */
	bool parted : 1;   /* closed; freed when the bus has stamped all of its emits */
	struct buf mine;   /* up to its length */

	struct hub *hub;
	const struct spoken *spoken; /* its dialect */
	struct journal_reader *reader;
	struct acks *acks;
	struct link in_work; /* hub.work: has something to send or to read */
	struct link in_all;  /* hub.clients */
	struct account *account;
	struct ws_reader ws;
	struct person *person; /* or NULL */
};

/* Four lines of the processor's cache; an idle client costs little else. */
_Static_assert(sizeof(struct client) <= 256, "a client fits its place in the pool");

#define CLIENT_SLOW_AT (512 * KIB)  /* with more owed to it, a client is not read */
#define CLIENT_FILL_MAX (256 * KIB) /* private bytes that a pump or a reader fills up to */

/* Bytes that wait for its socket, besides the tape's. */
static inline size_t client_owed(const struct client *client)
{
	return client->mine.len - client->mine_sent;
}

static inline bool client_is_slow(const struct client *client)
{
	return client_owed(client) > CLIENT_SLOW_AT;
}

static inline bool client_has_room(const struct client *client)
{
	return client_owed(client) < CLIENT_FILL_MAX && client->state != CLIENT_CLOSING;
}

#endif
