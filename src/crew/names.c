/* names.c - what a session is called. */
#include <ctype.h>
#include <stdio.h>

#include "crew/member.h"

const char *member_run(const struct crew_member *m)
{
	return m->runs[m->run_count - 1];
}

const char *member_project(const struct crew_member *m)
{
	const char *home = m->words[WORD_HOME];
	const char *slash = home ? strrchr(home, '/') : NULL;

	if (!home)
		return NULL;
	return slash && slash[1] ? slash + 1 : home;
}

const char *member_title(const struct crew_member *m)
{
	static const enum member_word order[] = {WORD_NAMED, WORD_ENTITLED, WORD_ASKED};

	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
		if (m->words[order[i]])
			return m->words[order[i]];
	return NULL;
}

const char *member_harness_name(const struct crew_member *m)
{
	static const struct {
		const char *harness, *name;
	} known[] = {
		{"claude-code", "Claude Code"},
		{"codex", "Codex"},
		{"gemini-cli", "Gemini CLI"},
		{"qwen-code", "Qwen Code"},
	};
	const char *harness = m->words[WORD_HARNESS];

	for (size_t i = 0; harness && i < sizeof(known) / sizeof(*known); i++)
		if (strcmp(harness, known[i].harness) == 0)
			return known[i].name;
	return harness ? harness : m->main ? m->main : m->source;
}

/* Letters and digits stay, all else becomes one hyphen; of a long name the beginning. */
static bool make_slug(const char *name, char slug[MEMBER_BASE_MAX + 1])
{
	size_t len = 0;

	for (; *name && len < MEMBER_BASE_MAX; name++) {
		unsigned char c = (unsigned char)*name;

		if (c < 0x80 && isalnum(c))
			slug[len++] = (char)tolower(c);
		else if (len && slug[len - 1] != '-')
			slug[len++] = '-';
	}
	while (len && slug[len - 1] == '-')
		len--;
	slug[len] = '\0';
	return len > 0;
}

static const char *after_colon(const char *source)
{
	const char *colon = source ? strrchr(source, ':') : NULL;

	return colon && colon[1] ? colon + 1 : source;
}

void member_base(const struct crew_member *m, char base[MEMBER_BASE_MAX + 1])
{
	const char *const names[] = {member_project(m), m->words[WORD_HARNESS], m->main,
	                             after_colon(m->source)};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i] && make_slug(names[i], base))
			return;
	snprintf(base, MEMBER_BASE_MAX + 1, "session");
}
