/* ours.c - telling our hooks from those of others. */
#include "tap/ours.h"

#include "signal/json.h"

#define ROUTE "/api/hooks/claude-code"
#define DECIDES " hook --decide "
#define BOM "\xef\xbb\xbf"

static bool ends_with(struct text t, struct text end)
{
	return t.len >= end.len && memcmp(t.at + t.len - end.len, end.at, end.len) == 0;
}

static bool is_our_url(struct text url)
{
	static const char *const hosts[] = {"http://127.0.0.1", "http://[::1]", "http://localhost"};

	if (!ends_with(url, TEXT(ROUTE)))
		return false;
	for (size_t i = 0; i < sizeof(hosts) / sizeof(*hosts); i++) {
		size_t len = strlen(hosts[i]);

		if (text_starts(url, text_of(hosts[i])) &&
		    (url.at[len] == ':' || url.at[len] == '/'))
			return true;
	}
	return false;
}

static enum ours look(yyjson_val *hook, struct text *where)
{
	struct text type = json_text(yyjson_obj_get(hook, "type"));
	struct text command = json_text(yyjson_obj_get(hook, "command"));

	*where = json_text(yyjson_obj_get(hook, "url"));
	if (text_is(type, "http") && is_our_url(*where))
		return OURS_OLD;
	if (!text_is(type, "command") || !ends_with(command, TEXT(OURS_MARK)))
		return OURS_NOT;
	*where = (struct text){command.at, command.len - sizeof(OURS_MARK) + 1};
	return memmem(command.at, command.len, DECIDES, sizeof(DECIDES) - 1) ? OURS_DECIDES
	                                                                     : OURS_COMMAND;
}

enum ours ours_is(struct text hook)
{
	yyjson_doc *doc =
		yyjson_read_opts((char *)hook.at, hook.len, YYJSON_READ_NUMBER_AS_RAW, NULL, NULL);
	struct text where;
	enum ours is = look(yyjson_doc_get_root(doc), &where);

	yyjson_doc_free(doc);
	return is;
}

static void each_of_event(struct text event, yyjson_val *groups, ours_fn *fn, void *self)
{
	yyjson_val *group, *hook;
	size_t i, j, groups_max, hooks_max;

	yyjson_arr_foreach(groups, i, groups_max, group)
	{
		yyjson_val *hooks = yyjson_obj_get(group, "hooks");

		yyjson_arr_foreach(hooks, j, hooks_max, hook)
		{
			struct ours_hook found = {.event = event};

			found.is = look(hook, &found.where);
			if (found.is != OURS_NOT)
				fn(self, &found);
		}
	}
}

void ours_each(struct text settings, ours_fn *fn, void *self)
{
	size_t skip = text_starts(settings, TEXT(BOM)) ? sizeof(BOM) - 1 : 0;
	yyjson_doc *doc = settings.len > skip
	                          ? yyjson_read(settings.at + skip, settings.len - skip, 0)
	                          : NULL;
	yyjson_val *hooks = yyjson_obj_get(yyjson_doc_get_root(doc), "hooks");
	yyjson_val *name, *groups;
	size_t i, max;

	if (yyjson_is_obj(hooks)) { /* of nothing, the loop would add to NULL */
		yyjson_obj_foreach(hooks, i, max, name, groups)
		{
			each_of_event(json_text(name), groups, fn, self);
		}
	}
	yyjson_doc_free(doc);
}
