/* gateway.c - hostile parameters for every method of the gateway dialect.
 *
 * The input is a method, a line feed and its parameters.  They are taken or refused with words,
 * the same with and without somebody who reads those; the words are text, however they are cut.
 */
#include "base/buf.h"
#include "base/utf8.h"
#include "gateway/params.h"
#include "lib/hold.h"
#include "signal/json.h"

#define TEXT_MAX (64 * KIB)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void judge(struct text method, yyjson_val *params)
{
	const struct gateway_method *found = NULL;
	struct error why = {""};
	bool is_good = gateway_params_check(method, params, &why);

	must_hold(gateway_params_check(method, params, NULL) == is_good);
	must_hold(is_good == !why.words[0]);
	must_hold(utf8_is_valid(text_of(why.words)));
	if (!gateway_method_find(method, &found))
		must_hold(!is_good);
	else
		must_hold(text_equal(found->name, method) && found->is_ours == !!found->rules);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static struct json_reader reader;
	struct text method, params;
	yyjson_doc *doc;

	if (n > TEXT_MAX)
		return 0;
	if (!reader.copy.max)
		json_reader_init(&reader, TEXT_MAX);
	method = text_cut((struct text){(const char *)bytes, n}, '\n', &params);
	judge(method, NULL);
	doc = json_read(&reader, params, NULL);
	if (doc)
		judge(method, yyjson_doc_get_root(doc));
	return 0;
}
