/* json5.c - hostile configuration files of OpenClaw: whatever is plain JSON means the
 * same through our reader, and nothing is read beyond its end. */
#include "source/openclaw/json5.h"

#include <stdlib.h>

#include "base/must.h"
#include "source/openclaw/openclaw_config.h"

static void must(bool holds)
{
	if (!holds)
		abort();
}

static const char *env(const char *name)
{
	return text_is(text_of(name), "A") ? "value" : NULL;
}

static void expand(struct text text)
{
	struct buf out;

	buf_init(&out, 4 * KIB);
	json5_expand(text, env, &out);
	must(out.len <= out.max);
	buf_finish(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *own = must_alloc(n);
	struct text text = {own, n};
	struct openclaw_config config;
	struct error why = {""};
	yyjson_doc *plain, *doc;

	memcpy(own, data, n);
	plain = yyjson_read(own, n, 0);
	doc = json5_read(text, &why);
	must(doc || why.words[0]);
	if (plain)
		must(doc && yyjson_equals(yyjson_doc_get_root(plain), yyjson_doc_get_root(doc)));
	yyjson_doc_free(plain);
	yyjson_doc_free(doc);
	if (openclaw_config_parse(&config, text, env, NULL))
		must(config.port > 0 && config.port < 65536 && (!config.token || config.token[0]));
	openclaw_config_finish(&config);
	expand(text);
	free(own);
	return 0;
}
