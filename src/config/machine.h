/* machine.h - what is looked for and read on this machine, as a part of struct config. */
#ifndef CONFIG_MACHINE_H
#define CONFIG_MACHINE_H

#include <stdbool.h>

struct config_discover {
	unsigned interval_ms; /* between two looks at this machine; 0: only when asked */
	bool connect;         /* OpenClaw, by itself */
	char *openclaw, *lm_studio, *ollama, *codex; /* where; openclaw NULL: as it says itself */
};

enum config_transcripts { CONFIG_TRANSCRIPTS_OFF, CONFIG_TRANSCRIPTS_FACTS };

struct config_crew {
	unsigned silent_ms; /* a session without a process is gone then; 0: never */
};

#endif
