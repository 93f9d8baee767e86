/* openclaw_config.h - what OpenClaw's own configuration says of its gateway.
 *
 * ~/.openclaw/openclaw.json, or where OPENCLAW_CONFIG_PATH and OPENCLAW_STATE_DIR
 * say it is: the token and the port.  Only a file of our own user is believed.  It
 * is read each time it is needed, so that a token is never kept in a second place
 * and a new one is found by itself.
 */
#ifndef SOURCE_OPENCLAW_CONFIG_H
#define SOURCE_OPENCLAW_CONFIG_H

#include "base/error.h"
#include "base/text.h"

#define OPENCLAW_PORT 18789

struct openclaw_config {
	char *token;   /* NULL: none is named */
	unsigned port; /* OPENCLAW_PORT when none is named */
};

/* Never fails: a file that is not there or cannot be read names nothing.  env
 * gives a variable of the environment, or NULL. */
void openclaw_config_read(struct openclaw_config *config, const char *(*env)(const char *name));
void openclaw_config_finish(struct openclaw_config *config);

/* The same of the file's text, without the environment's own variables. */
bool openclaw_config_parse(struct openclaw_config *config, struct text raw,
                           const char *(*env)(const char *name), struct error *why);

char *openclaw_own_token(void);             /* as transport.own_credential */
const char *openclaw_env(const char *name); /* getenv() */

#endif
