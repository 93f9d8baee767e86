/* tap.c - hostile settings files: our hooks go in and come out, and every byte is
 * as it was. */
#include <stdlib.h>
#include <yyjson.h>

#include "tap/ours.h"
#include "tap/settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const struct settings_wish wish = {{2, 1, 97}, "'/usr/bin/signalbox' hook"};

static void demand(bool truth)
{
	if (!truth)
		abort();
}

static void demand_json(struct text text)
{
	yyjson_doc *doc;

	if (text_starts(text, TEXT("\xef\xbb\xbf")))
		text = (struct text){text.at + 3, text.len - 3};
	doc = yyjson_read(text.at, text.len, YYJSON_READ_NUMBER_AS_RAW);
	demand(doc != NULL || text_trim(text).len == 0);
	yyjson_doc_free(doc);
}

static void demand_ours(void *self, const struct ours_hook *hook)
{
	unsigned *count = self;

	demand(hook->is != OURS_NOT && hook->where.at != NULL);
	++*count;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct text now = {(const char *)bytes, size};
	struct buf clean, with, again, after;
	struct settings_look look;
	struct error why = {""};
	bool gone = false;
	unsigned ours = 0;
	struct version version;

	version_read(now, &version);
	ours_each(now, demand_ours, &ours);
	if (!settings_uninstall(now, &clean, &gone, &why)) {
		demand(why.words[0] != '\0');
		return 0;
	}
	demand_json(buf_text(&clean));
	demand(settings_look(buf_text(&clean), &look, NULL) && look.hooks == 0);
	if (settings_install(buf_text(&clean), true, &wish, &with, &why)) {
		demand_json(buf_text(&with));
		demand(settings_uninstall(buf_text(&with), &after, &gone, NULL));
		demand(text_equal(buf_text(&clean), buf_text(&after)));
		demand(settings_install(buf_text(&with), true, &wish, &again, NULL));
		demand(text_equal(buf_text(&with), buf_text(&again)));
		buf_finish(&again);
		buf_finish(&after);
	}
	buf_finish(&with);
	buf_finish(&clean);
	return 0;
}
