/* past.c - one run's signals, among those of all others. */
#include "run/past.h"

#include <stdlib.h>

#include "run/hear.h"
#include "signal/json.h"

#define READ_CHUNK (256 * KIB)

static bool is_plain(struct text name)
{
	for (size_t i = 0; i < name.len; i++)
		if ((unsigned char)name.at[i] < 0x20 || strchr("\"\\/\x7f", name.at[i]))
			return false;
	return true;
}

void run_past_init(struct run_past *p, struct journal *journal, struct text run, uint64_t first_seq)
{
	*p = (struct run_past){.run = text_dup(run), .seq = first_seq ? first_seq - 1 : 0};
	p->is_plain = is_plain(run);
	p->reader = journal_reader_create(journal, p->seq);
	p->lines = signal_reader_create();
}

void run_past_finish(struct run_past *p)
{
	journal_reader_destroy(p->reader);
	signal_reader_destroy(p->lines);
	free(p->run);
}

/* Most lines are of other runs: those are not read but for their run's name. */
static bool may_be_ours(const struct run_past *p, struct text line)
{
	return memmem(line.at, line.len, p->run, strlen(p->run)) ||
	       memmem(line.at, line.len, "\\u", p->is_plain ? 2 : 1);
}

static bool is_ours(struct run_past *p, struct text line, struct signal *s)
{
	return may_be_ours(p, line) && signal_read(p->lines, line, s, NULL) &&
	       yyjson_is_obj(yyjson_obj_get(s->envelope, "payload")) &&
	       text_equal(run_of_signal(s), text_of(p->run));
}

/* A line is given back when the next one is wanted: its signal lies in it. */
static void take_given(struct run_past *p)
{
	if (p->taken)
		journal_reader_take(p->reader, p->taken, p->seq + 1);
	p->taken = 0;
}

static bool find_in(struct run_past *p, struct text lines, uint64_t until, size_t *budget,
                    struct signal *out)
{
	while (lines.len && *budget && p->seq < until) {
		struct text line = text_cut(lines, '\n', &lines);

		take_given(p);
		p->seq = signal_seq_of(line);
		p->taken = line.len + 1;
		*budget -= *budget < p->taken ? *budget : p->taken;
		if (is_ours(p, line, out))
			return true;
	}
	take_given(p);
	return false;
}

enum run_past_news run_past_next(struct run_past *p, uint64_t until, size_t *budget,
                                 struct signal *out)
{
	struct text lines;
	struct gap gap;

	take_given(p);
	for (;;) {
		if (p->seq >= until)
			return RUN_PAST_END;
		if (*budget == 0)
			return RUN_PAST_MORE;
		switch (journal_read(p->reader, READ_CHUNK, &lines, &gap)) {
		case JOURNAL_LINES:
			if (find_in(p, lines, until, budget, out))
				return RUN_PAST_SIGNAL;
			break;
		case JOURNAL_GAP:
			p->seq = journal_reader_next(p->reader) - 1;
			return RUN_PAST_LOST;
		case JOURNAL_COLD:
			return RUN_PAST_COLD;
		case JOURNAL_END:
			return RUN_PAST_END;
		}
	}
}
