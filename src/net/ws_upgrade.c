/* ws_upgrade.c - asking for a WebSocket, and words for how it was refused. */
#include "net/ws_upgrade.h"

#include <llhttp.h>
#include <openssl/evp.h>
#include <stdio.h>

#include "base/random.h"
#include "base/utf8.h"
#include "net/url.h"
#include "net/ws.h"

#define NAME_MAX_LEN 64   /* a longer name is none that we look for */
#define VALUE_MAX_LEN 512 /* of a field that we keep; longer is cut, and so not equal */

/* What we look for in the answer. */
enum upgrade_field { UPGRADE, CONNECTION, ACCEPT, EXTENSIONS, PROTOCOL, LOCATION, FIELDS };

static const struct text names[FIELDS] = {
	[UPGRADE] = {"Upgrade", 7},
	[CONNECTION] = {"Connection", 10},
	[ACCEPT] = {"Sec-WebSocket-Accept", 20},
	[EXTENSIONS] = {"Sec-WebSocket-Extensions", 24},
	[PROTOCOL] = {"Sec-WebSocket-Protocol", 22},
	[LOCATION] = {"Location", 8},
};

struct upgrade_response {
	struct buf name;
	struct buf values[FIELDS];
	unsigned counts[FIELDS];
	enum upgrade_field field; /* FIELDS: one that we do not look for */
	bool is_whole;
};

/* --- our request ------------------------------------------------------------ */

static void make_key(char key[WS_KEY_LEN + 1])
{
	unsigned char nonce[16];

	random_bytes(nonce, sizeof(nonce));
	EVP_EncodeBlock((unsigned char *)key, nonce, sizeof(nonce));
}

static bool is_line(const char *line)
{
	for (; *line; line++)
		if ((unsigned char)*line < ' ' || *line == 0x7F)
			return false;
	return true;
}

bool ws_upgrade_ask(struct buf *out, const struct url *url, const char *const *headers,
                    char key[WS_KEY_LEN + 1], struct error *why)
{
	make_key(key);
	buf_print(out, "GET %.*s%s%.*s HTTP/1.1\r\nHost: %.*s\r\n", TEXT_ARG(url->path),
	          url->query.at ? "?" : "", TEXT_ARG(url->query), TEXT_ARG(url->authority));
	buf_print(out,
	          "Upgrade: websocket\r\nConnection: Upgrade\r\n"
	          "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: %s\r\n"
	          "User-Agent: signalbox/" SIGNALBOX_VERSION "\r\n",
	          key);
	for (; headers && *headers; headers++) {
		if (!is_line(*headers))
			return error_set(why, "a header has a control character in it");
		buf_print(out, "%s\r\n", *headers);
	}
	buf_add(out, TEXT("\r\n"));
	return !out->full || error_set(why, "the headers of the upgrade are too long");
}

/* --- the answer ------------------------------------------------------------- */

static int on_name(llhttp_t *parser, const char *at, size_t n)
{
	struct upgrade_response *a = parser->data;

	buf_add(&a->name, (struct text){at, n});
	return 0;
}

static int on_name_end(llhttp_t *parser)
{
	struct upgrade_response *a = parser->data;

	a->field = 0;
	while (a->field < FIELDS &&
	       (a->name.full || !text_equal_nocase(buf_text(&a->name), names[a->field])))
		a->field++;
	if (a->field < FIELDS)
		a->counts[a->field]++;
	a->name.full = false;
	buf_clear(&a->name);
	return 0;
}

static int on_value(llhttp_t *parser, const char *at, size_t n)
{
	struct upgrade_response *a = parser->data;

	if (a->field < FIELDS)
		buf_add(&a->values[a->field], (struct text){at, n});
	return 0;
}

static int on_value_end(llhttp_t *parser)
{
	struct upgrade_response *a = parser->data;

	if (a->field < FIELDS)
		buf_add_char(&a->values[a->field], ',');
	return 0;
}

static int on_head_end(llhttp_t *parser)
{
	struct upgrade_response *a = parser->data;

	a->is_whole = true;
	return HPE_PAUSED;
}

static const llhttp_settings_t settings = {
	.on_header_field = on_name,
	.on_header_field_complete = on_name_end,
	.on_header_value = on_value,
	.on_header_value_complete = on_value_end,
	.on_headers_complete = on_head_end,
};

/* The value; of a field that was given twice, all of them with commas between. */
static struct text value_of(const struct upgrade_response *a, enum upgrade_field field)
{
	struct text value = buf_text(&a->values[field]);

	if (value.len && value.at[value.len - 1] == ',')
		value.len--;
	return text_trim(value);
}

static bool has_token(struct text list, const char *token)
{
	while (list.len)
		if (text_equal_nocase(text_trim(text_cut(list, ',', &list)), text_of(token)))
			return true;
	return false;
}

static bool ws_upgrade_refuse(const struct upgrade_response *a, int status, struct error *why)
{
	struct buf shown;

	switch (status) {
	case 401:
		return error_set(why, "the server requires a credential (401)");
	case 403:
		return error_set(why, "the server forbids it (403)");
	case 404:
		return error_set(why, "the server has nothing at this path (404)");
	case 426:
		return error_set(why, "the server requires another protocol (426)");
	case 429:
		return error_set(why, "too many requests to the server (429)");
	}
	if (status < 300 || status > 399 || !a->counts[LOCATION])
		return error_set(why, "the response to the upgrade has status %d instead of 101",
		                 status);
	buf_init(&shown, 4 * VALUE_MAX_LEN);
	utf8_add_shown(&shown, value_of(a, LOCATION));
	error_set(why, "the server answers with a redirect (%d) to %.*s, which is not followed",
	          status, TEXT_ARG(buf_text(&shown)));
	buf_finish(&shown);
	return false;
}

/* RFC 6455, section 4.1, to the letter. */
static bool check_accepted(const struct upgrade_response *a, const char *key, struct error *why)
{
	char expected[WS_ACCEPT_LEN + 1];

	if (a->counts[UPGRADE] != 1 || !text_equal_nocase(value_of(a, UPGRADE), TEXT("websocket")))
		return error_set(why, "the response does not upgrade to a WebSocket");
	if (!has_token(value_of(a, CONNECTION), "upgrade"))
		return error_set(why, "the response does not upgrade the connection");
	if (a->counts[ACCEPT] != 1 || !ws_accept(text_of(key), expected) ||
	    !text_is(value_of(a, ACCEPT), expected))
		return error_set(why,
		                 "Sec-WebSocket-Accept of the response is not that of our key");
	if (a->counts[EXTENSIONS] && value_of(a, EXTENSIONS).len)
		return error_set(why, "the server wants an extension that was not offered");
	if (a->counts[PROTOCOL])
		return error_set(why, "the server wants a subprotocol that was not offered");
	return true;
}

static void answer_init(struct upgrade_response *a)
{
	*a = (struct upgrade_response){.field = FIELDS};
	buf_init(&a->name, NAME_MAX_LEN);
	for (int i = 0; i < FIELDS; i++)
		buf_init(&a->values[i], VALUE_MAX_LEN);
}

static void answer_finish(struct upgrade_response *a)
{
	buf_finish(&a->name);
	for (int i = 0; i < FIELDS; i++)
		buf_finish(&a->values[i]);
}

bool ws_upgrade_check(struct text head, const char *key, int *status, struct error *why)
{
	struct upgrade_response a;
	llhttp_t parser;
	bool good;

	answer_init(&a);
	llhttp_init(&parser, HTTP_RESPONSE, &settings);
	parser.data = &a;
	llhttp_execute(&parser, head.at, head.len);
	*status = 0;
	if (!a.is_whole || parser.http_major != 1) {
		good = error_set(why, "the response is not HTTP/1.1");
	} else {
		*status = parser.status_code;
		good = *status == 101 && parser.http_minor == 1
		               ? check_accepted(&a, key, why)
		               : ws_upgrade_refuse(&a, *status, why);
	}
	answer_finish(&a);
	return good;
}
