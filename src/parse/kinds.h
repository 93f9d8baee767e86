/* kinds.h - the tables of the protocols, one file each. */
#ifndef PARSE_KINDS_H
#define PARSE_KINDS_H

#include "parse/parse.h"

extern const struct parse_kind parse_anthropic;
extern const struct parse_kind parse_claude_hook;
extern const struct parse_kind parse_claude_stream;
extern const struct parse_kind parse_claude_transcript;
extern const struct parse_kind parse_codex;
extern const struct parse_kind parse_codex_rollout;
extern const struct parse_kind parse_envelope;
extern const struct parse_kind parse_escapement;
extern const struct parse_kind parse_gemini;
extern const struct parse_kind parse_gemini_chat;
extern const struct parse_kind parse_jsonl;
extern const struct parse_kind parse_lines;
extern const struct parse_kind parse_midi;
extern const struct parse_kind parse_ollama;
extern const struct parse_kind parse_openai;
extern const struct parse_kind parse_openclaw;
extern const struct parse_kind parse_opencode;
extern const struct parse_kind parse_opencode_events;
extern const struct parse_kind parse_pi;
extern const struct parse_kind parse_raw;
extern const struct parse_kind parse_responses;

#endif
