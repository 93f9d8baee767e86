/* journal_repair.c - `signalbox journal repair`: puts right what `verify` finds. */
#include "base/put.h"
#include "cli/journal_verbs.h"
#include "journal/repair.h"

static void show_repair_json(struct out *out, const struct journal_repair *r)
{
	put_object(&out->bytes, NULL);
	put_bool(&out->bytes, "ok", true);
	put_u64(&out->bytes, "segments", r->segments);
	put_u64(&out->bytes, "rewritten", r->rewritten);
	put_u64(&out->bytes, "lost", r->gone);
	put_u64(&out->bytes, "unchecked", r->unchecked);
	put_u64(&out->bytes, "checkpoints", r->checkpoints);
	put_end(&out->bytes);
	buf_add_char(&out->bytes, '\n');
}

static void show_repair(struct out *out, const struct journal_repair *r)
{
	out_print(out, "%llu of %llu segments written anew\n", (unsigned long long)r->rewritten,
	          (unsigned long long)r->segments);
	if (r->gone)
		out_print(out, "%llu signals in them are gone, and the journal says so\n",
		          (unsigned long long)r->gone);
	if (r->unchecked)
		out_print(out, "%llu signals are kept that had no checksum\n",
		          (unsigned long long)r->unchecked);
	if (r->checkpoints)
		out_print(out, "%llu damaged checkpoints removed\n",
		          (unsigned long long)r->checkpoints);
}

int journal_verb_repair(struct command_context *context, const struct options *options)
{
	struct journal_repair report;
	struct config config;
	struct error why;
	bool good;

	if (!command_config(context, options, &config))
		return STATUS_CONFIG;
	good = journal_repair(config.data, &report, &why) || journal_is_absent(config.data, &why);
	if (good)
		(options_has(options, "json") ? show_repair_json : show_repair)(&context->out,
		                                                                &report);
	else
		out_say("%s", why.words);
	config_finish(&config);
	return good ? STATUS_DONE : STATUS_FAILED;
}
