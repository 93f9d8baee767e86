/* ws.h - WebSocket framing, RFC 6455, of either side; no socket is touched.
 *
 * The reader takes bytes as they come and gives events.  A message that lies
 * whole and unfragmented in the input is given as a view of it, unmasked in
 * place; any other is gathered in one buffer.  UTF-8 is checked as it arrives.
 * What a conforming peer would never send is WS_BAD with a close code.
 *
 * A client masks what it sends and a server does not.
 */
#ifndef NET_WS_H
#define NET_WS_H

#include "base/buf.h"
#include "base/utf8.h"

enum ws_opcode {
	WS_OP_MORE = 0,
	WS_OP_TEXT = 1,
	WS_OP_BINARY = 2,
	WS_OP_CLOSE = 8,
	WS_OP_PING = 9,
	WS_OP_PONG = 10,
};

enum ws_event {
	WS_WAIT, /* the input is used up */
	WS_TEXT, /* a whole message */
	WS_BINARY,
	WS_PING, /* body is to be sent back in a pong */
	WS_PONG,
	WS_CLOSE,  /* code and body (the reason); answer with the same code */
	WS_BAD,    /* code says why; close with it and read no more */
	WS_SPOILT, /* a message that cannot be taken is over; code says why */
};

struct ws_limits {
	size_t message_max;     /* bytes in a message, and so in a frame; below 4 GiB */
	uint32_t fragments_max; /* frames in a message */
	bool of_server;         /* we are the client: what comes in is not masked */
	/* A message that is no text, too big or in too many frames is passed over, and
	 * costs nothing but itself. */
	bool forgives;
};

/* Packed: every idle client has one. */
struct ws_reader {
	const struct ws_limits *limits;
	struct buf message; /* of a fragmented or split message; freed when idle */
	uint8_t *control;   /* of a control frame that came in pieces; heap */
	uint32_t left;      /* payload bytes of this frame still to come */
	uint16_t fragments; /* of a message, behind its first frame */
	uint8_t head[14];   /* of a frame header that came in pieces */
	uint8_t mask[4];
	struct utf8 utf8;
	uint8_t control_len;
	uint8_t opcode : 4, message_opcode : 4;
	uint8_t head_len : 4, mask_at : 2;
	bool in_frame : 1, fin : 1;
	uint8_t spoilt : 2; /* this message is, and why */
	bool is_ascii;      /* what was unmasked last */
};

struct ws_news {
	struct text body; /* valid until the next ws_read */
	uint16_t code;    /* of WS_CLOSE (1005: none was sent) and WS_BAD */
};

void ws_init(struct ws_reader *r, const struct ws_limits *limits);
void ws_set_limits(struct ws_reader *r, const struct ws_limits *limits); /* from now on */
void ws_finish(struct ws_reader *r);

/* Is there nothing of a frame or a message that is not whole?  And else, what is held of it. */
static inline bool ws_is_idle(const struct ws_reader *r)
{
	return !r->in_frame && !r->message_opcode && !r->head_len;
}
static inline size_t ws_held(const struct ws_reader *r)
{
	return r->message.room;
}

/* Takes from *bytes what makes the next event; call until WS_WAIT or WS_BAD.
 * The bytes are changed in place. */
enum ws_event ws_read(struct ws_reader *r, char **bytes, size_t *n, struct ws_news *news);

/* The header of an unmasked final frame; returns its length, at most 10. */
#define WS_HEADER_MAX 10
size_t ws_header(char out[WS_HEADER_MAX], enum ws_opcode op, uint64_t len);

/* Appends a whole frame.  A close's reason is cut to what fits. */
bool ws_add_frame(struct buf *out, enum ws_opcode op, struct text body);
bool ws_add_close(struct buf *out, uint16_t code, struct text reason);

/* The same as a client sends it, masked with a key that nobody can foresee. */
bool ws_add_masked(struct buf *out, enum ws_opcode op, struct text body);
bool ws_add_masked_close(struct buf *out, uint16_t code, struct text reason);

/* Sec-WebSocket-Accept for a Sec-WebSocket-Key; false if the key is not one. */
#define WS_ACCEPT_LEN 28
bool ws_accept(struct text key, char out[WS_ACCEPT_LEN + 1]);

#endif
