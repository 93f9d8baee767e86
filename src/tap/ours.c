/* ours.c - telling our hooks from those of others. */
#include "tap/ours.h"

#include <arpa/inet.h>

#include "signal/json.h"

#define ROUTE "/api/hooks/claude-code"
#define DECIDES " hook --decide "
#define BOM "\xef\xbb\xbf"

static bool ends_with(struct text t, struct text end)
{
	return t.len >= end.len && memcmp(t.at + t.len - end.len, end.at, end.len) == 0;
}

static bool is_address(struct text host)
{
	unsigned char bytes[16];
	char name[INET6_ADDRSTRLEN];
	bool is_v6 = host.len > 2 && host.at[0] == '[' && host.at[host.len - 1] == ']';

	if (is_v6)
		host = (struct text){host.at + 1, host.len - 2};
	if (host.len >= sizeof(name))
		return false;
	snprintf(name, sizeof(name), "%.*s", TEXT_ARG(host));
	return inet_pton(is_v6 ? AF_INET6 : AF_INET, name, bytes) == 1;
}

/* Older installs wrote where the box listened, which is an address or localhost. */
static bool is_our_url(struct text url)
{
	static const struct text scheme = {"http://", 7};
	struct text host;
	const char *end;

	if (!text_starts(url, scheme) || !ends_with(url, TEXT(ROUTE)) ||
	    url.len < scheme.len + sizeof(ROUTE) - 1)
		return false;
	host.at = url.at + scheme.len;
	end = url.at + url.len - (sizeof(ROUTE) - 1);
	host.len = (size_t)(end - host.at);
	while (host.len && host.at[host.len - 1] >= '0' && host.at[host.len - 1] <= '9')
		host.len--;
	if (host.len && host.at[host.len - 1] == ':')
		host.len--;
	else
		host.len = (size_t)(end - host.at);
	return text_is(host, "localhost") || is_address(host);
}

static enum ours ours_look(yyjson_val *hook, struct text *where)
{
	struct text type = json_text_at(hook, "type");
	struct text command = json_text_at(hook, "command");

	*where = json_text_at(hook, "url");
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
	enum ours is = ours_look(yyjson_doc_get_root(doc), &where);

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

			found.is = ours_look(hook, &found.where);
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
