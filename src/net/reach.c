/* reach.c - tables of what is nobody's server. */
#include "net/reach.h"

#include <netinet/in.h>
#include <stdint.h>
#include <string.h>

struct net_v4 {
	uint32_t net;
	unsigned bits;
};

static const struct net_v4 closed_v4[] = {
	{0x00000000, 8},  /* 0.0.0.0/8: this host, which connect() takes for loopback */
	{0xA9FE0000, 16}, /* 169.254.0.0/16: link-local */
	{0xE0000000, 3},  /* 224.0.0.0/3: multicast, reserved, broadcast */
	{0x646464C8, 32}, /* 100.100.100.200: a cloud's */
	{0xA83F8110, 32}, /* 168.63.129.16: a cloud's */
	{0xC00000C0, 32}, /* 192.0.0.192: a cloud's */
};

/* What is somebody's own, and has no business in a spelling that goes through a tunnel. */
static const struct net_v4 own_v4[] = {
	{0x0A000000, 8},  /* 10.0.0.0/8 */
	{0x64400000, 10}, /* 100.64.0.0/10: behind a provider's translation */
	{0x7F000000, 8},  /* 127.0.0.0/8: this machine */
	{0xAC100000, 12}, /* 172.16.0.0/12 */
	{0xC0A80000, 16}, /* 192.168.0.0/16 */
};

/* What the internet does not lead to, though a network may use it for itself. */
static const struct net_v4 unrouted_v4[] = {
	{0xC0000000, 24}, /* 192.0.0.0/24: protocols */
	{0xC0000200, 24}, /* 192.0.2.0/24: examples */
	{0xC0586300, 24}, /* 192.88.99.0/24: 6to4, of old */
	{0xC6120000, 15}, /* 198.18.0.0/15: measurements */
	{0xC6336400, 24}, /* 198.51.100.0/24: examples */
	{0xCB007100, 24}, /* 203.0.113.0/24: examples */
};

static const struct {
	uint8_t net[16];
	unsigned bits;
} closed_v6[] = {
	{{0xFE, 0x80}, 10},                                        /* link-local */
	{{0xFE, 0xC0}, 10},                                        /* site-local */
	{{0xFF}, 8},                                               /* multicast */
	{{0xFD, 0x00, 0x0E, 0xC2, [14] = 0x02, [15] = 0x54}, 128}, /* a cloud's */
	{{0xFD, 0x20, 0x00, 0xCE, [14] = 0x02, [15] = 0x54}, 128}, /* another's */
	{{0xFD, 0x00, 0x00, 0xC1, [12] = 0xA9, 0xFE, 0xA9, 0xFE}, 128},
	{{0x20, 0x02}, 16},                         /* 6to4: any IPv4 address in there */
	{{0x20, 0x01, 0x00, 0x00}, 32},             /* Teredo: likewise, and upside down */
	{{0x00, 0x64, 0xFF, 0x9B, 0x00, 0x01}, 48}, /* 64:ff9b:1::/48: translated, somewhere */
	{{[8] = 0xFF, 0xFF}, 96},                   /* ::ffff:0:0:0/96: translated, of old */
	{{0x01}, 64},                               /* 100::/64: thrown away */
};

/* IPv6 networks whose last four bytes are an IPv4 address. */
static const struct {
	uint8_t net[12];
	bool is_it; /* connect() takes it for that address itself */
} wrapped_v4[] = {
	{{[10] = 0xFF, [11] = 0xFF}, true},      /* ::ffff:0:0/96: mapped */
	{{[0] = 0x00, 0x64, 0xFF, 0x9B}, false}, /* 64:ff9b::/96: translated */
	{{0}, false},                            /* ::/96: "compatible", and "any" */
};

static bool is_in(uint32_t address, const struct net_v4 *nets, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if ((address ^ nets[i].net) >> (32 - nets[i].bits) == 0)
			return true;
	return false;
}

static bool allows_v4(uint32_t address)
{
	return !is_in(address, closed_v4, sizeof(closed_v4) / sizeof(closed_v4[0]));
}

static bool is_own_v4(uint32_t address)
{
	return is_in(address, own_v4, sizeof(own_v4) / sizeof(own_v4[0]));
}

static uint32_t last_four(const uint8_t *a)
{
	return (uint32_t)a[12] << 24 | (uint32_t)a[13] << 16 | (uint32_t)a[14] << 8 | a[15];
}

static bool is_within(const uint8_t *address, const uint8_t *net, unsigned bits)
{
	unsigned whole = bits / 8, rest = bits % 8;

	return memcmp(address, net, whole) == 0 &&
	       (rest == 0 || (address[whole] ^ net[whole]) >> (8 - rest) == 0);
}

/* ISATAP: in any network, the second half is ::5efe and an IPv4 address. */
static bool is_isatap(const uint8_t *a)
{
	return (a[8] & 0xFC) == 0 && a[9] == 0 && a[10] == 0x5E && a[11] == 0xFE;
}

static bool allows_v6(const struct in6_addr *address)
{
	const uint8_t *a = address->s6_addr;

	if (IN6_IS_ADDR_LOOPBACK(address))
		return true;
	for (size_t i = 0; i < sizeof(closed_v6) / sizeof(closed_v6[0]); i++)
		if (is_within(a, closed_v6[i].net, closed_v6[i].bits))
			return false;
	for (size_t i = 0; i < sizeof(wrapped_v4) / sizeof(wrapped_v4[0]); i++)
		if (is_within(a, wrapped_v4[i].net, 96))
			return allows_v4(last_four(a)) &&
			       (wrapped_v4[i].is_it || !is_own_v4(last_four(a)));
	return !is_isatap(a) || (allows_v4(last_four(a)) && !is_own_v4(last_four(a)));
}

bool reach_allows(const struct sockaddr *address)
{
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;

	if (address->sa_family == AF_INET) {
		memcpy(&v4, address, sizeof(v4));
		return allows_v4(ntohl(v4.sin_addr.s_addr));
	}
	if (address->sa_family != AF_INET6)
		return false;
	memcpy(&v6, address, sizeof(v6));
	return allows_v6(&v6.sin6_addr);
}

static bool is_public_v4(uint32_t address)
{
	return !is_own_v4(address) &&
	       !is_in(address, unrouted_v4, sizeof(unrouted_v4) / sizeof(unrouted_v4[0]));
}

static bool is_public_v6(const struct in6_addr *address)
{
	static const uint8_t mapped[12] = {[10] = 0xFF, 0xFF};
	static const uint8_t internet[1] = {0x20}, examples[4] = {0x20, 0x01, 0x0D, 0xB8};
	const uint8_t *a = address->s6_addr;

	if (is_within(a, mapped, 96))
		return is_public_v4(last_four(a));
	return is_within(a, internet, 3) && !is_within(a, examples, 32);
}

bool reach_is_public(const struct sockaddr *address)
{
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;

	if (!reach_allows(address))
		return false;
	if (address->sa_family == AF_INET) {
		memcpy(&v4, address, sizeof(v4));
		return is_public_v4(ntohl(v4.sin_addr.s_addr));
	}
	memcpy(&v6, address, sizeof(v6));
	return is_public_v6(&v6.sin6_addr);
}
