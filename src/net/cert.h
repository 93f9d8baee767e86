/* cert.h - until when a certificate is good. */
#ifndef NET_CERT_H
#define NET_CERT_H

#include <stdint.h>

#include "base/error.h"

/* In seconds from now; what is over is negative.  Of the first certificate of a PEM file,
 * which is the one that is shown to clients. */
struct cert_span {
	int64_t begins_s, ends_s;
};
bool cert_read(const char *path, struct cert_span *span, struct error *why);

#endif
