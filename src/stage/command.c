/* command.c - a command as one JSON object. */
#include "stage/command.h"

#include "signal/json.h"

static const char *const kind_names[COMMAND_KINDS] = {
	[COMMAND_START] = "start",         [COMMAND_UPDATE] = "update",
	[COMMAND_COMPLETE] = "complete",   [COMMAND_EXECUTE] = "execute",
	[COMMAND_INTERRUPT] = "interrupt",
};

const char *command_kind_name(enum command_kind kind)
{
	return kind_names[kind];
}

/* key: a word of ours, with nothing to escape. */
static void command_add_key(struct buf *out, const char *key)
{
	buf_add(out, TEXT(",\""));
	buf_add(out, text_of(key));
	buf_add(out, TEXT("\":"));
}

static void command_add_text(struct buf *out, const char *key, struct text value)
{
	command_add_key(out, key);
	buf_add_json(out, value);
}

static void add_number(struct buf *out, const char *key, double value)
{
	command_add_key(out, key);
	json_add_number(out, value);
}

static void add_head(struct buf *out, const struct stage_command *command)
{
	buf_add(out, TEXT("{\"kind\":\""));
	buf_add(out, text_of(command_kind_name(command->kind)));
	buf_add(out, TEXT("\",\"at\":"));
	json_add_number(out, command->at_ms);
	buf_add(out, TEXT(",\"performanceId\":\"perf-"));
	buf_add_u64(out, command->performance);
	buf_add_char(out, '"');
}

static void add_action(struct buf *out, const struct stage_command *command)
{
	command_add_text(out, "action", command->action);
	command_add_text(out, "entityRef", command->entity);
	command_add_key(out, "params");
	buf_add(out, command->params);
}

static void add_progress(struct buf *out, const struct stage_command *command)
{
	add_number(out, "progress", command->progress);
	add_number(out, "elapsed", command->elapsed);
	if (command->from.len) {
		command_add_key(out, "from");
		buf_add(out, command->from);
	}
}

void command_json(const struct stage_command *command, struct buf *out)
{
	add_head(out, command);
	if (command->kind == COMMAND_INTERRUPT) {
		command_add_text(out, "correlationId", command->correlation);
		command_add_text(out, "interruptedBy", command->interrupted_by);
	} else {
		add_action(out, command);
	}
	if (command->kind == COMMAND_START) {
		add_number(out, "duration", command->duration);
		command_add_text(out, "easing", command->easing);
	}
	if (command->kind == COMMAND_UPDATE ||
	    (command->kind == COMMAND_START && command->elapsed > 0))
		add_progress(out, command);
	buf_add_char(out, '}');
}
