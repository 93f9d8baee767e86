/* settle.c - what became of a question of Claude Code.
 *
 * Its own dialog is open beside ours, and whoever answers first decides.  Its registry says
 * when that dialog is gone: then ours is closed, too.  What was decided is told by the hooks
 * that follow: a tool that was used was allowed; one that nobody hears of before the turn is
 * over was not.
 */
#include <assert.h>
#include <dirent.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/must.h"
#include "base/proc.h"
#include "base/whole.h"
#include "parse/claude_session.h"
#include "source/claude/approve_inside.h"

#define LOOK_MS 500
#define USES_MAX 256     /* tools that are about to be used; one more: the oldest is forgotten */
#define SESSIONS_MAX 512 /* files of a registry that are looked at */
/* Hooks may overtake each other: so long is waited for the one that tells of a tool. */
#define GRACE_MS 3000
#define WATCHED_MS (60 * 1000) /* after its end a question is not looked for any longer */

#define DECIDED_THERE "it was decided there"

static uint64_t settle_now_ms(void)
{
	return clock_mono_ns() / 1000000;
}

/* ---- ends ---- */

static void settle_settle(struct approve_held *h, enum approve_given did, const char *word)
{
	const struct approve_options *o = &h->approve->options;
	bool is_agents = did == GIVEN_NOTHING || did != h->given;

	if (h->decided) {
		approve_withdraw(h, did == GIVEN_NOTHING ? "its agent is gone" : DECIDED_THERE);
		approve_let_go(h, TEXT(""));
	}
	if (o->settled)
		o->settled(o->self, text_of(h->run), text_of(h->id), is_agents,
		           is_agents ? word : h->word);
	approve_free(h);
}

/* Its own dialog is over.  When it is not known what was decided, hooks will tell. */
static void leave_dialog(struct approve_held *h, bool is_over)
{
	if (h->decided) {
		approve_withdraw(h, DECIDED_THERE);
		approve_let_go(h, TEXT(""));
	}
	if ((is_over || h->given == GIVEN_DENY) && h->given != GIVEN_ALLOW && !h->denied_ms)
		h->denied_ms = settle_now_ms() + GRACE_MS;
}

/* ---- the registry ---- */

static bool read_session(struct approve *a, const char *sessions, const char *name,
                         struct claude_session *out)
{
	char *path = must_print("%s/%s", sessions, name);
	struct buf raw;
	bool good;

	buf_init(&raw, CLAUDE_SESSION_MAX);
	good = whole_load(path, WHOLE_NO_LINK, &raw, NULL) &&
	       claude_session_read(&a->registry, buf_text(&raw), out, NULL);
	buf_finish(&raw);
	free(path);
	return good;
}

static bool is_alive(const struct claude_session *session)
{
	struct proc process;

	return proc_look(session->pid, &process) && claude_session_is(session, &process);
}

static bool is_registered(const char *name)
{
	const char *end = name + strspn(name, "0123456789");

	return end > name && strcmp(end, ".json") == 0;
}

/* Which process has this session? */
static void find_agent(struct approve_held *h)
{
	DIR *dir = h->sessions ? opendir(h->sessions) : NULL;
	struct claude_session session;
	struct dirent *entry;
	unsigned seen = 0;

	while (dir && !h->pid && seen < SESSIONS_MAX && (entry = readdir(dir))) {
		if (!is_registered(entry->d_name))
			continue;
		seen++;
		if (read_session(h->approve, h->sessions, entry->d_name, &session) &&
		    text_is(session.id, h->run) && is_alive(&session))
			h->pid = session.pid;
	}
	if (dir)
		closedir(dir);
}

/* True: the question is gone. */
static bool settle_look_at(struct approve_held *h)
{
	struct claude_session session;
	struct proc process;
	char name[32];

	if (!h->pid)
		find_agent(h);
	if (!h->pid)
		return false;
	snprintf(name, sizeof(name), "%llu.json", (unsigned long long)h->pid);
	if (!proc_look(h->pid, &process)) {
		settle_settle(h, GIVEN_NOTHING, "gone");
		return true;
	}
	if (!read_session(h->approve, h->sessions, name, &session))
		return false;
	if (!claude_session_is(&session, &process)) {
		settle_settle(h, GIVEN_NOTHING, "gone");
		return true;
	}
	if (text_is(session.status, "waiting"))
		h->was_waiting = true;
	else if (session.status.len && h->was_waiting)
		leave_dialog(h, text_is(session.status, "idle"));
	return false;
}

/* Those that ended long ago wait for hooks alone. */
static void look_at_all(struct link *list, uint64_t now)
{
	list_each(list, l) {
		struct approve_held *h = list_of(l, struct approve_held, in_all);

		if (!h->decided && h->denied_ms && h->denied_ms <= now)
			settle_settle(h, GIVEN_DENY, "deny");
		else if (h->decided || now - h->ended_ms < WATCHED_MS)
			settle_look_at(h);
	}
}

static void looks(struct deadline *deadline)
{
	struct approve *a = list_of(deadline, struct approve, look);

	look_at_all(&a->ended, settle_now_ms());
	look_at_all(&a->held, settle_now_ms());
	settle_begin(a);
}

void settle_begin(struct approve *a)
{
	a->look.fire = looks;
	if (!a->is_stopped && (a->held_count || a->ended_count))
		deadline_set(a->options.loop, &a->look, LOOK_MS);
}

void approve_look(struct approve *a, struct text id)
{
	list_each(&a->held, l) {
		struct approve_held *h = list_of(l, struct approve_held, in_all);

		if (!text_is(id, h->id))
			continue;
		settle_look_at(h);
		return;
	}
}

/* ---- hooks ---- */

static void free_use(struct approve *a, struct tool_use *u)
{
	list_remove(&u->in_all);
	assert(a->use_count > 0);
	a->use_count--;
	free(u->run);
	free(u->id);
	free(u->tool);
	free(u->prompt);
	free(u);
}

static void begin_use(struct approve *a, const struct approve_request *r)
{
	struct tool_use *u = must_zero(1, sizeof(*u));

	if (a->use_count == USES_MAX)
		free_use(a, list_of(a->uses.next, struct tool_use, in_all));
	u->run = text_dup(r->session);
	u->id = text_dup(r->tool_use);
	u->tool = text_dup(r->tool);
	u->prompt = text_dup(r->prompt);
	u->input_hash = approve_hash(r->input);
	list_add(&a->uses, &u->in_all);
	assert(a->use_count < USES_MAX);
	a->use_count++;
}

static void end_use(struct approve *a, struct text id)
{
	list_each(&a->uses, l) {
		struct tool_use *u = list_of(l, struct tool_use, in_all);

		if (text_is(id, u->id)) {
			free_use(a, u);
			return;
		}
	}
}

static bool may_be_for(const struct tool_use *u, struct text prompt)
{
	return !u->prompt[0] || !prompt.len || text_is(prompt, u->prompt);
}

/* A question does not say which use it is about: the oldest like it that nobody asked of. */
void settle_find_use(struct approve_held *h, struct text prompt)
{
	struct approve *a = h->approve;

	list_each(&a->uses, l) {
		struct tool_use *u = list_of(l, struct tool_use, in_all);

		if (strcmp(u->run, h->run) != 0 || strcmp(u->tool, h->tool) != 0 ||
		    u->input_hash != h->input_hash || !may_be_for(u, prompt))
			continue;
		h->tool_use = must_dup(u->id);
		free_use(a, u);
		return;
	}
}

void settle_forget(struct approve *a)
{
	deadline_clear(&a->look);
	while (!list_is_empty(&a->uses))
		free_use(a, list_of(a->uses.next, struct tool_use, in_all));
}

static bool is_about(const struct approve_held *h, const struct approve_request *r)
{
	if (!text_is(r->session, h->run) || !text_is(r->tool, h->tool))
		return false;
	if (h->tool_use)
		return text_is(r->tool_use, h->tool_use);
	return approve_hash(r->input) == h->input_hash;
}

/* Of this tool, or NULL. */
static struct approve_held *find_about(struct approve *a, const struct approve_request *r)
{
	struct link *lists[] = {&a->ended, &a->held};

	for (size_t i = 0; i < 2; i++) {
		list_each(lists[i], l) {
			struct approve_held *h = list_of(l, struct approve_held, in_all);

			if (is_about(h, r))
				return h;
		}
	}
	return NULL;
}

/* The turn is over, or another has begun: nothing of this session is asked any more. */
static void settle_end_turn(struct approve *a, struct text session, bool is_gone)
{
	struct link *lists[] = {&a->ended, &a->held};

	for (size_t i = 0; i < 2; i++) {
		list_each(lists[i], l) {
			struct approve_held *h = list_of(l, struct approve_held, in_all);

			if (text_is(session, h->run) && is_gone)
				settle_settle(h, GIVEN_NOTHING, "gone");
			else if (text_is(session, h->run) && !h->is_inside)
				leave_dialog(h, true);
		}
	}
}

static bool settle_is_one_of(struct text event, const char *const *names)
{
	while (*names && !text_is(event, *names))
		names++;
	return *names != NULL;
}

void approve_note(struct approve *a, struct text payload)
{
	static const char *const used[] = {"PostToolUse", "PostToolUseFailure", NULL};
	static const char *const over[] = {"Stop", "StopFailure", "UserPromptSubmit", NULL};
	struct approve_request r;
	struct approve_held *h;

	if (a->is_stopped || !approve_read(&r, &a->reader, payload))
		return;
	if (text_is(r.event, "PreToolUse")) {
		begin_use(a, &r);
	} else if (settle_is_one_of(r.event, used)) {
		end_use(a, r.tool_use);
		if ((h = find_about(a, &r)))
			settle_settle(h, GIVEN_ALLOW, "allow");
	} else if (text_is(r.event, "PermissionDenied")) {
		if ((h = find_about(a, &r)))
			settle_settle(h, GIVEN_DENY, "deny");
	} else if (settle_is_one_of(r.event, over) || text_is(r.event, "SessionEnd")) {
		settle_end_turn(a, r.session, text_is(r.event, "SessionEnd"));
	}
}
