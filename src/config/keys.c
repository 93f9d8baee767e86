/* keys.c - walking the table of keys, groups opened. */
#include "config/keys.h"

#include <stdio.h>

#include "base/near.h"
#include "config/config.h"
#include "config/fields.h"

#define PREFIX "SIGNALBOX_"
#define PREFIX_LEN (sizeof(PREFIX) - 1)
#define NAME_SHOWN 80
#define WORDS_MAX 240
#define CONFIG_FILE PREFIX "CONFIG" /* no key: it says where they are */

struct key_walk {
	bool (*fn)(void *self, const struct config_key *key);
	void *self;
};

static char upper(char c)
{
	if (c == '.')
		return '_';
	return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static void name_env(struct config_key *key)
{
	bool file_only = field_has_rows(key->field) && !key->field->brief;

	snprintf(key->env, sizeof(key->env), "%s%s", file_only ? "" : PREFIX,
	         file_only ? "" : key->path);
	for (char *c = key->env; *c; c++)
		*c = upper(*c);
}

static bool walk(const struct key_walk *w, const struct field *fields, void *base,
                 const char *group)
{
	for (const struct field *f = fields; f->name; f++) {
		struct config_key key = {.field = f, .base = base};

		snprintf(key.path, sizeof(key.path), "%s%s%s", group, *group ? "." : "", f->name);
		if (f->type == FIELD_GROUP) {
			if (!walk(w, f->fields, (char *)base + f->offset, key.path))
				return false;
			continue;
		}
		name_env(&key);
		if (!w->fn(w->self, &key))
			return false;
	}
	return true;
}

bool keys_each(struct config *config, bool (*fn)(void *self, const struct config_key *key),
               void *self)
{
	struct key_walk w = {fn, self};

	return walk(&w, config_fields, config, "");
}

/* ---- what is no key ---- */

struct name_search {
	struct text name;
	bool is_key;
	struct near near; /* without the beginning that all share */
	char best[KEY_MAX + 16];
};

/* The key is gone when the next one comes. */
static bool keys_offer(void *self, const struct config_key *key)
{
	struct name_search *s = self;

	s->is_key = text_is(s->name, key->env);
	if (!key->env[0] || s->is_key)
		return !s->is_key;
	near_offer(&s->near, key->env + PREFIX_LEN);
	if (s->near.best == key->env + PREFIX_LEN) {
		snprintf(s->best, sizeof(s->best), "%s", key->env);
		s->near.best = s->best + PREFIX_LEN;
	}
	return true;
}

static bool keys_is_credential(const struct config *config, struct text value)
{
	for (size_t i = 0; i < config->source_count; i++)
		if (config->sources[i].credential && text_is(value, config->sources[i].credential))
			return true;
	for (size_t i = 0; i < config->adapter_count; i++)
		if ((config->adapters[i].credential &&
		     text_is(value, config->adapters[i].credential)) ||
		    (config->adapters[i].app_credential &&
		     text_is(value, config->adapters[i].app_credential)))
			return true;
	return false;
}

static void tell_stray(const struct name_search *s, char words[WORDS_MAX])
{
	const char *near = near_best(&s->near);

	snprintf(words, WORDS_MAX, "%.*s is set, and is no key of the configuration%s%s%s",
	         s->name.len < NAME_SHOWN ? (int)s->name.len : NAME_SHOWN, s->name.at,
	         near ? "; did you mean " : "", near ? s->best : "", near ? "?" : "");
}

void keys_strays(struct config *config, const char *const *env,
                 void (*fn)(void *self, const char *words), void *self)
{
	for (; env && *env; env++) {
		struct text value, name = text_cut(text_of(*env), '=', &value);
		struct name_search s = {.name = name};
		char words[WORDS_MAX];

		if (!text_starts(name, TEXT(PREFIX)) || !value.len || text_is(name, CONFIG_FILE))
			continue;
		near_init(&s.near, (struct text){name.at + PREFIX_LEN, name.len - PREFIX_LEN});
		if (!keys_each(config, keys_offer, &s) || keys_is_credential(config, value))
			continue;
		tell_stray(&s, words);
		fn(self, words);
	}
}
