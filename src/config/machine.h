/* machine.h - what is looked for and read on this machine, as a part of struct config. */
#ifndef CONFIG_MACHINE_H
#define CONFIG_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

struct config_discover {
	unsigned interval_ms; /* between two looks at this machine; 0: only when asked */
	bool connect;         /* OpenClaw, by itself */
	/* Where; openclaw NULL: as it says itself. */
	char *openclaw, *lm_studio, *ollama, *codex, *opencode;
};

enum config_transcripts {
	CONFIG_TRANSCRIPTS_OFF,
	CONFIG_TRANSCRIPTS_FACTS,
	CONFIG_TRANSCRIPTS_TEXT
};

enum config_desktop { CONFIG_DESKTOP_AUTO, CONFIG_DESKTOP_OFF };

struct config_notify {
	unsigned after_ms; /* work of so long is told when it is done; 0: none is */
	char **command;    /* a program and its arguments */
	size_t command_count;
	enum config_desktop desktop;
};

struct config_budget {
	double day; /* dollars; 0: none */
};

struct config_crew {
	unsigned silent_ms; /* a session without a process is gone then; 0: never */
};

enum config_push { CONFIG_PUSH_OFF, CONFIG_PUSH_PUBLIC, CONFIG_PUSH_ANYWHERE };

struct config_phone {
	char *listen; /* where paired devices come in, unless a listener is there for them */
	enum config_push push;
	char *contact; /* whom a push service may write to */
};

struct config_demo {
	double speed; /* 2 is twice as fast */
};

#endif
