/* journal_forget.c - `signalbox journal forget`: asks, and takes signals out for good. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/must.h"
#include "base/put.h"
#include "cli/journal_verbs.h"
#include "cli/verbs.h"
#include "journal/epochs.h"
#include "journal/forget.h"
#include "journal/lock.h"

struct wish {
	struct seq_range *ranges;
	struct text *correlations;
	struct journal_forget what;
};

/* ---- what is meant ---- */

static bool read_seq(struct text word, const struct epochs *epochs, uint64_t *out,
                     struct error *why)
{
	struct positions at = {.count = 1};
	struct gap lost = {0};

	if (!position_parse(word, &at.all[0]) || at.all[0].seq == 0)
		return error_set(why, "--seq wants POS or POS..POS, and POS is SEQ or EPOCH-SEQ");
	epochs_resume(epochs, &at, SEQ_MAX, &lost);
	if (lost.why)
		return error_set(why, "%.*s: that timeline is not in this journal", TEXT_ARG(word));
	*out = at.all[0].seq;
	return true;
}

static bool read_range(const char *value, const struct epochs *epochs, struct seq_range *out,
                       struct error *why)
{
	const char *dots = strstr(value, "..");
	struct text from = dots ? (struct text){value, (size_t)(dots - value)} : text_of(value);
	struct text to = dots ? text_of(dots + 2) : from;

	if (!read_seq(from, epochs, &out->from, why) || !read_seq(to, epochs, &out->to, why))
		return false;
	return out->from <= out->to ||
	       error_set(why, "--seq %s: the first is the smaller one", value);
}

static bool read_wish(struct wish *wish, const struct options *options, const struct epochs *epochs,
                      struct error *why)
{
	wish->ranges = must_zero(options->given_count, sizeof(*wish->ranges));
	wish->correlations = must_zero(options->given_count, sizeof(*wish->correlations));
	for (size_t i = 0; i < options->given_count; i++) {
		const struct option_given *given = &options->given[i];

		if (strcmp(given->option->name, "correlation") == 0 && !given->value[0])
			return error_set(why, "--correlation wants an id");
		if (strcmp(given->option->name, "correlation") == 0)
			wish->correlations[wish->what.correlation_count++] = text_of(given->value);
		else if (strcmp(given->option->name, "seq") == 0 &&
		         !read_range(given->value, epochs, &wish->ranges[wish->what.range_count++],
		                     why))
			return false;
	}
	wish->what.ranges = wish->ranges;
	wish->what.correlations = wish->correlations;
	return wish->what.range_count || wish->what.correlation_count ||
	       error_set(why, "forget what? --correlation ID or --seq POS[..POS]");
}

static bool load_epochs(const char *data, struct epochs *epochs, struct error *why)
{
	char *path = must_print("%s/journal", data);
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool good = dir >= 0 ? epochs_load(epochs, dir, why) : error_errno(why, "%s", path);

	if (dir >= 0)
		close(dir);
	free(path);
	return good;
}

/* ---- forgetting ---- */

static bool is_free(const char *data, struct error *why)
{
	int lock = lock_take(data, why);

	if (lock < 0)
		return error_within(why, "a running box cannot forget; stop it first");
	close(lock);
	return true;
}

static bool may(const struct options *options, const struct journal_forget *what, struct error *why)
{
	char answer[8];

	if (options_has(options, "yes"))
		return true;
	if (!isatty(0))
		return error_set(why, "this cannot be undone: say --yes");
	fprintf(stderr, "Forget %llu signals, %llu to %llu, for good? [y/N] ",
	        (unsigned long long)what->signals, (unsigned long long)what->first,
	        (unsigned long long)what->last);
	if (fgets(answer, sizeof(answer), stdin) && (answer[0] == 'y' || answer[0] == 'Y'))
		return true;
	return error_set(why, "nothing was forgotten");
}

static void show_forgotten(struct out *out, const struct options *options,
                           const struct journal_forget *what)
{
	bool dry = options_has(options, "dry-run");

	if (options_has(options, "json")) {
		put_object(&out->bytes, NULL);
		put_bool(&out->bytes, "ok", true);
		put_u64(&out->bytes, "signals", what->signals);
		put_u64(&out->bytes, "firstSeq", what->first);
		put_u64(&out->bytes, "lastSeq", what->last);
		put_u64(&out->bytes, "segments", what->segments);
		put_u64(&out->bytes, "damaged", what->damaged);
		put_bool(&out->bytes, "dryRun", dry);
		put_end(&out->bytes);
		buf_add_char(&out->bytes, '\n');
	} else if (what->signals)
		out_print(out, "%llu signals, %llu to %llu, in %llu segments %s\n",
		          (unsigned long long)what->signals, (unsigned long long)what->first,
		          (unsigned long long)what->last, (unsigned long long)what->segments,
		          dry ? "would be forgotten" : "are forgotten");
	else
		out_print(out, "nothing of that is in the journal\n");
	if (what->damaged && !what->signals)
		out_say("%llu batches are damaged and cannot be searched; --seq forgets them",
		        (unsigned long long)what->damaged);
}

static bool forget_signals(const char *data, const struct options *options,
                           struct journal_forget *what, struct error *why)
{
	if (options_has(options, "dry-run"))
		return journal_forget_count(data, what, why);
	if (!is_free(data, why) || !journal_forget_count(data, what, why))
		return false;
	return what->signals == 0 || (may(options, what, why) && journal_forget(data, what, why));
}

int journal_verb_forget(struct command_context *context, const struct options *options)
{
	struct epochs epochs = {0};
	struct wish wish = {0};
	struct config config;
	struct error why;
	int status = STATUS_FAILED;
	bool good;

	if (!command_config(context, options, &config))
		return STATUS_CONFIG;
	good = load_epochs(config.data, &epochs, &why) || journal_is_absent(config.data, &why);
	if (good && !read_wish(&wish, options, &epochs, &why)) {
		status = command_misused(&command_journal, "%s", why.words);
	} else if (good && forget_signals(config.data, options, &wish.what, &why)) {
		show_forgotten(&context->out, options, &wish.what);
		status = STATUS_DONE;
	} else {
		out_say("%s", why.words);
	}
	epochs_finish(&epochs);
	free(wish.ranges);
	free(wish.correlations);
	config_finish(&config);
	return status;
}
