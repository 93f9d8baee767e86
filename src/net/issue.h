/* issue.h - a certificate of our own making, for browsers of the same network.
 *
 * Two certificates are made: one for the names, and one that vouches for it.  A phone can be
 * told to trust the second.  Its key is forgotten before anybody has it, so that it vouches for
 * nothing else, ever.
 */
#ifndef NET_ISSUE_H
#define NET_ISSUE_H

#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"

#define ISSUE_NAMES 32
#define ISSUE_NAME_MAX 256
#define ISSUE_PRINT_LEN (3 * 32 - 1) /* "AB:CD:...": SHA-256 */

/* Host names and IP addresses, without ports. */
struct issue_names {
	const char *all[ISSUE_NAMES];
	size_t count;
};

/* PEM: the key, its certificate, and what vouches for it. */
bool issue_make(const struct issue_names *names, struct buf *out, struct error *why);

/* Is the first certificate of the file good for that name, and for some time yet? */
bool issue_is_good(const char *path, const char *name);

/* Is it not over yet, whatever it is for? */
bool issue_lasts(const char *path);

/* The names that it is for, in their order; none: there is no such file. */
struct issue_kept {
	char all[ISSUE_NAMES][ISSUE_NAME_MAX];
	size_t count;
};
void issue_read_names(const char *path, struct issue_kept *out);

/* Of what vouches, the last in the file: itself as PEM, and its fingerprint. */
bool issue_voucher(const char *path, struct buf *pem, char print[ISSUE_PRINT_LEN + 1],
                   struct error *why);

#endif
