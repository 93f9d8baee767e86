/* past_states.c - the state of runs, prompts and sources at moments of the past.
 *
 *   past_states DATA SEQ...   one line each: the seq, where the kept checkpoint stands that it
 *                             was folded from (0: from the oldest signal), and the states
 *
 * DATA is of a box that is stopped, and is opened as a start opens it: give it a copy.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "bus/folds.h"
#include "journal/journal.h"
#include "run/prompts.h"
#include "run/runs.h"
#include "source/resume.h"

#define STATE_MAX (64 * MIB)

static void print_at(struct journal *journal, const char key[PROMPTS_KEY], uint64_t seq)
{
	struct folds *folds = folds_create_at(journal, seq);
	struct runs *runs = runs_create(&(struct runs_options){0});
	struct prompts *prompts = prompts_create(&(struct prompts_options){.key = key});
	struct resume *resume = resume_create();
	struct buf out;

	folds_add(folds, &prompts_fold, prompts);
	folds_add(folds, &resume_fold, resume);
	runs_join(runs, folds);
	folds_catch_up(folds);
	buf_init(&out, STATE_MAX);
	for (prompts_save_begin(prompts); prompts_save_more(prompts, &out);)
		;
	for (resume_save_begin(resume); resume_save_more(resume, &out);)
		;
	for (runs_save_begin(runs); runs_save_more(runs, &out);)
		;
	printf("%llu %llu %.*s\n", (unsigned long long)seq, (unsigned long long)folds_began(folds),
	       (int)out.len, out.at);
	buf_finish(&out);
	folds_destroy(folds);
	runs_destroy(runs);
	prompts_destroy(prompts);
	resume_destroy(resume);
}

int main(int argc, char **argv)
{
	struct journal_options o = {
		.segment_bytes = 64 * MIB, .wait_max = 64 * MIB, .commit_ms = 5, .sync_ms = 25};
	char key[PROMPTS_KEY];
	struct journal *journal;
	struct error why;

	if (argc < 2)
		return 2;
	log_set_level(LOG_ERROR);
	o.dir = argv[1];
	journal = journal_open(&o, &why);
	if (!journal || !prompts_load_key(argv[1], key, &why)) {
		fprintf(stderr, "%s\n", why.words);
		return 1;
	}
	for (int i = 2; i < argc; i++)
		print_at(journal, key, strtoull(argv[i], NULL, 10));
	journal_close(journal);
	return 0;
}
