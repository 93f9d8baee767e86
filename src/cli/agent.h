/* agent.h - who is at both ends of a hook: the agent that runs it, and the box. */
#ifndef CLI_AGENT_H
#define CLI_AGENT_H

#include <stdbool.h>

int agent_pid(void);

/* A descriptor of its process, to be closed; -1: it cannot be watched. */
int agent_open(void);
bool agent_is_gone(int fd);

/* The process that listens at the other end of a Unix socket is stopped, and will not answer. */
bool agent_box_is_stopped(int line);

#endif
