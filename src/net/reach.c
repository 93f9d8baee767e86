/* reach.c - tables of what is nobody's server. */
#include "net/reach.h"

#include <netinet/in.h>
#include <stdint.h>
#include <string.h>

static const struct {
	uint32_t net;
	unsigned bits;
} closed_v4[] = {
	{0x00000000, 8},  /* 0.0.0.0/8: this host, which connect() takes for loopback */
	{0xA9FE0000, 16}, /* 169.254.0.0/16: link-local */
	{0xE0000000, 3},  /* 224.0.0.0/3: multicast, reserved, broadcast */
};

static const struct {
	uint8_t net[16];
	unsigned bits;
} closed_v6[] = {
	{{0xFE, 0x80}, 10},                                        /* link-local */
	{{0xFE, 0xC0}, 10},                                        /* site-local */
	{{0xFF}, 8},                                               /* multicast */
	{{0xFD, 0x00, 0x0E, 0xC2, [14] = 0x02, [15] = 0x54}, 128}, /* a cloud's */
};

/* IPv6 networks whose last four bytes are an IPv4 address. */
static const struct {
	uint8_t net[12];
} wrapped_v4[] = {
	{{[10] = 0xFF, [11] = 0xFF}},     /* ::ffff:0:0/96: mapped */
	{{[0] = 0x00, 0x64, 0xFF, 0x9B}}, /* 64:ff9b::/96: translated */
	{{0}},                            /* ::/96: "compatible", and "any" */
};

static bool allows_v4(uint32_t address)
{
	for (size_t i = 0; i < sizeof(closed_v4) / sizeof(closed_v4[0]); i++)
		if ((address ^ closed_v4[i].net) >> (32 - closed_v4[i].bits) == 0)
			return false;
	return true;
}

static bool is_within(const uint8_t *address, const uint8_t *net, unsigned bits)
{
	unsigned whole = bits / 8, rest = bits % 8;

	return memcmp(address, net, whole) == 0 &&
	       (rest == 0 || (address[whole] ^ net[whole]) >> (8 - rest) == 0);
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
			return allows_v4((uint32_t)a[12] << 24 | (uint32_t)a[13] << 16 |
			                 (uint32_t)a[14] << 8 | a[15]);
	return true;
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
