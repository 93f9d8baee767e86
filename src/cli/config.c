/* config.c - `signalbox config`: what is set, where, and what could be. */
#include "config/config.h"

#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "cli/command.h"
#include "cli/table.h"
#include "config/fields.h"
#include "config/keys.h"
#include "config/outline.h"
#include "config/write.h"

extern const struct command command_config_verb;

#define JSON_MAX (16 * MIB)
#define VALUE_SHOWN 60

/* ---- show ---- */

struct config_show {
	const struct command_context *context;
	const struct options *options;
	const struct config *config;
	struct outline *outline; /* NULL: there is no file */
	struct table table;      /* one of these is filled */
	struct buf json;
};

static const struct option *find_flag(const struct options *options, const char *key)
{
	for (size_t i = 0; i < options->given_count; i++) {
		const struct option *option = options->given[i].option;

		if (option->key && strcmp(option->key, key) == 0)
			return option;
	}
	return NULL;
}

/* Who says so, and where: an option, a variable, a line.  The caller frees `where`; NULL:
 * it is the default. */
static const char *find_origin(const struct config_show *show, const struct config_key *key,
                               char **where)
{
	const struct option *flag = find_flag(show->options, key->path);
	size_t line = show->outline ? outline_line(show->outline, key->path) : 0;

	*where = NULL;
	if (flag) {
		*where = must_print("--%s", flag->name);
		return "flag";
	}
	if (key->env[0] && command_env(show->context, key->env)) {
		*where = must_dup(key->env);
		return "env";
	}
	if (line == 0)
		return "default";
	*where = must_print("%s:%zu", show->config->file, line);
	return "file";
}

static bool add_key_row(void *self, const struct config_key *key)
{
	struct config_show *show = self;
	char *where;
	const char *from = find_origin(show, key, &where);
	struct buf value;
	struct text bare;

	buf_init(&value, JSON_MAX);
	field_write(key->field, key->base, &value);
	bare = buf_text(&value);
	if (bare.len >= 2 && bare.at[0] == '"')
		bare = (struct text){bare.at + 1, bare.len - 2};
	table_add(&show->table, text_of(key->path), VALUE_SHOWN);
	table_add(&show->table, bare, VALUE_SHOWN);
	table_add(&show->table, text_of(where ? where : from), 4 * VALUE_SHOWN);
	buf_finish(&value);
	free(where);
	return true;
}

static bool add_key_member(void *self, const struct config_key *key)
{
	struct config_show *show = self;
	char *where;
	const char *from = find_origin(show, key, &where);
	struct buf *json = &show->json;

	if (json->at[json->len - 1] != '{')
		buf_add_char(json, ',');
	buf_add_json(json, text_of(key->path));
	buf_add_char(json, ':');
	put_object(json, NULL);
	put_key(json, "value");
	field_write(key->field, key->base, json);
	put_word(json, "from", from);
	if (where) {
		put_word(json, "where", where);
	}
	buf_add_char(json, '}');
	free(where);
	return true;
}

static void show_table(struct config_show *show, struct config *config, struct out *out)
{
	static const char *const heads[] = {"KEY", "VALUE", "FROM"};

	table_init(&show->table, 3);
	for (size_t i = 0; i < 3; i++)
		table_add(&show->table, text_of(heads[i]), VALUE_SHOWN);
	keys_each(config, add_key_row, show);
	table_show(&show->table, out);
	table_finish(&show->table);
}

static void show_config_json(struct config_show *show, struct config *config, struct out *out)
{
	struct buf *json = &show->json;

	buf_init(json, JSON_MAX);
	put_object(json, NULL);
	put_key(json, "file");
	if (config->file)
		buf_add_json(json, text_of(config->file));
	else
		buf_add(json, TEXT("null"));
	put_object(json, "keys");
	keys_each(config, add_key_member, show);
	buf_add(json, TEXT("}}\n"));
	out_add(out, buf_text(json));
	buf_finish(json);
}

static int run_show(struct command_context *context, const struct options *options)
{
	struct config config;
	struct config_show show = {.context = context, .options = options, .config = &config};

	if (!command_config(context, options, &config))
		return STATUS_CONFIG;
	show.outline = config.file ? outline_read(config.file) : NULL;
	(options_has(options, "json") ? show_config_json : show_table)(&show, &config,
	                                                               &context->out);
	outline_destroy(show.outline);
	config_finish(&config);
	return STATUS_DONE;
}

/* ---- schema ---- */

static int run_schema(struct command_context *context)
{
	struct buf json;

	buf_init(&json, JSON_MAX);
	field_schema(config_fields, &json);
	out_add(&context->out, buf_text(&json));
	buf_finish(&json);
	return STATUS_DONE;
}

/* ---- the verb ---- */

static int run_config(struct command_context *context, const struct options *options)
{
	const char *word = options->word_count == 1 ? options->words[0] : "";

	if (strcmp(word, "show") == 0)
		return run_show(context, options);
	if (strcmp(word, "schema") == 0)
		return run_schema(context);
	return command_misworded(&command_config_verb, options);
}

static const struct option own[] = {
	{"json", 'j', .help = "show: as one JSON object; a schema is one anyway"},
	{0},
};
static const struct option_group own_group = {"Options", own};
static const struct option_group *const groups[] = {&own_group, &options_where, &options_common,
                                                    NULL};
static const char *const words[] = {"show", "schema", NULL};

const struct command command_config_verb = {
	.name = "config",
	.summary = "show the configuration and the origin of each value",
	.usage = "show [--json] | schema",
	.examples = "  signalbox config show\n"
		    "  signalbox config show --json | jq '.keys[\"limits.depth\"]'\n"
		    "  signalbox config schema > signalbox.schema.json\n",
	.about = "show: the value of every key as `serve` would have it, and where it is from: a\n"
		 "flag, a variable of the environment, a line of the file, or the default.\n"
		 "Secrets are not shown. schema: the JSON Schema of signalbox.yaml, for editors.\n"
		 "`signalbox help config` explains each key.\n",
	.words = words,
	.groups = groups,
	.run = run_config,
};
