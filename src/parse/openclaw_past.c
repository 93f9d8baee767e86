/* openclaw_past.c - where a run is: `1 NUMBERS... SESSION`, the numbers in hexadecimal.
 *
 * Of tools only the newest are told of: older
 * ones are in messages of the transcript before the session's number.
 */
#include "parse/openclaw_past.h"

#include <stdlib.h>

#include "parse/inside.h"
#include "parse/openclaw.h"

#define VERSION '1'
#define TOLD 8                       /* tools */
#define TIME_MAX (UINT64_C(1) << 52) /* milliseconds: a double has them whole */

enum flag {
	IS_BEGUN = 1,
	IS_OVER = 2,
	IS_TOLD = 4,
	HAS_REPLY = 8,
	HAS_ERROR = 16,
	IS_ASKED = 32,
	IS_WHOLE = 64,
	IS_CLOSED = 128,
	OWES_CHAT = 256,
	IS_ABORTED = 512,
	IS_ERROR = 1024,
};

/* In the order in which they are written. */
enum past_number {
	AT,
	CLOCK,
	BOOT,
	FLAGS,
	VOICE,
	SAID_LEN,
	SAID_HASH,
	PHASE,
	SEQ,
	INPUT,
	OUTPUT,
	CALLS,
	SESSION_SEQ,
	FIRST_TOLD,
	NUMBERS = FIRST_TOLD + TOLD
};

static uint64_t flags_of(const struct gateway_run *run)
{
	return (run->is_begun ? IS_BEGUN : 0) | (run->is_over ? IS_OVER : 0) |
	       (run->is_told ? IS_TOLD : 0) | (run->has_reply ? HAS_REPLY : 0) |
	       (run->has_error ? HAS_ERROR : 0) | (run->is_asked ? IS_ASKED : 0) |
	       (run->is_whole ? IS_WHOLE : 0) | (run->is_closed ? IS_CLOSED : 0) |
	       (run->owes_chat ? OWES_CHAT : 0) | (run->end == OPENCLAW_ABORTED ? IS_ABORTED : 0) |
	       (run->end == OPENCLAW_ERROR ? IS_ERROR : 0);
}

void openclaw_add_place(struct parse *p, struct text id, int64_t now_ms, struct buf *out)
{
	struct openclaw_parse *gateway = parse_state(p);
	const struct gateway_run *run = gateway_run_of(gateway, id);
	const struct gateway_session *session =
		run->session_key[0] ? gateway_session_of(gateway, text_of(run->session_key)) : NULL;
	uint64_t numbers[NUMBERS] = {
		[AT] = (uint64_t)now_ms,
		[CLOCK] = gateway->last_ms > 0 ? (uint64_t)gateway->last_ms : 0,
		[BOOT] = gateway->boot,
		[FLAGS] = flags_of(run),
		[VOICE] = run->voice,
		[SAID_LEN] = run->said.len,
		[SAID_HASH] = run->said.hash,
		[PHASE] = run->phase,
		[SEQ] = run->seq,
		[INPUT] = run->input,
		[OUTPUT] = run->output,
		[CALLS] = run->calls,
		[SESSION_SEQ] = session ? session->seq : 0,
	};

	for (size_t i = 0; i < TOLD && i < gateway->told_count; i++)
		numbers[FIRST_TOLD + i] =
			gateway->told[(gateway->told_count - 1 - i) % OPENCLAW_TOLD];
	buf_add_char(out, VERSION);
	for (size_t i = 0; i < NUMBERS; i++)
		buf_print(out, numbers[i] ? " %llx" : " ", (unsigned long long)numbers[i]);
	buf_print(out, " %s", run->session_key);
}

/* Behind it; NULL: there is none. */
static const char *openclaw_past_read_number(const char *at, const char *end, uint64_t *out)
{
	uint64_t n = 0;

	if (at == end || *at++ != ' ')
		return NULL;
	for (; at < end && *at != ' '; at++) {
		int digit = *at >= '0' && *at <= '9'   ? *at - '0'
		            : *at >= 'a' && *at <= 'f' ? *at - 'a' + 10
		                                       : -1;

		if (digit < 0 || n >> 60)
			return NULL;
		n = n << 4 | (unsigned)digit;
	}
	*out = n;
	return at;
}

static bool read_place(struct text place, uint64_t numbers[NUMBERS], struct text *session)
{
	const char *at, *end;

	if (place.len < 2 || place.at[0] != VERSION)
		return false;
	at = place.at + 1;
	end = place.at + place.len;
	for (size_t i = 0; i < NUMBERS && at; i++)
		at = openclaw_past_read_number(at, end, &numbers[i]);
	if (!at || at == end || *at != ' ')
		return false;
	*session = (struct text){at + 1, (size_t)(end - at - 1)};
	if (numbers[AT] > TIME_MAX || numbers[CLOCK] > TIME_MAX)
		return false;
	return session->len <= OPENCLAW_RUN_ID_MAX && !memchr(session->at, '\0', session->len);
}

static void place_words(struct gateway_run *run, struct gateway_said said)
{
	run->said = run->marks[0] = run->tail_from = said;
	run->mark_count = 1;
	for (size_t i = 0; i < VOICES; i++)
		run->reached[i] = said;
}

static void place_run(struct gateway_run *run, const uint64_t *numbers, struct text session)
{
	run->is_begun = numbers[FLAGS] & IS_BEGUN;
	run->is_over = numbers[FLAGS] & IS_OVER;
	run->is_told = numbers[FLAGS] & IS_TOLD;
	run->has_reply = numbers[FLAGS] & HAS_REPLY;
	run->has_error = numbers[FLAGS] & HAS_ERROR;
	run->is_asked = numbers[FLAGS] & IS_ASKED;
	run->voice = numbers[VOICE] <= VOICE_CHAT ? (enum voice)numbers[VOICE] : VOICE_NONE;
	run->is_whole = numbers[FLAGS] & IS_WHOLE;
	run->is_closed = numbers[FLAGS] & IS_CLOSED;
	run->owes_chat = numbers[FLAGS] & OWES_CHAT;
	run->end = numbers[FLAGS] & IS_ERROR     ? OPENCLAW_ERROR
	           : numbers[FLAGS] & IS_ABORTED ? OPENCLAW_ABORTED
	                                         : OPENCLAW_FINAL;
	place_words(run, (struct gateway_said){numbers[SAID_LEN], numbers[SAID_HASH]});
	run->phase = numbers[PHASE];
	run->seq = numbers[SEQ];
	run->input = numbers[INPUT];
	run->output = numbers[OUTPUT];
	run->calls = (unsigned)numbers[CALLS];
	gateway_run_in_session(run, session);
}

static void place_tools(struct openclaw_parse *gateway, const uint64_t *numbers)
{
	for (size_t i = TOLD; i-- > 0;)
		if (numbers[FIRST_TOLD + i])
			gateway->told[gateway->told_count++ % OPENCLAW_TOLD] =
				numbers[FIRST_TOLD + i];
}

bool openclaw_take_place(struct parse *p, struct text id, struct text place,
                         struct openclaw_place *out)
{
	struct openclaw_parse *gateway = parse_state(p);
	uint64_t numbers[NUMBERS];
	struct gateway_session *session;
	struct text key;

	if (!id.len || !read_place(place, numbers, &key))
		return false;
	place_run(gateway_run_of(gateway, id), numbers, key);
	place_tools(gateway, numbers);
	gateway->owes = gateway->owes || numbers[FLAGS] & OWES_CHAT;
	session = key.len ? gateway_session_of(gateway, key) : NULL;
	if (session && session->seq < numbers[SESSION_SEQ])
		session->seq = numbers[SESSION_SEQ];
	if (gateway->last_ms < (double)numbers[CLOCK]) {
		gateway->last_ms = (double)numbers[CLOCK];
		gateway->boot = numbers[BOOT];
	}
	*out = (struct openclaw_place){
		.session = key,
		.at_ms = (int64_t)numbers[AT],
		.is_over = numbers[FLAGS] & IS_OVER,
		.is_asked = numbers[FLAGS] & IS_ASKED,
	};
	return true;
}

/* ---- what its transport knows better ---- */

void openclaw_expect(struct parse *p, struct text id, struct text session)
{
	struct gateway_run *run = gateway_run_of(parse_state(p), id);

	run->is_asked = run->is_told = true;
	gateway_run_in_session(run, session);
}

void openclaw_end_run(struct parse *p, struct text id)
{
	struct gateway_run *run = gateway_run_of(parse_state(p), id);

	run->is_over = run->is_closed = true;
	run->owes_chat = false;
}
