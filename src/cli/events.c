/* events.c - server-sent events, as they come in pieces. */
#include "cli/events.h"

#define LINE_MAX_LEN (EVENT_MAX + 64)
#define TYPE_MAX 256

void events_init(struct events *events)
{
	*events = (struct events){0};
	buf_init(&events->line, LINE_MAX_LEN);
	buf_init(&events->data, EVENT_MAX);
	buf_init(&events->type, TYPE_MAX);
}

void events_finish(struct events *events)
{
	buf_finish(&events->line);
	buf_finish(&events->data);
	buf_finish(&events->type);
}

void events_restart(struct events *events)
{
	buf_clear(&events->line);
	buf_clear(&events->data);
	buf_clear(&events->type);
	events->began = events->had_cr = events->has_data = false;
	memcpy(events->next_id, events->id, sizeof(events->id));
}

static void take_id(struct events *events, struct text value)
{
	if (value.len >= EVENT_ID_MAX || (value.len && memchr(value.at, '\0', value.len)))
		return; /* not one of ours; the standard ignores a NUL too */
	if (value.len)
		memcpy(events->next_id, value.at, value.len);
	events->next_id[value.len] = '\0';
}

static bool take_data(struct events *events, struct text value)
{
	if (events->has_data && !buf_add_char(&events->data, '\n'))
		return false;
	events->has_data = true;
	return buf_add(&events->data, value);
}

static enum events_result dispatch(struct events *events,
                                   bool (*fn)(void *self, const struct event *event), void *self)
{
	struct event event = {.type = buf_text(&events->type), .data = buf_text(&events->data)};
	bool goes_on = true;

	memcpy(events->id, events->next_id, sizeof(events->id));
	if (event.type.len == 0)
		event.type = TEXT("message");
	if (events->has_data)
		goes_on = fn(self, &event);
	buf_clear(&events->data);
	buf_clear(&events->type);
	events->has_data = false;
	return goes_on ? EVENTS_FINE : EVENTS_ENOUGH;
}

/* A line that is not empty.  Comments and unknown fields are passed over. */
static bool take_field(struct events *events, struct text line)
{
	struct text value, name = text_cut(line, ':', &value);

	if (value.len && value.at[0] == ' ')
		value = (struct text){value.at + 1, value.len - 1};
	if (text_is(name, "data"))
		return take_data(events, value);
	if (text_is(name, "id"))
		take_id(events, value);
	if (text_is(name, "event")) {
		buf_clear(&events->type);
		return buf_add(&events->type, value);
	}
	return true;
}

static enum events_result take_line(struct events *events,
                                    bool (*fn)(void *self, const struct event *event), void *self)
{
	struct text line = buf_text(&events->line);
	enum events_result result = EVENTS_FINE;

	if (!events->began && text_starts(line, TEXT("\xef\xbb\xbf")))
		line = (struct text){line.at + 3, line.len - 3};
	events->began = true;
	if (line.len == 0)
		result = dispatch(events, fn, self);
	else if (!take_field(events, line))
		result = EVENTS_TOO_BIG;
	buf_clear(&events->line);
	return result;
}

static size_t line_length(struct text piece)
{
	size_t n = 0;

	while (n < piece.len && piece.at[n] != '\r' && piece.at[n] != '\n')
		n++;
	return n;
}

enum events_result events_feed(struct events *events, struct text piece,
                               bool (*fn)(void *self, const struct event *event), void *self)
{
	enum events_result result = EVENTS_FINE;

	while (piece.len > 0 && result == EVENTS_FINE) {
		size_t n;

		if (events->had_cr && piece.at[0] == '\n')
			piece = (struct text){piece.at + 1, piece.len - 1};
		events->had_cr = false;
		n = line_length(piece);
		if (!buf_add(&events->line, (struct text){piece.at, n}))
			return EVENTS_TOO_BIG;
		if (n == piece.len)
			break;
		events->had_cr = piece.at[n] == '\r';
		piece = (struct text){piece.at + n + 1, piece.len - n - 1};
		result = take_line(events, fn, self);
	}
	return result;
}
