/* session.c - hostile files in Claude Code's registry of its sessions: what is read has a
 * process and a session, and times that are none are 0; any process may be compared. */
#include "parse/claude_session.h"

#include <stdlib.h>

#include "base/proc.h"
#include "lib/hold.h"
#include "signal/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void touch(struct text text)
{
	static volatile char sink;

	for (size_t i = 0; i < text.len; i++)
		sink = text.at[i];
	(void)sink;
}

static void hold_session(const struct claude_session *s)
{
	struct proc process = {129967, 1794818666000, "pid:[4026531836]", "4c3ac127"};

	must_hold(s->pid > 0 && s->id.len > 0);
	must_hold(s->started_ms >= 0 && s->status_ms >= 0 && s->updated_ms >= 0);
	touch(s->cwd);
	touch(s->version);
	touch(s->status);
	touch(s->waiting_for);
	touch(s->name);
	claude_session_is(s, &process);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct text raw = {(const char *)bytes, size};
	struct claude_session session;
	struct claude_task task;
	struct json_reader reader;
	struct error why = {""};
	uint64_t start;
	char state;

	json_reader_init(&reader, CLAUDE_SESSION_MAX);
	if (claude_session_read(&reader, raw, &session, &why))
		hold_session(&session);
	else
		must_hold(why.words[0] != '\0');
	touch(claude_session_agent_type(&reader, raw));
	if (claude_task_read(&reader, raw, &task)) {
		must_hold(task.subject.len > 0 && task.status <= CLAUDE_TASK_COMPLETED);
		touch(task.subject);
	}
	json_reader_finish(&reader);
	proc_read_stat(raw, &state, &start);
	return 0;
}
