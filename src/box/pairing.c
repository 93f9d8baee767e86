/* pairing.c - gateway <-> web: devices with a key of their own. */
#include "box/pairing.h"

#include "box/parts.h"
#include "gateway/gateway.h"
#include "gateway/pair_tell.h"
#include "gateway/pairing.h"

static struct gateway *gateway_in(void *self)
{
	return box_of_dialect(self, &dialect_gateway);
}

bool box_token_mark(void *self, struct text secret, unsigned char mark[32])
{
	return web_token_mark(((struct box *)self)->web, secret, mark);
}

bool box_token_scopes(void *self, const unsigned char mark[32], unsigned *scopes)
{
	return web_token_scopes(((struct box *)self)->web, mark, scopes);
}

static void check_tokens(void *self)
{
	gateway_pairing_check(gateway_in(self));
}

static void put_devices(void *self, struct buf *out)
{
	check_tokens(self); /* a token may have ended while we were down */
	gateway_put_devices(gateway_in(self), out);
}

static void put_waiting(void *self, struct buf *out)
{
	gateway_put_waiting(gateway_in(self), out);
}

static enum web_pairing_answer answer_of(enum gateway_paired decision)
{
	switch (decision) {
	case GATEWAY_UNKNOWN:
		return PAIRING_UNKNOWN;
	case GATEWAY_REFUSED:
		return PAIRING_REFUSED;
	case GATEWAY_UNSAVED:
		return PAIRING_FAILED;
	case GATEWAY_DECIDED:
		break;
	}
	return PAIRING_DONE;
}

static enum web_pairing_answer approve(void *self, struct text name, unsigned scopes,
                                       struct error *why)
{
	return answer_of(gateway_pairing_approve(gateway_in(self), name, scopes, why));
}

static enum web_pairing_answer reject(void *self, struct text name, struct error *why)
{
	return answer_of(gateway_pairing_reject(gateway_in(self), name, why));
}

static enum web_pairing_answer remove_device(void *self, struct text name, struct error *why)
{
	return answer_of(gateway_pairing_remove(gateway_in(self), name, why));
}

struct web_pairing box_web_pairing(struct box *box)
{
	return (struct web_pairing){
		.self = box,
		.check = check_tokens,
		.put_devices = put_devices,
		.put_waiting = put_waiting,
		.approve = approve,
		.reject = reject,
		.remove = remove_device,
	};
}
