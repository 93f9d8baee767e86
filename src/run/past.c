/* past.c - one run's signals, among those of all others. */
#include "run/past.h"

#include <stdlib.h>

#include "base/must.h"
#include "journal/sieve.h"
#include "run/hear.h"
#include "signal/json.h"

#define READ_CHUNK (64 * KIB)

struct run_sieve {
	struct journal_sieve sieve;
	char *run;
	bool is_plain; /* its name has nothing that JSON writes in more than one way, but \u */
};

static bool is_plain(struct text name)
{
	for (size_t i = 0; i < name.len; i++)
		if ((unsigned char)name.at[i] < 0x20 || strchr("\"\\/\x7f", name.at[i]))
			return false;
	return true;
}

/* Most lines are of other runs: those are not read but for their run's name. */
static bool may_be_ours(const struct run_sieve *r, struct text line)
{
	return memmem(line.at, line.len, r->run, strlen(r->run)) ||
	       memmem(line.at, line.len, "\\u", r->is_plain ? 2 : 1);
}

static bool run_sieve_passes(const struct journal_sieve *sieve, struct text line,
                             struct signal_reader *reader)
{
	const struct run_sieve *r = (const struct run_sieve *)sieve;
	struct signal s;

	return may_be_ours(r, line) && signal_read(reader, line, &s, NULL) &&
	       yyjson_is_obj(yyjson_obj_get(s.envelope, "payload")) &&
	       text_equal(run_of_signal(&s), text_of(r->run));
}

static void run_sieve_destroy(struct journal_sieve *sieve)
{
	struct run_sieve *r = (struct run_sieve *)sieve;

	free(r->run);
	free(r);
}

static const struct sieve_kind run_sieve_kind = {run_sieve_passes, run_sieve_destroy};

/* A run has the name of its correlationId, or of the source where there is none. */
static struct journal_sieve *run_sieve(struct text run)
{
	struct run_sieve *r = must_zero(1, sizeof(*r));

	journal_sieve_init(&r->sieve, &run_sieve_kind);
	r->run = text_dup(run);
	r->is_plain = is_plain(run);
	journal_sieve_key(&r->sieve, PLACE_RUN, run);
	journal_sieve_key(&r->sieve, PLACE_SOURCE, run);
	return &r->sieve;
}

void run_past_init(struct run_past *p, struct journal *journal, struct text run, uint64_t first_seq)
{
	*p = (struct run_past){.seq = first_seq ? first_seq - 1 : 0};
	p->reader = journal_reader_create(journal, p->seq);
	p->lines = signal_reader_create();
	journal_reader_sift(p->reader, run_sieve(run));
}

void run_past_finish(struct run_past *p)
{
	journal_reader_destroy(p->reader);
	signal_reader_destroy(p->lines);
}

/* A line is given back when the next one is wanted: its signal lies in it. */
static void take_given(struct run_past *p)
{
	if (p->taken)
		journal_reader_take(p->reader, p->taken, p->seq + 1);
	p->taken = 0;
}

static void spend(size_t *budget, size_t bytes)
{
	*budget -= *budget < bytes ? *budget : bytes;
}

/* Nothing is given: it stands where its reader does. */
static void stand(struct run_past *p)
{
	uint64_t seq = journal_reader_next(p->reader) - 1;

	p->seq = seq > p->seq ? seq : p->seq;
}

/* The first of what was read, if there is one. */
static bool give_first(struct run_past *p, struct text lines, size_t *budget, struct signal *out)
{
	struct text line = text_cut(lines, '\n', &lines);

	spend(budget, journal_reader_looked(p->reader));
	if (!line.len)
		return false;
	p->seq = signal_seq_of(line);
	p->taken = line.len + 1;
	spend(budget, p->taken);
	return signal_read(p->lines, line, out, NULL);
}

enum run_past_news run_past_next(struct run_past *p, uint64_t until, size_t *budget,
                                 struct signal *out)
{
	enum journal_news news;
	struct text lines;
	struct gap gap;

	do {
		take_given(p);
		if (p->seq >= until)
			return RUN_PAST_END;
		if (*budget == 0)
			return RUN_PAST_MORE;
		journal_reader_end_at(p->reader, until + 1);
		news = journal_read(p->reader, READ_CHUNK, &lines, &gap);
		if (news == JOURNAL_LINES && give_first(p, lines, budget, out))
			return RUN_PAST_SIGNAL;
		stand(p);
	} while (news == JOURNAL_LINES);
	if (news == JOURNAL_COLD)
		return RUN_PAST_COLD;
	return news == JOURNAL_GAP ? RUN_PAST_LOST : RUN_PAST_END;
}
