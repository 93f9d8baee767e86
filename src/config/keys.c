/* keys.c - walking the table of keys, groups opened. */
#include "config/keys.h"

#include <stdio.h>

#include "config/config.h"
#include "config/fields.h"

struct walk {
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
	bool file_only = key->field->type == FIELD_ROWS && !key->field->brief;

	snprintf(key->env, sizeof(key->env), "%s%s", file_only ? "" : "SIGNALBOX_",
	         file_only ? "" : key->path);
	for (char *c = key->env; *c; c++)
		*c = upper(*c);
}

static bool walk(const struct walk *w, const struct field *fields, void *base, const char *group)
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
	struct walk w = {fn, self};

	return walk(&w, config_fields, config, "");
}
