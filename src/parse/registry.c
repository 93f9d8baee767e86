/* registry.c - every protocol, in the order of the help. */
#include "parse/kinds.h"

const struct parse_kind *const parse_kinds[] = {
	&parse_anthropic,
	&parse_claude_hook,
	&parse_claude_stream,
	&parse_claude_transcript,
	&parse_codex,
	&parse_codex_rollout,
	&parse_envelope,
	&parse_escapement,
	&parse_gemini,
	&parse_gemini_chat,
	&parse_jsonl,
	&parse_lines,
	&parse_midi,
	&parse_ollama,
	&parse_openai,
	&parse_openclaw,
	&parse_opencode,
	&parse_opencode_events,
	&parse_pi,
	&parse_raw,
	&parse_responses,
	NULL,
};

const struct parse_kind *parse_find(struct text name)
{
	for (const struct parse_kind *const *kind = parse_kinds; *kind; kind++)
		if (text_is(name, (*kind)->name))
			return *kind;
	return NULL;
}
