/* streaming.h - how replies are sent, as a part of the configuration of chats.
 *
 * `streaming` stands at the top and in each adapter; what an adapter does not say is as the top
 * says, and what neither says is the channel's own.  So 0, and `auto`, is unset in every member.
 */
#ifndef CONFIG_STREAMING_H
#define CONFIG_STREAMING_H

#include "config/field.h"

enum config_switch { CONFIG_AUTO, CONFIG_FALSE, CONFIG_TRUE };
enum config_mode {
	CONFIG_MODE_AUTO,
	CONFIG_MODE_ACCUMULATE,
	CONFIG_MODE_BLOCKS,
	CONFIG_MODE_DRAFT_EDIT,
	CONFIG_MODE_PROGRESS,
};
enum config_typing {
	CONFIG_TYPING_AUTO,
	CONFIG_TYPING_INSTANT,
	CONFIG_TYPING_MESSAGE,
	CONFIG_TYPING_THINKING,
	CONFIG_TYPING_NEVER,
};
enum config_pace {
	CONFIG_PACE_AUTO,
	CONFIG_PACE_OFF,
	CONFIG_PACE_NATURAL,
	CONFIG_PACE_CUSTOM,
	CONFIG_PACE_ON, /* natural by another name */
};
enum config_tools { CONFIG_TOOLS_AUTO, CONFIG_TOOLS_OFF, CONFIG_TOOLS_ON, CONFIG_TOOLS_FULL };
enum config_break {
	CONFIG_BREAK_AUTO,
	CONFIG_BREAK_PARAGRAPH,
	CONFIG_BREAK_NEWLINE,
	CONFIG_BREAK_SENTENCE,
};
enum config_idle { CONFIG_IDLE_AUTO, CONFIG_IDLE_SENDS, CONFIG_IDLE_GATED };

struct config_delay {
	enum config_pace mode;
	unsigned min_ms, max_ms;
};

struct config_coalescing {
	unsigned min_chars, max_chars, idle_ms;
	char *joiner;
	enum config_switch flush_on_enqueue;
	enum config_idle idle;
};

struct config_chunking {
	unsigned min_chars, max_chars;
	enum config_break break_preference;
	enum config_switch flush_on_paragraph;
};

struct config_streaming {
	enum config_switch enabled;
	enum config_mode mode;
	enum config_typing typing;
	unsigned typing_interval_ms;
	enum config_tools tool_results;
	struct config_delay human_delay;
	struct config_coalescing coalescing;
	struct config_chunking chunking;
};

#endif
