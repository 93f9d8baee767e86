/* http_head.c - from bytes to a request that may be looked at.
 *
 * llhttp runs in its strict mode and stops at the end of the head, after each
 * piece of the body and at its end, so that nobody is called from inside it.
 * What it lets pass and we do not is checked here. */
#include <assert.h>
#include <stdlib.h>

#include "base/must.h"
#include "net/inside.h"

#define HEAD_USUAL 512 /* most heads are shorter; the others grow */

static int refuse_with(struct http *http, unsigned status)
{
	http->refusal = status;
	return HPE_USER;
}

/* Of the first line, when its target is as long as it is by now. */
static size_t http_head_line_length(const struct http *http)
{
	const char *method = llhttp_method_name((llhttp_method_t)http->parser.method);

	return strlen(method) + strlen(" ") + http->target_len + strlen(" HTTP/1.1");
}

static int on_target(llhttp_t *parser, const char *at, size_t n)
{
	struct http *http = parser->data;

	http->target_len += (unsigned)n;
	if (http_head_line_length(http) > http->site->limits->line_max)
		return refuse_with(http, 414);
	return buf_add(&http->head, (struct text){at, n}) ? 0 : refuse_with(http, 431);
}

/* Extensions of chunks and trailers mean nothing to us, but have a ceiling. */
static int on_extra(llhttp_t *parser, const char *at, size_t n)
{
	struct http *http = parser->data;

	(void)at;
	http->extras += n;
	return http->extras > http->site->limits->head_max ? refuse_with(http, 431) : 0;
}

static struct http_span *http_head_add_field(struct http *http)
{
	if (http->fields_len == http->fields_room) {
		http->fields_room = http->fields_room ? http->fields_room * 2 : 8;
		http->fields = must_grow(http->fields, http->fields_room * sizeof(*http->fields));
	}
	assert(http->fields_len < http->fields_room);
	http->fields[http->fields_len] = (struct http_span){.at = (uint32_t)http->head.len};
	return &http->fields[http->fields_len++];
}

static int http_head_on_name(llhttp_t *parser, const char *at, size_t n)
{
	struct http *http = parser->data;

	if (http->state != HTTP_READING)
		return on_extra(parser, at, n);
	if (!http->naming) {
		if (http->fields_len >= http->site->limits->fields_max)
			return refuse_with(http, 431);
		http_head_add_field(http);
		http->naming = true;
	}
	http->fields[http->fields_len - 1].name_len += (uint32_t)n;
	return buf_add(&http->head, (struct text){at, n}) ? 0 : refuse_with(http, 431);
}

static int http_head_on_name_end(llhttp_t *parser)
{
	struct http *http = parser->data;

	http->naming = false;
	return 0;
}

static int http_head_on_value(llhttp_t *parser, const char *at, size_t n)
{
	struct http *http = parser->data;

	if (http->state != HTTP_READING)
		return on_extra(parser, at, n);
	http->fields[http->fields_len - 1].value_len += (uint32_t)n;
	return buf_add(&http->head, (struct text){at, n}) ? 0 : refuse_with(http, 431);
}

static int on_body(llhttp_t *parser, const char *at, size_t n)
{
	struct http *http = parser->data;

	http->piece = (struct text){at, n};
	return n ? HPE_PAUSED : 0; /* asked to go on with nothing, llhttp gives nothing */
}

static int http_head_on_head_end(llhttp_t *parser)
{
	(void)parser;
	return HPE_PAUSED;
}

static int on_body_end(llhttp_t *parser)
{
	struct http *http = parser->data;

	http->body_done = true;
	return HPE_PAUSED;
}

static const llhttp_settings_t settings = {
	.on_url = on_target,
	.on_header_field = http_head_on_name,
	.on_header_field_complete = http_head_on_name_end,
	.on_header_value = http_head_on_value,
	.on_headers_complete = http_head_on_head_end,
	.on_body = on_body,
	.on_message_complete = on_body_end,
	.on_chunk_extension_name = on_extra,
	.on_chunk_extension_value = on_extra,
};

void http_parser_begin(struct http *http)
{
	llhttp_init(&http->parser, HTTP_REQUEST, &settings);
	http->parser.data = http;
	buf_clear(&http->head);
	/* It is no longer than what is there, if that is all of it. */
	buf_reserve(&http->head, http->in_len < HEAD_USUAL ? http->in_len : HEAD_USUAL);
	http->request = (struct http_request){0};
	http->fields_len = http->target_len = http->refusal = 0;
	http->head_used = http->extras = 0;
	http->naming = http->body_done = http->continues = false;
	http->hushed = http->streaming = http->chunked = http->full = false;
	http->body_len = http->body_used = 0;
	http->piece = (struct text){0};
}

llhttp_errno_t http_parse(struct http *http, size_t most)
{
	size_t n = http->in_len < most ? http->in_len : most;
	llhttp_errno_t code;

	if (llhttp_get_errno(&http->parser) == HPE_PAUSED)
		llhttp_resume(&http->parser);
	code = llhttp_execute(&http->parser, http->in, n);
	if (code != HPE_OK)
		n = (size_t)(llhttp_get_error_pos(&http->parser) - http->in);
	http->in += n;
	http->in_len -= n;
	return code;
}

/* A method that is none is rubbish; one we never heard of is not implemented. */
static unsigned refusal_of_method(const struct http *http)
{
	unsigned char c = http->in_len ? (unsigned char)*http->in : 0;

	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z' ? 501 : 400;
}

static bool speaks_our_version(const struct http *http)
{
	return http->parser.http_major == 1 && http->parser.http_minor <= 1;
}

unsigned http_verdict(const struct http *http, llhttp_errno_t code)
{
	if (http->refusal)
		return http->refusal;
	if (code == HPE_INVALID_METHOD)
		return refusal_of_method(http);
	if (code == HPE_PAUSED_H2_UPGRADE)
		return 505;
	/* The version may be ours, and the end of its line rubbish. */
	return code == HPE_INVALID_VERSION && !speaks_our_version(http) ? 505 : 400;
}

static struct text field_name(const struct http *http, unsigned i)
{
	return (struct text){http->head.at + http->fields[i].at, http->fields[i].name_len};
}

static struct text field_value(const struct http *http, unsigned i)
{
	const struct http_span *f = &http->fields[i];

	return text_trim((struct text){http->head.at + f->at + f->name_len, f->value_len});
}

static unsigned count_fields(const struct http *http, const char *name)
{
	struct text wanted = text_of(name);
	unsigned count = 0;

	for (unsigned i = 0; i < http->fields_len; i++)
		count += text_equal_nocase(field_name(http, i), wanted);
	return count;
}

struct text http_field(const struct http *http, const char *name)
{
	struct text wanted = text_of(name);

	for (unsigned i = 0; i < http->fields_len; i++)
		if (text_equal_nocase(field_name(http, i), wanted))
			return field_value(http, i);
	return (struct text){0};
}

bool http_has_field(const struct http *http, const char *name)
{
	return count_fields(http, name) > 0;
}

bool http_has_fields(const struct http *http, const char *prefix)
{
	size_t n = strlen(prefix);

	for (unsigned i = 0; i < http->fields_len; i++) {
		struct text name = field_name(http, i);

		if (name.len >= n && text_equal_nocase((struct text){name.at, n}, text_of(prefix)))
			return true;
	}
	return false;
}

/* Is `token` one of a comma-separated list? */
static bool http_head_has_token(struct text list, const char *token)
{
	while (list.len)
		if (text_equal_nocase(text_trim(text_cut(list, ',', &list)), text_of(token)))
			return true;
	return false;
}

static bool has_duplicates(const struct http *http)
{
	static const char *const once[] = {
		"Host",
		"Origin",
		"Authorization",
		"Content-Length",
		"Content-Type",
		"Sec-WebSocket-Key",
		"Last-Event-ID",
		"Transfer-Encoding",
		"Sec-Fetch-Site",
		"Expect",
		"Sec-WebSocket-Version",
	};

	for (size_t i = 0; i < sizeof(once) / sizeof(once[0]); i++)
		if (count_fields(http, once[i]) > 1)
			return true;
	return false;
}

/* "http://host/path": the host must then be the one that Host names. */
static bool cut_authority(const struct http *http, struct text *target)
{
	struct text rest, scheme = text_cut(*target, ':', &rest), host;
	size_t n = 0;

	if (!text_equal_nocase(scheme, TEXT("http")) && !text_equal_nocase(scheme, TEXT("https")))
		return false;
	if (!text_starts(rest, TEXT("//")))
		return false;
	rest = (struct text){rest.at + 2, rest.len - 2};
	while (n < rest.len && rest.at[n] != '/' && rest.at[n] != '?')
		n++;
	host = (struct text){rest.at, n};
	*target = (struct text){rest.at + n, rest.len - n};
	return n > 0 && text_equal_nocase(host, http_field(http, "Host"));
}

static bool read_target(struct http *http)
{
	struct http_request *r = &http->request;
	struct text target = {http->head.at, http->target_len};

	if (text_find(target, '#') >= 0)
		return false;
	if ((target.len == 0 || target.at[0] != '/') && !cut_authority(http, &target))
		return false;
	r->path = text_cut(target, '?', &r->query);
	if (r->path.len == 0)
		r->path = TEXT("/");
	return true;
}

static bool read_method(struct http *http)
{
	struct http_request *r = &http->request;

	switch (http->parser.method) {
	case HTTP_GET:
	case HTTP_HEAD:
	case HTTP_POST:
	case HTTP_PUT:
	case HTTP_PATCH:
	case HTTP_DELETE:
	case HTTP_OPTIONS:
		r->method = text_of(llhttp_method_name((llhttp_method_t)http->parser.method));
		r->is_head = http->parser.method == HTTP_HEAD;
		return true;
	default:
		return false;
	}
}

/* How long is the body?  Nothing about that may be open to two readings. */
static unsigned read_framing(struct http *http)
{
	const llhttp_t *p = &http->parser;
	struct text expect = http_field(http, "Expect");

	if (p->flags & F_TRANSFER_ENCODING) {
		if (p->http_minor == 0)
			return 400;
		if (!text_equal_nocase(http_field(http, "Transfer-Encoding"), TEXT("chunked")))
			return 501;
	}
	http->length = p->flags & F_CHUNKED ? 0 : p->content_length;
	http->request.has_body = p->flags & F_CHUNKED || http->length > 0;
	if (p->http_minor == 0 || expect.len == 0)
		return 0;
	if (!text_equal_nocase(expect, TEXT("100-continue")))
		return 417;
	http->continues = http->request.has_body;
	return 0;
}

unsigned http_check(struct http *http)
{
	struct http_request *r = &http->request;
	const llhttp_t *p = &http->parser;
	unsigned status;

	if (!speaks_our_version(http))
		return 505;
	if (!read_method(http))
		return 501;
	if (has_duplicates(http) || (p->http_minor == 1 && !http_has_field(http, "Host")))
		return 400;
	if (!read_target(http))
		return 400;
	status = read_framing(http);
	if (status)
		return status;
	r->keep_alive = p->http_minor == 1 && !(p->flags & F_CONNECTION_CLOSE) && !http->draining;
	r->wants_upgrade = p->upgrade && p->http_minor == 1 && p->method == HTTP_GET &&
	                   !r->has_body &&
	                   http_head_has_token(http_field(http, "Upgrade"), "websocket");
	return 0;
}
