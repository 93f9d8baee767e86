/* reach_test.c - the addresses that are nobody's server, in all their spellings. */
#include "net/reach.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

#include <cmocka.h>

static const struct {
	const char *address;
	bool allowed;
} table[] = {
	{"127.0.0.1", true},
	{"10.0.0.1", true},
	{"192.168.1.2", true},
	{"172.16.0.1", true},
	{"8.8.8.8", true},
	{"169.253.255.255", true},
	{"169.255.0.0", true},
	{"223.255.255.255", true},
	{"1.0.0.0", true},
	{"0.0.0.0", false},
	{"0.1.2.3", false},
	{"169.254.0.1", false},
	{"169.254.169.254", false},
	{"224.0.0.1", false},
	{"239.255.255.250", false},
	{"240.0.0.1", false},
	{"255.255.255.255", false},
	{"::1", true},
	{"2001:db8::1", true},
	{"fd00::1", true},
	{"::ffff:127.0.0.1", true},
	{"::ffff:10.0.0.1", true},
	{"64:ff9b::8.8.8.8", true},
	{"::", false},
	{"::ffff:169.254.169.254", false},
	{"::ffff:0.0.0.0", false},
	{"::169.254.169.254", false},
	{"64:ff9b::a9fe:a9fe", false},
	{"fe80::1", false},
	{"febf::1", false},
	{"fec0::1", false},
	{"ff02::1", false},
	{"fd00:ec2::254", false},
	{"fd20:ce::254", false},
	{"fd00:c1::a9fe:a9fe", false},
	{"fd00:ec2::255", true},
	{"100.64.0.1", true},
	{"100.100.100.100", true},
	{"100.100.100.200", false},
	{"168.63.129.16", false},
	{"168.63.129.17", true},
	{"192.0.0.192", false},
	{"2002:a9fe:a9fe::1", false},
	{"2001:db8::5efe:a9fe:a9fe", false},
	{"2001:db8::200:5efe:10.0.0.1", false},
	{"2001:db8::5efe:808:808", true},
	{"2002:7f00:1::", false},
	{"2002:808:808::1", false},
	{"2001:0:a9fe:a9fe::1", false},
	{"2001:0:4136:e378:8000:63bf:5601:5601", false},
	{"2001:1::1", true},
	{"64:ff9b::127.0.0.1", false},
	{"64:ff9b::10.0.0.1", false},
	{"64:ff9b::100.64.0.1", false},
	{"64:ff9b::192.168.0.1", false},
	{"64:ff9b::172.31.255.255", false},
	{"64:ff9b::172.32.0.0", true},
	{"64:ff9b:1::a9fe:a9fe", false},
	{"64:ff9b:1:a9fe:a9:fe00::", false},
	{"::127.0.0.1", false},
	{"::10.0.0.1", false},
	{"::ffff:0:169.254.169.254", false},
	{"::ffff:0:8.8.8.8", false},
	{"::ffff:100.100.100.200", false},
	{"100::1", false},
};

union reach_address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static union reach_address read_address(const char *words)
{
	union reach_address a;

	memset(&a, 0, sizeof(a));
	if (inet_pton(AF_INET, words, &a.v4.sin_addr) == 1)
		a.any.sa_family = AF_INET;
	else if (inet_pton(AF_INET6, words, &a.v6.sin6_addr) == 1)
		a.any.sa_family = AF_INET6;
	else
		fail_msg("%s", words);
	return a;
}

static void what_is_nobodys_is_not_gone_to(void **state)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		union reach_address a = read_address(table[i].address);

		if (reach_allows(&a.any) != table[i].allowed)
			fail_msg("%s", table[i].address);
		if (!table[i].allowed && reach_is_public(&a.any))
			fail_msg("%s", table[i].address);
	}
}

static void what_is_somebodys_own_is_not_public(void **state)
{
	static const char *const own[] = {
		"127.0.0.1",        "127.255.0.3",
		"10.1.2.3",         "172.16.0.1",
		"172.31.255.255",   "192.168.1.2",
		"100.64.0.1",       "::1",
		"fd00::1",          "fc00::1",
		"::ffff:127.0.0.1", "::ffff:10.0.0.1",
		"fd00:ec2::255",    "::ffff:192.168.0.1",
		"192.0.0.8",        "192.0.2.1",
		"192.88.99.1",      "198.18.0.1",
		"198.19.255.255",   "198.51.100.7",
		"203.0.113.9",      "::ffff:203.0.113.9",
		"2001:db8::1",      "2001:db8:ffff::1",
		"64:ff9b::8.8.8.8", "4000::1",
		"1fff::1",          "5f00::1",
	};
	static const char *const public[] = {
		"8.8.8.8",        "172.32.0.1",   "100.128.0.1", "192.0.1.1",   "198.20.0.1",
		"::ffff:8.8.8.8", "2606:4700::1", "2001:db9::1", "203.0.114.1", "3fff:ffff::1",
	};

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		union reach_address a = read_address(own[i]);

		if (reach_is_public(&a.any))
			fail_msg("%s", own[i]);
	}
	for (size_t i = 0; i < sizeof(public) / sizeof(public[0]); i++) {
		union reach_address a = read_address(public[i]);

		if (!reach_is_public(&a.any))
			fail_msg("%s", public[i]);
	}
}

static void only_the_internet_is_reached(void **state)
{
	struct sockaddr_un local = {.sun_family = AF_UNIX};

	assert_false(reach_allows((struct sockaddr *)&local));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_nobodys_is_not_gone_to),
		cmocka_unit_test(what_is_somebodys_own_is_not_public),
		cmocka_unit_test(only_the_internet_is_reached),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
