/* resume.c - what a session said is kept for a client that was cut off, and told it again. */
#include <stdlib.h>

#include "net/loop.h"
#include "voice/inside.h"

/* ---- keeping ---- */

static void forget_oldest(struct voice_line *line)
{
	struct text rest;
	struct text first = text_cut(buf_text(&line->kept), '\n', &rest);
	struct text words;
	uint64_t seq = 0;

	text_to_u64(text_cut(first, ' ', &words), &seq);
	line->forgotten = seq;
	buf_drop(&line->kept, first.len + 1);
}

/* Sound is not. */
void voice_keep(struct voice_line *line, enum voice_told event, struct text json)
{
	char digits[TEXT_U64_MAX];
	struct text seq = text_of_u64(line->seq, digits);
	size_t need = seq.len + json.len + 2;

	if (!(line->features & VOICE_BIT(VOICE_RESUME)) || event == TOLD_OUTPUT_AUDIO_DELTA)
		return;
	while (line->kept.len && line->kept.len + need > VOICE_KEPT_MAX)
		forget_oldest(line);
	if (need > VOICE_KEPT_MAX) {
		line->forgotten = line->seq;
		return;
	}
	buf_add(&line->kept, seq);
	buf_add_char(&line->kept, ' ');
	buf_add(&line->kept, json);
	buf_add_char(&line->kept, '\n');
}

/* ---- telling again ---- */

static struct voice_line *find_kept(const struct voice_line *mine, struct text id)
{
	list_each(&mine->voice->lines, l) {
		struct voice_line *line = list_of(l, struct voice_line, in_room);

		if (line != mine && text_is(id, line->id) && mine->account[0] &&
		    strcmp(line->account, mine->account) == 0 &&
		    (line->features & VOICE_BIT(VOICE_RESUME)))
			return line;
	}
	return NULL;
}

/* A connection that is dead and does not know it. */
static void take_from(struct voice_line *line)
{
	struct client *before = line->client;

	if (before) {
		((struct voice_view *)client_view(before))->line = NULL;
		line->client = NULL;
		client_close(before, 1008, TEXT("the session goes on elsewhere"));
		return;
	}
	deadline_clear(&line->lost);
	line->voice->lost--;
}

static void tell_again(struct voice_line *line, uint64_t after)
{
	struct text rest = buf_text(&line->kept);
	char *all = text_dup(rest);

	client_make_room(line->client, 2 * VOICE_KEPT_MAX);
	rest.at = all;
	while (rest.len && line->client) {
		struct text one = text_cut(rest, '\n', &rest), json;
		uint64_t seq = 0;

		text_to_u64(text_cut(one, ' ', &json), &seq);
		if (seq > after)
			client_say_frame(line->client, WS_OP_TEXT, json);
	}
	free(all);
}

bool voice_resume(struct voice_line *mine, struct text id, uint64_t seq)
{
	struct voice_line *line = find_kept(mine, id);
	struct client *client = mine->client;

	if (!line || seq < line->forgotten || seq > line->seq)
		return false;
	take_from(line);
	((struct voice_view *)client_view(client))->line = line;
	mine->client = NULL;
	voice_line_end(mine);
	line->client = client;
	tell_again(line, seq);
	voice_line_hear(line, INPUT_START, TEXT(""));
	if (line->waits)
		voice_line_tell_full(line);
	return true;
}
