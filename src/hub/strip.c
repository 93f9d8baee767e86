/* strip.c - frames for several clients. */
#include "hub/strip.h"

#include <assert.h>
#include <stdlib.h>

#include "base/must.h"
#include "net/ws.h"

void strip_init(struct strip *s, size_t max, uint64_t whole_from)
{
	*s = (struct strip){.whole_from = whole_from};
	buf_init(&s->bytes, max);
}

void strip_finish(struct strip *s)
{
	buf_finish(&s->bytes);
	free(s->marks);
	*s = (struct strip){0};
}

static size_t begin_of(const struct strip *s, size_t i)
{
	return i ? s->marks[i - 1].end : 0;
}

/* The first n frames go. */
static void drop_frames(struct strip *s, size_t n)
{
	size_t cut = begin_of(s, n);

	assert(n <= s->count);
	buf_drop(&s->bytes, cut);
	s->count -= n;
	if (s->count)
		memmove(s->marks, s->marks + n, s->count * sizeof(*s->marks));
	for (size_t i = 0; i < s->count; i++)
		s->marks[i].end -= cut;
}

/* The first frame that stands at a place or after it. */
static size_t find_place(const struct strip *s, uint64_t place)
{
	size_t low = 0, high = s->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->marks[mid].frame.place < place)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

void strip_drop_before(struct strip *s, uint64_t place)
{
	drop_frames(s, find_place(s, place));
	if (place > s->whole_from)
		s->whole_from = place;
}

/* How many must go so that so many bytes fit: half of the bytes, or all frames if that is not
 * enough. */
static size_t frames_in_the_way(const struct strip *s, size_t more)
{
	size_t n = 0, keep = s->bytes.max / 2;

	if (s->bytes.len + more <= s->bytes.max)
		return 0;
	if (more > keep)
		keep = more < s->bytes.max ? s->bytes.max - more : 0;
	while (n < s->count && s->bytes.len - begin_of(s, n) > keep)
		n++;
	return n;
}

static uint64_t whole_without(const struct strip *s, size_t n)
{
	return n ? s->marks[n - 1].frame.place + 1 : s->whole_from;
}

static size_t framed(size_t json_len)
{
	return WS_HEADER_MAX + json_len;
}

bool strip_fits(const struct strip *s, size_t json_len)
{
	return framed(json_len) <= s->bytes.max;
}

uint64_t strip_whole_with(const struct strip *s, size_t json_len)
{
	return whole_without(s, frames_in_the_way(s, framed(json_len)));
}

static void make_room(struct strip *s, size_t more)
{
	size_t n = frames_in_the_way(s, more);

	s->whole_from = whole_without(s, n);
	drop_frames(s, n);
}

static void mark(struct strip *s, const struct strip_frame *frame)
{
	if (s->count == s->room) {
		s->room = s->room ? s->room * 2 : 16;
		s->marks = must_grow(s->marks, s->room * sizeof(*s->marks));
	}
	s->marks[s->count++] = (struct strip_mark){*frame, s->bytes.len};
	if (frame->is_end)
		s->after_end = frame->place + 1;
}

void strip_add(struct strip *s, const struct strip_frame *frame, struct text json)
{
	char head[WS_HEADER_MAX];
	size_t n = ws_header(head, WS_OP_TEXT, json.len);

	assert(frame->place >= s->whole_from);
	assert(s->count == 0 || frame->place > s->marks[s->count - 1].frame.place);
	make_room(s, framed(json.len));
	if (!strip_fits(s, json.len)) {
		s->whole_from = frame->place + 1;
		return;
	}
	buf_add(&s->bytes, (struct text){head, n});
	buf_add(&s->bytes, json);
	mark(s, frame);
}

void strip_each(const struct strip *s, uint64_t from, uint64_t to,
                void (*each)(void *self, const struct strip_frame *frame, struct text bytes),
                void *self)
{
	for (size_t i = find_place(s, from); i < s->count && s->marks[i].frame.place < to; i++)
		each(self, &s->marks[i].frame,
		     (struct text){s->bytes.at + begin_of(s, i), s->marks[i].end - begin_of(s, i)});
}

static struct text bytes_from(const struct strip *s, size_t first)
{
	size_t begin = begin_of(s, first);

	return first < s->count ? (struct text){s->bytes.at + begin, s->bytes.len - begin}
	                        : TEXT("");
}

bool strip_from(const struct strip *s, uint64_t place, struct stretch *out)
{
	size_t first = find_place(s, place), i = s->count;

	*out = (struct stretch){.bytes = bytes_from(s, first), .has_end = s->after_end > place};
	while (i > first && !s->marks[i - 1].frame.is_numbered)
		i--;
	if (i > first) {
		out->has_number = true;
		out->number = s->marks[i - 1].frame.number;
	}
	return place >= s->whole_from;
}
