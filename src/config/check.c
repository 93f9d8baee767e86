/* check.c - the texts of the configuration that must have a form. */
#include "config/check.h"

#include <arpa/inet.h>
#include <stdio.h>

#include "config/config.h"

#define LITERAL_MAX 64 /* longer than any numeric address */
#define NAME_MAX_LEN 32
#define ID_MAX_LEN 64

#define CONTACT_MAX 200 /* bytes; it is signed with every note */

static struct check_by asked; /* set once, before anything is read */

static bool check_is_of(struct text value, const char *others)
{
	for (size_t i = 0; i < value.len; i++) {
		char c = value.at[i];
		bool plain =
			(c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');

		if (!plain && (c == '\0' || !strchr(others, c)))
			return false;
	}
	return value.len > 0;
}

/* Parts HOST:PORT at the last colon; an IPv6 literal stands in brackets. */
static bool cut_port(struct text value, struct text *host, uint64_t *port)
{
	size_t colon = value.len;

	while (colon > 0 && value.at[colon - 1] != ':')
		colon--;
	if (colon == 0)
		return false;
	*host = (struct text){value.at, colon - 1};
	return text_to_u64((struct text){value.at + colon, value.len - colon}, port) &&
	       *port <= 65535;
}

/* What it is as a number; a name that is none has the family 0. */
struct host {
	int family;
	unsigned char at[sizeof(struct in6_addr)]; /* with zeros behind a shorter one */
};

/* Numeric addresses are parsed, never compared by their first characters. */
static struct host read_host(struct text host)
{
	char literal[LITERAL_MAX];
	struct host out = {0};
	bool in_brackets = host.len > 2 && host.at[0] == '[' && host.at[host.len - 1] == ']';

	if (text_is(host, "localhost"))
		host = TEXT("127.0.0.1");
	if (in_brackets)
		host = (struct text){host.at + 1, host.len - 2};
	if (host.len == 0 || host.len >= sizeof(literal))
		return out;
	memcpy(literal, host.at, host.len);
	literal[host.len] = '\0';
	if (inet_pton(in_brackets ? AF_INET6 : AF_INET, literal, out.at) == 1)
		out.family = in_brackets ? AF_INET6 : AF_INET;
	return out;
}

enum reach { REACH_NOTHING, REACH_LOCAL, REACH_OTHERS };

static enum reach reach_of(struct text host)
{
	struct host read = read_host(host);
	bool is_local = read.family == AF_INET
	                        ? read.at[0] == 127
	                        : memcmp(read.at, &in6addr_loopback, sizeof(read.at)) == 0;

	if (!read.family)
		return REACH_NOTHING;
	return is_local ? REACH_LOCAL : REACH_OTHERS;
}

bool check_address(struct text value, struct error *why)
{
	struct text host;
	uint64_t port;

	if (!cut_port(value, &host, &port))
		return error_set(why,
		                 "'%.*s' is not ADDRESS:PORT, like 127.0.0.1:7446 or [::1]:7446",
		                 TEXT_ARG(value));
	return reach_of(host) != REACH_NOTHING ||
	       error_set(why,
	                 "'%.*s' is not a numeric address, like 127.0.0.1:7446 or [::1]:7446, "
	                 "nor localhost:PORT",
	                 TEXT_ARG(value));
}

static bool is_local(struct text address)
{
	struct text host;
	uint64_t port;

	return cut_port(address, &host, &port) && reach_of(host) == REACH_LOCAL;
}

bool check_local_address(struct text value, struct error *why)
{
	return check_address(value, why) &&
	       (is_local(value) ||
	        error_set(why, "%.*s is not a loopback address", TEXT_ARG(value)));
}

bool check_literal(struct text value, struct error *why)
{
	char literal[LITERAL_MAX];
	unsigned char at[sizeof(struct in6_addr)];

	snprintf(literal, sizeof(literal), "%.*s", TEXT_ARG(value));
	return (value.len < sizeof(literal) && value.len == strlen(literal) &&
	        (inet_pton(AF_INET, literal, at) == 1 || inet_pton(AF_INET6, literal, at) == 1)) ||
	       error_set(why, "'%.*s' is not the address of a machine, like 192.0.2.7",
	                 TEXT_ARG(value));
}

struct literal {
	struct host host;
	uint64_t port;
};

static bool read_literal(const char *address, struct literal *out)
{
	struct text host;

	if (!cut_port(text_of(address), &host, &out->port))
		return false;
	out->host = read_host(host);
	return out->host.family && out->port;
}

/* Both at one port, which is none of the kernel's choice. */
static bool read_literals(const char *a, const char *b, struct literal *one, struct literal *other)
{
	return read_literal(a, one) && read_literal(b, other) && one->port == other->port &&
	       one->host.family == other->host.family;
}

bool check_is_same_address(const char *a, const char *b)
{
	struct literal one, other;

	return read_literals(a, b, &one, &other) &&
	       memcmp(one.host.at, other.host.at, sizeof(one.host.at)) == 0;
}

bool check_covers_address(const char *all, const char *one)
{
	static const struct host any;
	struct literal wide, narrow;

	return read_literals(all, one, &wide, &narrow) &&
	       memcmp(wide.host.at, any.at, sizeof(any.at)) == 0;
}

/* What is given without a token is for programs of our own user, which a loopback alone can
 * tell from others; and admin is never theirs, because it is every credential. */
static bool check_local_scopes(const struct config_listen *listen, struct error *why)
{
	if (!is_local(text_of(listen->address)))
		return error_set(why,
		                 "%s can be reached from other machines, which get nothing without "
		                 "a token: `local` is for an address of the loopback",
		                 listen->address);
	return !(listen->local & SCOPE_ADMIN) ||
	       error_set(why, "%s cannot give admin without a token", listen->address);
}

/* Anybody who reaches it could ask: so it says whom, and who may. */
static bool check_bare(const struct config_listen *listen, struct error *why)
{
	if (!listen->source)
		return error_set(why, "%s: %s needs a source, which its peers ask", listen->address,
		                 listen->dialect);
	if (listen->cert || listen->key || listen->has_local || listen->origin_count)
		return error_set(why, "%s: %s knows no cert, key, local or origins",
		                 listen->address, listen->dialect);
	return is_local(text_of(listen->address)) || listen->allow_count ||
	       error_set(why,
	                 "%s can be reached from other machines, and %s has no credentials: "
	                 "`allow` lists the addresses of those that may come in",
	                 listen->address, listen->dialect);
}

static bool check_spoken(const struct config_listen *listen, struct error *why)
{
	if (listen->source || listen->allow_count)
		return error_set(why,
		                 "%s has a source or allow, which are for a dialect without "
		                 "credentials alone",
		                 listen->address);
	if (!listen->cert != !listen->key)
		return error_set(why, "%s has a %s and no %s", listen->address,
		                 listen->cert ? "cert" : "key", listen->cert ? "key" : "cert");
	if (!listen->cert && !is_local(text_of(listen->address)))
		return error_set(why,
		                 "%s can be reached from other machines, which needs TLS: "
		                 "{address, cert, key}",
		                 listen->address);
	if (listen->origin_count && !listen->dialect)
		return error_set(why,
		                 "%s has origins and no dialect: those of all are auth.origins",
		                 listen->address);
	return !listen->has_local || check_local_scopes(listen, why);
}

bool check_listen(const void *row, size_t rows_before, struct error *why)
{
	const struct config_listen *listen = row;

	for (size_t i = 1; i <= rows_before; i++)
		if (check_is_same_address(listen->address, listen[-(ptrdiff_t)i].address))
			return error_set(why, "%s is there twice", listen->address);
	if (listen->dialect && asked.bare && asked.bare(text_of(listen->dialect)))
		return check_bare(listen, why);
	return check_spoken(listen, why);
}

bool check_host(struct text value, struct error *why)
{
	if (!check_is_of(value, ".-_:[]"))
		return error_set(why, "'%.*s' is not a host, like box.example:7446",
		                 TEXT_ARG(value));
	return true;
}

bool check_origin(struct text value, struct error *why)
{
	struct text scheme = TEXT("https://");

	if (!text_starts(value, scheme))
		scheme = TEXT("http://");
	if (text_starts(value, scheme)) {
		struct text host = {value.at + scheme.len, value.len - scheme.len};

		if (check_is_of(host, ".-_:[]"))
			return true;
	}
	return error_set(why, "'%.*s' is not an origin, like https://box.example without a path",
	                 TEXT_ARG(value));
}

bool check_source_id(struct text value, struct error *why)
{
	if (text_is(value, "signalbox") || text_is(value, "demo") || text_is(value, "stage"))
		return error_set(why, "'%.*s' is our own name", TEXT_ARG(value));
	return (check_is_of(value, "._-") && value.len <= ID_MAX_LEN && value.at[0] != '.') ||
	       error_set(why,
	                 "'%.*s' is no id; letters, digits, '.', '_' and '-' make one, at most %d",
	                 TEXT_ARG(value), ID_MAX_LEN);
}

/* ---- what other rooms know ---- */

void check_ask(const struct check_by *by)
{
	asked = *by;
}

bool check_source_url(struct text value, struct error *why)
{
	return !asked.source_url || asked.source_url(value, why);
}

bool check_protocol(struct text value, struct error *why)
{
	return !asked.protocol || asked.protocol(value, why);
}

bool check_dialect(struct text value, struct error *why)
{
	return !asked.dialect || asked.dialect(value, why);
}

bool check_channel(struct text value, struct error *why)
{
	return !asked.channel || asked.channel(value, why);
}

bool check_condition(struct text value, struct error *why)
{
	return !asked.condition || asked.condition(value, why);
}

bool check_message(struct text value, struct error *why)
{
	return check_condition(value, why) && (!asked.message || asked.message(value, why));
}

bool check_names_all(struct text channel)
{
	return asked.names_all && asked.names_all(channel);
}

bool check_reference(struct text value, struct error *why)
{
	if (value.len > 3 && text_starts(value, TEXT("${")) && value.at[value.len - 1] == '}' &&
	    check_is_of((struct text){value.at + 2, value.len - 3}, "_"))
		return true;
	/* The words do not repeat it: it may be the secret itself. */
	return error_set(why, "a secret does not belong here: write ${NAME} for a variable of the "
	                      "environment, or use credential_file");
}

bool check_name(struct text value, struct error *why)
{
	if (!check_is_of(value, "._-") || value.len > NAME_MAX_LEN || value.at[0] == '.')
		return error_set(why,
		                 "'%.*s' is no name; letters, digits, '.', '_' and '-' make one, "
		                 "at most %d",
		                 TEXT_ARG(value), NAME_MAX_LEN);
	return true;
}

bool check_contact(struct text value, struct error *why)
{
	struct text scheme =
		text_starts(value, TEXT("mailto:")) ? TEXT("mailto:") : TEXT("https://");
	struct text rest = {value.at + scheme.len, value.len - scheme.len};

	if (text_starts(value, scheme) && value.len <= CONTACT_MAX &&
	    check_is_of(rest, "@.-_~+%/:?=&"))
		return true;
	return error_set(why, "'%.*s' is no contact, like mailto:me@example.com", TEXT_ARG(value));
}

bool check_argument(struct text value, struct error *why)
{
	if (value.len == 0 || memchr(value.at, '\0', value.len))
		return error_set(why, "a command is made of words that are not empty");
	return true;
}
