/* claude_session.c - the registry file's members, and whether its process is that one. */
#include "parse/claude_session.h"

#include "base/proc.h"
#include "signal/json.h"

/* startedAt is some moments after the process began; the tick and the clock are not exact. */
#define LATEST_MS 2000

static int64_t time_member(yyjson_val *root, const char *name)
{
	double ms;

	if (!json_number(yyjson_obj_get(root, name), &ms) || !(ms >= 0 && ms < 9e15))
		return 0;
	return (int64_t)ms;
}

bool claude_session_read(struct json_reader *reader, struct text raw, struct claude_session *out,
                         struct error *why)
{
	yyjson_doc *doc;
	yyjson_val *root;

	*out = (struct claude_session){0};
	if (raw.len > CLAUDE_SESSION_MAX)
		return error_set(why, "it is longer than %d bytes", CLAUDE_SESSION_MAX);
	doc = json_read(reader, raw, why);
	if (!doc)
		return false;
	root = yyjson_doc_get_root(doc);
	out->pid = (uint64_t)time_member(root, "pid");
	out->id = json_text_at(root, "sessionId");
	if (out->pid == 0 || out->pid > INT32_MAX || out->id.len == 0)
		return error_set(why, "it names no process or no session");
	out->cwd = json_text_at(root, "cwd");
	out->version = json_text_at(root, "version");
	out->kind = json_text_at(root, "kind");
	out->entrypoint = json_text_at(root, "entrypoint");
	out->name = json_text_at(root, "name");
	out->name_source = json_text_at(root, "nameSource");
	out->status = json_text_at(root, "status");
	out->waiting_for = json_text_at(root, "waitingFor");
	out->proc_start = json_text_at(root, "procStart");
	out->pid_domain = json_text_at(root, "pidDomain");
	out->started_ms = time_member(root, "startedAt");
	out->status_ms = time_member(root, "statusUpdatedAt");
	out->updated_ms = time_member(root, "updatedAt");
	return true;
}

struct text claude_session_agent_type(struct json_reader *reader, struct text raw)
{
	yyjson_doc *doc = raw.len <= CLAUDE_SESSION_MAX ? json_read(reader, raw, NULL) : NULL;

	return json_text_at(yyjson_doc_get_root(doc), "agentType");
}

bool claude_task_read(struct json_reader *reader, struct text raw, struct claude_task *out)
{
	static const char *const names[] = {"pending", "in_progress", "completed"};
	yyjson_doc *doc = raw.len <= CLAUDE_SESSION_MAX ? json_read(reader, raw, NULL) : NULL;
	yyjson_val *root = yyjson_doc_get_root(doc);
	struct text status = json_text_at(root, "status");
	yyjson_val *metadata = yyjson_obj_get(root, "metadata");

	*out = (struct claude_task){.subject = json_text_at(root, "subject"),
	                            .is_internal =
	                                    yyjson_is_true(yyjson_obj_get(metadata, "_internal"))};
	if (out->subject.len == 0)
		return false;
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (text_is(status, names[i])) {
			out->status = (enum claude_task_status)i;
			return true;
		}
	return false;
}

/* The middle part is the machine's id; where either has none, the namespace decides. */
static bool is_here(struct text domain, const struct proc *process)
{
	struct text system, machine, space;

	if (domain.len == 0)
		return true;
	system = text_cut(domain, ':', &domain);
	machine = text_cut(domain, ':', &space);
	if (!text_is(system, "linux") || !text_is(space, process->space))
		return false;
	return machine.len == 0 || !process->machine[0] || text_is(machine, process->machine);
}

bool claude_session_is(const struct claude_session *session, const struct proc *process)
{
	uint64_t start;

	if (!is_here(session->pid_domain, process))
		return false;
	if (session->proc_start.len > 0)
		return text_to_u64(session->proc_start, &start) && start == process->start;
	return session->started_ms == 0 || process->began_ms <= session->started_ms + LATEST_MS;
}
