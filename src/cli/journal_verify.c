/* journal_verify.c - `signalbox journal verify`: a look at the files themselves. */
#include "base/put.h"
#include "cli/journal_verbs.h"
#include "cli/progress.h"
#include "journal/verify.h"

static void say_problem(void *self, const char *words)
{
	progress_clear(self);
	out_say("%s", words);
}

static void tell_progress(void *self, uint64_t done, uint64_t total)
{
	struct progress *progress = self;

	progress->total = total;
	progress_tell(progress, done);
}

static void show_report_json(struct out *out, const struct journal_report *r)
{
	put_object(&out->bytes, NULL);
	put_bool(&out->bytes, "ok", !r->problems);
	put_u64(&out->bytes, "problems", r->problems);
	put_u64(&out->bytes, "segments", r->segments);
	put_u64(&out->bytes, "batches", r->batches);
	put_u64(&out->bytes, "bytes", r->bytes);
	put_u64(&out->bytes, "signals", r->signals);
	put_u64(&out->bytes, "unindexed", r->unindexed);
	put_u64(&out->bytes, "lost", r->lost);
	put_u64(&out->bytes, "forgotten", r->forgotten);
	put_u64(&out->bytes, "firstSeq", r->first);
	put_u64(&out->bytes, "lastSeq", r->last);
	put_u64(&out->bytes, "uncommitted", r->uncommitted);
	put_bool(&out->bytes, "stoppedCleanly", r->stopped_cleanly);
	put_end(&out->bytes);
	buf_add_char(&out->bytes, '\n');
}

static void show_report(struct out *out, const struct journal_report *r)
{
	out_print(out, "%llu signals", (unsigned long long)r->signals);
	if (r->last)
		out_print(out, ", %llu to %llu", (unsigned long long)r->first,
		          (unsigned long long)r->last);
	out_print(out, ", in %llu segments, %llu batches, %llu bytes\n",
	          (unsigned long long)r->segments, (unsigned long long)r->batches,
	          (unsigned long long)r->bytes);
	if (r->lost)
		out_print(out, "%llu were lost by the disk, and the journal says so\n",
		          (unsigned long long)r->lost);
	if (r->forgotten)
		out_print(out, "%llu were forgotten on request\n",
		          (unsigned long long)r->forgotten);
	if (r->unindexed)
		out_print(out, "%llu of them have no checksum; the next start keeps them\n",
		          (unsigned long long)r->unindexed);
	if (r->uncommitted)
		out_print(out, "%llu bytes at the end are not whole; the next start cuts them\n",
		          (unsigned long long)r->uncommitted);
	out_print(out, r->problems ? "%llu problems\n" : "no problems\n",
	          (unsigned long long)r->problems);
}

int journal_verb_verify(struct command_context *context, const struct options *options)
{
	struct progress progress = {.what = "verify", .unit = PROGRESS_BYTES};
	struct journal_report report = {
		.problem = say_problem, .progress = tell_progress, .self = &progress};
	struct config config;
	struct error why;
	bool good;

	if (!command_config(context, options, &config))
		return STATUS_CONFIG;
	progress_begin(&progress, context);
	good = journal_verify(config.data, &report, &why) || journal_is_absent(config.data, &why);
	progress_clear(&progress);
	if (!good)
		out_say("%s", why.words);
	else
		(options_has(options, "json") ? show_report_json : show_report)(&context->out,
		                                                                &report);
	config_finish(&config);
	return good && report.problems == 0 ? STATUS_DONE : STATUS_FAILED;
}
