/* agent.h - the agent that runs us as a hook: is it still there? */
#ifndef CLI_AGENT_H
#define CLI_AGENT_H

#include <stdbool.h>

/* A descriptor of its process, to be closed; -1: it cannot be watched. */
int agent_open(void);
bool agent_is_gone(int fd);

#endif
