/* url.c - cutting a URL to pieces, and refusing what is doubtful. */
#include "net/url.h"

#include <arpa/inet.h>

#include "net/reach.h"

#define LABEL_MAX 63

static const struct {
	struct text name;
	uint16_t port;
	bool is_secure, is_ws;
} schemes[] = {
	{{"http", 4}, 80, false, false},
	{{"https", 5}, URL_HTTPS_PORT, true, false},
	{{"ws", 2}, 80, false, true},
	{{"wss", 3}, URL_HTTPS_PORT, true, true},
};

static bool url_is_hex(char c)
{
	return text_is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

static bool url_is_name_char(char c)
{
	return text_is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '-' || c == '_';
}

static bool read_scheme(struct url *url, struct text *rest, struct error *why)
{
	struct text name = text_cut(*rest, ':', rest);

	if (!text_starts(*rest, TEXT("//")))
		return error_set(why, "a URL begins with http://, https://, ws:// or wss://");
	*rest = (struct text){rest->at + 2, rest->len - 2};
	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
		if (!text_equal_nocase(name, schemes[i].name))
			continue;
		url->scheme = schemes[i].name;
		url->port = schemes[i].port;
		url->is_secure = schemes[i].is_secure;
		url->is_ws = schemes[i].is_ws;
		return true;
	}
	return error_set(why, "%.*s: a URL begins with http://, https://, ws:// or wss://",
	                 name.len > 20 ? 20 : (int)name.len, name.at);
}

/* A name whose last label is a number is meant as an address. */
static bool ends_in_number(struct text host)
{
	size_t n = host.len;

	while (n > 0 && host.at[n - 1] != '.')
		n--;
	host = (struct text){host.at + n, host.len - n};
	if (host.len >= 2 && host.at[0] == '0' && (host.at[1] | 0x20) == 'x')
		return true;
	for (size_t i = 0; i < host.len; i++)
		if (!text_is_digit(host.at[i]))
			return false;
	return true;
}

static bool is_name(struct text host)
{
	do {
		struct text label = text_cut(host, '.', &host);

		if (label.len == 0 || label.len > LABEL_MAX || label.at[0] == '-' ||
		    label.at[label.len - 1] == '-')
			return false;
		for (size_t i = 0; i < label.len; i++)
			if (!url_is_name_char(label.at[i]))
				return false;
	} while (host.at);
	return true;
}

static void copy_host(struct url *url, struct text host)
{
	for (size_t i = 0; i < host.len; i++) {
		char c = host.at[i];

		url->host[i] = c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
	}
	url->host[host.len] = '\0';
}

/* Names by which a machine of a cloud asks for its own secrets.  What they lead to is barred
 * too (net/reach.h), but a proxy would look them up where we do not see it. */
static bool is_metadata(const char *host)
{
	static const char *const names[] = {
		"metadata",
		"metadata.goog",
		"metadata.google.internal",
		"metadata.azure.internal",
		"metadata.tencentyun.com",
		"metadata.packet.net",
		"instance-data",
		"instance-data.ec2.internal",
		"rancher-metadata",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(host, names[i]) == 0)
			return true;
	return false;
}

/* An address that no server has leads nowhere, and not through a proxy either. */
static bool read_literal(struct url *url, bool is_v6, struct error *why)
{
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} a;
	void *binary = is_v6 ? (void *)&a.v6.sin6_addr : (void *)&a.v4.sin_addr;

	memset(&a, 0, sizeof(a));
	a.any.sa_family = is_v6 ? AF_INET6 : AF_INET;
	url->is_literal = true;
	if (inet_pton(a.any.sa_family, url->host, binary) != 1)
		return error_set(why, "%.100s is not an IP address", url->host);
	return reach_allows(&a.any) ||
	       error_set(why, "%.100s is an address that no server has", url->host);
}

static bool url_read_host(struct url *url, struct text host, struct error *why)
{
	bool is_v6 = host.len > 0 && host.at[0] == '[';

	if (is_v6)
		host = (struct text){host.at + 1, host.len - 2};
	if (host.len == 0 || host.len > URL_HOST_MAX)
		return error_set(why, "a URL needs a host, of at most %d bytes", URL_HOST_MAX);
	copy_host(url, host);
	if (is_v6 || ends_in_number(host))
		return read_literal(url, is_v6, why);
	if (is_metadata(url->host))
		return error_set(why, "%.100s is a cloud metadata address", url->host);
	return is_name(host) || error_set(why, "%.100s is not a host name", url->host);
}

static bool url_read_port(struct url *url, struct text digits, struct error *why)
{
	uint64_t port;

	if (digits.len > 5 || !text_to_u64(digits, &port) || port == 0 || port > 65535)
		return error_set(why, "a port is a number from 1 to 65535");
	url->port = (uint16_t)port;
	return true;
}

static bool read_authority(struct url *url, struct error *why)
{
	struct text host = url->authority, port = {0};
	size_t n = 0;

	if (text_find(host, '@') >= 0)
		return error_set(why, "a URL must not contain a user or a password");
	if (host.len && host.at[0] == '[') {
		int end = text_find(host, ']');

		if (end < 0)
			return error_set(why, "an IPv6 address ends with ]");
		n = (size_t)end + 1;
		if (n < host.len && host.at[n] != ':')
			return error_set(why, "only a port may follow an IPv6 address");
	} else {
		while (n < host.len && host.at[n] != ':')
			n++;
	}
	if (n < host.len)
		port = (struct text){host.at + n + 1, host.len - n - 1};
	host.len = n;
	return url_read_host(url, host, why) && (!port.at || url_read_port(url, port, why));
}

/* Nothing that has to be escaped, and every escape whole. */
static bool check_bytes(struct text t, struct error *why)
{
	for (size_t i = 0; i < t.len; i++) {
		char c = t.at[i];

		if (c <= ' ' || c > '~' || strchr("\"<>\\^`{|}", c))
			return error_set(why, "byte %zu of a URL must be escaped", i + 1);
		if (c == '#')
			return error_set(why, "the URL of a source has no # part");
		if (c == '%' &&
		    (t.len - i < 3 || !url_is_hex(t.at[i + 1]) || !url_is_hex(t.at[i + 2])))
			return error_set(why, "two hexadecimal digits follow a %% in a URL");
	}
	return true;
}

bool url_parse(struct url *url, struct text text, struct error *why)
{
	struct text rest = text;
	size_t n = 0;

	*url = (struct url){0};
	if (text.len > URL_MAX)
		return error_set(why, "a URL has at most %d bytes", URL_MAX);
	if (!check_bytes(text, why) || !read_scheme(url, &rest, why))
		return false;
	while (n < rest.len && rest.at[n] != '/' && rest.at[n] != '?')
		n++;
	url->authority = (struct text){rest.at, n};
	rest = (struct text){rest.at + n, rest.len - n};
	url->path = text_cut(rest, '?', &url->query);
	if (url->path.len == 0)
		url->path = TEXT("/");
	return read_authority(url, why);
}

struct text url_base(struct text url)
{
	while (url.len && url.at[url.len - 1] == '/')
		url.len--;
	return url;
}

bool url_is_loopback(const struct url *url)
{
	struct text host = text_of(url->host), suffix = TEXT(".localhost");
	struct in6_addr v6;

	if (inet_pton(AF_INET6, url->host, &v6) == 1)
		return IN6_IS_ADDR_LOOPBACK(&v6);
	if (url->is_literal)
		return text_starts(host, TEXT("127."));
	if (host.len > suffix.len)
		host = (struct text){host.at + host.len - suffix.len, suffix.len};
	return text_is(host, "localhost") || text_equal(host, suffix);
}
