/* device.h - is the device of a client the one that it says?  Pure, but for the arithmetic.
 *
 * Its id is the hash of its public key, and it signed what it asks for, with the challenge of this
 * connection: so neither the key of another nor an older signature is of use.
 */
#ifndef GATEWAY_DEVICE_H
#define GATEWAY_DEVICE_H

#include <stdint.h>
#include <yyjson.h>

#include "base/text.h"
#include "parse/openclaw_names.h"

/* What was wrong, in the words of gateways; reason NULL: nothing. */
struct device_fault {
	const char *reason;
	enum openclaw_code code;
	const char *message;
};

struct device_proof {
	yyjson_val *params; /* of connect */
	struct text role, nonce;
	int64_t now_ms;
};
struct device_fault gateway_check_device(const struct device_proof *proof);

#endif
