/* journal.c - `signalbox journal`: a look at the files themselves. */
#include "journal/verify.h"

#include "cli/verbs.h"

static void say_problem(void *self, const char *words)
{
	say("%s", words);
}

static void show_json(struct out *out, const struct journal_report *r)
{
	out_print(out,
	          "{\"ok\":%s,\"problems\":%llu,\"segments\":%llu,\"batches\":%llu,\"bytes\":%llu,"
	          "\"signals\":%llu,\"lost\":%llu,\"firstSeq\":%llu,\"lastSeq\":%llu,"
	          "\"uncommitted\":%llu,\"stoppedCleanly\":%s}\n",
	          r->problems ? "false" : "true", (unsigned long long)r->problems,
	          (unsigned long long)r->segments, (unsigned long long)r->batches,
	          (unsigned long long)r->bytes, (unsigned long long)r->signals,
	          (unsigned long long)r->lost, (unsigned long long)r->first,
	          (unsigned long long)r->last, (unsigned long long)r->uncommitted,
	          r->stopped_cleanly ? "true" : "false");
}

static void show(struct out *out, const struct journal_report *r)
{
	out_print(out, "%llu signals", (unsigned long long)r->signals);
	if (r->last)
		out_print(out, ", %llu to %llu", (unsigned long long)r->first,
		          (unsigned long long)r->last);
	out_print(out, ", in %llu segments, %llu batches, %llu bytes\n",
	          (unsigned long long)r->segments, (unsigned long long)r->batches,
	          (unsigned long long)r->bytes);
	if (r->lost)
		out_print(out, "%llu were lost while the disk failed, and the journal says so\n",
		          (unsigned long long)r->lost);
	if (r->uncommitted)
		out_print(out, "%llu bytes at the end are not committed%s\n",
		          (unsigned long long)r->uncommitted,
		          r->stopped_cleanly ? "" : "; the next start cuts them");
	out_print(out, r->problems ? "%llu problems\n" : "no problems\n",
	          (unsigned long long)r->problems);
}

static int journal(struct command_context *context, const struct options *options)
{
	struct journal_report report = {.problem = say_problem};
	struct config config;
	struct error why;
	bool good;

	if (options->word_count != 1 || strcmp(options->words[0], "verify") != 0)
		return command_misused(&command_journal, "there is `journal verify`");
	if (!command_config(context, options, &config))
		return STATUS_CONFIG;
	good = journal_verify(config.data, &report, &why);
	if (!good)
		say("%s", why.words);
	else
		(options_has(options, "json") ? show_json : show)(&context->out, &report);
	config_finish(&config);
	return good && report.problems == 0 ? STATUS_DONE : STATUS_FAILED;
}

static const struct option own[] = {{"json", 'j', .help = "as one JSON object"}, {0}};
static const struct option_group own_group = {"Options", own};
static const struct option_group *const groups[] = {&own_group, &options_where, &options_common,
                                                    NULL};

const struct command command_journal = {
	.name = "journal",
	.summary = "check that the journal is as it was written",
	.usage = "verify [--json]",
	.examples = "  signalbox journal verify\n"
		    "  signalbox journal verify --data /srv/box --json\n",
	.about = "Reads every batch and compares it with its checksum. Changes nothing, and\n"
		 "the box may be running. Each problem is a line on standard error; any\n"
		 "problem ends it with 1.\n",
	.groups = groups,
	.run = journal,
};
