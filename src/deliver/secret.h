/* secret.h - a credential of a platform: it stands in no words, and is forgotten. */
#ifndef DELIVER_SECRET_H
#define DELIVER_SECRET_H

#include <stddef.h>

/* Words of others, with stars where the secret stood and spaces for controls.  The secret may be
 * NULL. */
void secret_hide(char *words, const char *secret);
void secret_forget(char *secret); /* frees it, too; NULL is none */

#endif
