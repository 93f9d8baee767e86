/* openclaw_tools.c - the tools of a gateway's runs.
 *
 * A call may be told more than once: to who began the run, to who follows the session,
 * and again in the session's transcript.  Numbers tell whether an event is new; of what is in a
 * transcript, that which was not told yet.
 */
#include <stdio.h>

#include "parse/inside.h"
#include "parse/openclaw_frame.h"

#define MADE_MAX 24 /* bytes of an id that is made here */

static const char *const ids[] = {"toolCallId", "callId", "id", NULL};

/* ---- calls without an id ---- */

static void openclaw_tools_make_id(unsigned number, char id[MADE_MAX])
{
	snprintf(id, MADE_MAX, "call-%u", number);
}

/* The number by which its result will find it. */
static unsigned open_nameless(struct gateway_run *run, struct text name)
{
	unsigned number = ++run->calls;
	size_t slot = number % OPENCLAW_NAMELESS;

	for (size_t i = 0; i < OPENCLAW_NAMELESS; i++)
		if (!run->nameless[i].name)
			slot = i;
	run->nameless[slot].name = openclaw_hash_of(name);
	run->nameless[slot].number = number;
	return number;
}

/* The oldest open call of that tool; one of its own if there is none. */
static unsigned close_nameless(struct gateway_run *run, struct text name)
{
	size_t found = OPENCLAW_NAMELESS;
	unsigned number;

	for (size_t i = 0; i < OPENCLAW_NAMELESS; i++)
		if (run->nameless[i].name == openclaw_hash_of(name) &&
		    (found == OPENCLAW_NAMELESS ||
		     run->nameless[i].number < run->nameless[found].number))
			found = i;
	if (found == OPENCLAW_NAMELESS)
		return ++run->calls;
	number = run->nameless[found].number;
	run->nameless[found].name = 0;
	return number;
}

/* ---- signals ---- */

static void openclaw_tools_begin_tool(struct openclaw_frame *f, const char *type,
                                      const struct openclaw_tool *tool)
{
	openclaw_frame_begin(f, type);
	make_text(&f->p->make, "toolName", tool->name.len ? tool->name : TEXT("unknown"));
	make_given(&f->p->make, "callId", tool->id);
}

void openclaw_frame_tool_call(struct openclaw_frame *f, const struct openclaw_tool *tool)
{
	struct openclaw_tool named = *tool;
	char made[MADE_MAX];

	if (!named.id.len) {
		openclaw_tools_make_id(open_nameless(f->run, named.name), made);
		named.id = text_of(made);
	} else if (openclaw_told_before(f->gateway, f->run_id, named.id, false) && f->is_past) {
		return;
	}
	openclaw_tools_begin_tool(f, "tool_call", &named);
	make_object(&f->p->make, "input", named.value);
	openclaw_frame_end(f);
}

void openclaw_frame_tool_result(struct openclaw_frame *f, const struct openclaw_tool *tool)
{
	struct openclaw_tool named = *tool;
	char made[MADE_MAX];

	if (!named.id.len) {
		openclaw_tools_make_id(close_nameless(f->run, named.name), made);
		named.id = text_of(made);
	} else if (openclaw_told_before(f->gateway, f->run_id, named.id, true) && f->is_past) {
		return;
	}
	openclaw_tools_begin_tool(f, "tool_result", &named);
	make_bool(&f->p->make, "success", !named.failed);
	make_object(&f->p->make, "output", named.value);
	openclaw_frame_end(f);
}

/* Without what there is of the result: each update has all of it again, and the last
 * comes with the end.  What is short of it is in the frame. */
static void give_update(struct openclaw_frame *f, const struct openclaw_tool *tool,
                        struct text phase)
{
	openclaw_tools_begin_tool(f, "event", tool);
	make_text(&f->p->make, "eventCategory", TEXT("agent"));
	make_text(&f->p->make, "stream", TEXT("tool"));
	make_text(&f->p->make, "phase", phase);
	openclaw_frame_end(f);
}

void openclaw_frame_tool(struct openclaw_frame *f)
{
	static const char *const names[] = {"name", "toolName", "tool", NULL};
	static const char *const inputs[] = {"args", "input", NULL};
	static const char *const outputs[] = {"output", "result", NULL};
	struct text phase = openclaw_frame_phase(f);
	struct openclaw_tool tool = {
		.name = json_text(openclaw_frame_first(f->data, names)),
		.id = json_text(openclaw_frame_first(f->data, ids)),
	};

	if (openclaw_frame_is_start(phase)) {
		tool.value = openclaw_frame_first(f->data, inputs);
		openclaw_frame_tool_call(f, &tool);
	} else if (openclaw_frame_is_end(phase)) {
		tool.value = openclaw_frame_first(f->data, outputs);
		tool.failed = yyjson_is_true(yyjson_obj_get(f->data, "isError")) ||
		              yyjson_is_false(yyjson_obj_get(f->data, "success"));
		openclaw_frame_tool_result(f, &tool);
	} else if (text_is(phase, "update")) {
		give_update(f, &tool, phase);
	}
}
