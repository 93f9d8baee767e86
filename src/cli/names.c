/* names.c - what sessions are called. */
#include "cli/names.h"

#include "base/clock.h"
#include "cli/members.h"
#include "signal/json.h"

#define AGAIN_MS 1000

void names_init(struct names *names, struct remote *remote)
{
	*names = (struct names){.remote = remote};
	map_init(&names->known);
}

void names_finish(struct names *names)
{
	map_finish(&names->known);
	roll_finish(&names->roll);
}

static void know(struct names *names, yyjson_val *member, const char *key)
{
	struct text name = json_text_at(member, key);

	if (name.len)
		map_set(&names->known, name, member);
}

/* A box that does not answer is asked again later; what was known stays. */
static void ask_again(struct names *names)
{
	uint64_t now = clock_mono_ns() / 1000000;
	struct error why;
	struct roll roll;

	if (names->asked_ms && now - names->asked_ms < AGAIN_MS)
		return;
	names->asked_ms = now;
	if (!members_fetch(names->remote, &roll, &why))
		return;
	names_finish(names);
	map_init(&names->known);
	names->roll = roll;
	for (size_t i = 0; i < roll.count; i++) {
		know(names, roll.members[i], "run");
		know(names, roll.members[i], "id");
	}
}

struct text names_of(struct names *names, struct text run)
{
	yyjson_val *member = map_get(&names->known, run);

	if (!member) {
		ask_again(names);
		member = map_get(&names->known, run);
	}
	return json_text_at(member, "handle");
}
