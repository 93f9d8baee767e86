/* tap.h - where Claude Code's hooks are to go. */
#ifndef CLI_TAP_H
#define CLI_TAP_H

struct config;

/* The address that the box has, had last, or will have; NULL: hooks go over its Unix socket.
 * The caller frees it. */
char *tap_address(const struct config *config);

#endif
