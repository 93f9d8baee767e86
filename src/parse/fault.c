/* fault.c - where servers put their words: {"error":{"message","code","type"}},
 * {"error":"..."}, {"message":"..."}, {"detail":"..."}, or a line of plain text. */
#include "parse/fault.h"

#include <stdio.h>

#include "signal/json.h"

#define PLAIN_MAX 200 /* bytes of a body that is no JSON */

static const struct {
	int status;
	const char *name;
} names[] = {
	{204, "No Content"},
	{400, "Bad Request"},
	{401, "Unauthorized"},
	{402, "Payment Required"},
	{403, "Forbidden"},
	{404, "Not Found"},
	{405, "Method Not Allowed"},
	{408, "Request Timeout"},
	{409, "Conflict"},
	{413, "Content Too Large"},
	{422, "Unprocessable Content"},
	{429, "Too Many Requests"},
	{500, "Internal Server Error"},
	{502, "Bad Gateway"},
	{503, "Service Unavailable"},
	{504, "Gateway Timeout"},
	{529, "Overloaded"},
};

static const char *fault_name_of(int status)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].status == status)
			return names[i].name;
	return "";
}

bool fault_is_for_good(int status)
{
	return status == 401 || status == 403;
}

static struct text first_string(yyjson_val *object, const char *a, const char *b)
{
	struct text t = json_text(yyjson_obj_get(object, a));

	return t.len ? t : json_text(yyjson_obj_get(object, b));
}

struct text fault_message(yyjson_val *root)
{
	yyjson_val *error = yyjson_obj_get(root, "error");

	if (yyjson_is_obj(error))
		return json_text(yyjson_obj_get(error, "message"));
	return yyjson_is_str(error) ? json_text(error) : first_string(root, "message", "detail");
}

static struct text said_in_json(yyjson_val *root, struct text *code)
{
	*code = first_string(yyjson_obj_get(root, "error"), "code", "type");
	return fault_message(root);
}

/* A page for people is of no use to them here. */
static struct text said_plainly(struct text body)
{
	struct text rest, line = text_trim(text_cut(text_trim(body), '\n', &rest));

	if (line.len == 0 || line.at[0] == '<' || line.at[0] == '{')
		return TEXT("");
	return (struct text){line.at, line.len < PLAIN_MAX ? line.len : PLAIN_MAX};
}

void fault_read(struct fault *fault, int status, struct text body)
{
	yyjson_doc *doc = yyjson_read(body.at, body.len, 0);
	struct text code = TEXT("");
	struct text said = doc ? said_in_json(yyjson_doc_get_root(doc), &code) : said_plainly(body);
	const char *name = fault_name_of(status);

	snprintf(fault->words, sizeof(fault->words), "%d%s%s%s%.*s", status, *name ? " " : "", name,
	         said.len ? ": " : "", TEXT_ARG(said));
	if (code.len)
		snprintf(fault->code, sizeof(fault->code), "%.*s", TEXT_ARG(code));
	else
		snprintf(fault->code, sizeof(fault->code), "http_%d", status);
	yyjson_doc_free(doc);
}

void fault_hide(char *words, const char *secret)
{
	size_t len = words ? strlen(words) : 0, n = secret ? strlen(secret) : 0;

	if (n < FAULT_SECRET_MIN)
		return;
	for (char *at = words; at && (at = strstr(at, secret)); at += n)
		memset(at, '*', n);
	for (size_t cut = n - 1; cut >= FAULT_SECRET_MIN; cut--)
		if (cut <= len && memcmp(words + len - cut, secret, cut) == 0)
			memset(words + len - cut, '*', cut);
}
