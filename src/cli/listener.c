/* listener.c - from an address to its process, by the tables in /proc.
 *
 * The kernel's table of sockets has the inode of each that listens; a process that has it
 * open has a link of that name among its descriptors.
 */
#include "cli/listener.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hex.h"
#include "base/text.h"
#include "net/address.h"

#define LISTENING 0x0a /* TCP_LISTEN, as the table has it */
#define LINE_MAX_LEN 512
#define PATH_ROOM 320 /* "/proc/PID/fd/NAME", with the longest name there can be */
#define LINK_ROOM 64

struct socket_row {
	unsigned char bytes[16]; /* of its address, as they go over the net */
	size_t len;              /* 4 or 16 */
	uint32_t port, state;
	uint64_t uid, inode;
};

/* Of a line of the table. */
enum {
	COLUMN_LOCAL = 1,
	COLUMN_STATE = 3,
	COLUMN_UID = 7,
	COLUMN_INODE = 9,
	COLUMNS,
};

static bool read_hex(struct text digits, uint32_t *out)
{
	*out = 0;
	for (size_t i = 0; i < digits.len; i++) {
		int digit = hex_digit(digits.at[i]);

		if (digit < 0)
			return false;
		*out = *out << 4 | (uint32_t)digit;
	}
	return digits.len > 0 && digits.len <= 8;
}

/* The address is in words of 32 bits, each as this machine has it in memory. */
static bool read_address(struct text hex, struct socket_row *row)
{
	row->len = hex.len / 2;
	if (row->len != 4 && row->len != 16)
		return false;
	for (size_t i = 0; i < row->len; i += 4) {
		uint32_t word;

		if (!read_hex((struct text){hex.at + 2 * i, 8}, &word))
			return false;
		memcpy(row->bytes + i, &word, 4);
	}
	return true;
}

/* The columns of a line; false when there are fewer. */
static bool cut_columns(struct text line, struct text columns[COLUMNS])
{
	for (size_t i = 0; i < COLUMNS;) {
		columns[i] = text_cut(line, ' ', &line);
		i += columns[i].len > 0;
		if (!line.at)
			return i == COLUMNS;
	}
	return true;
}

static bool read_row(struct text line, struct socket_row *row)
{
	struct text columns[COLUMNS], port;

	if (!cut_columns(line, columns))
		return false;
	return read_address(text_cut(columns[COLUMN_LOCAL], ':', &port), row) &&
	       read_hex(port, &row->port) && read_hex(columns[COLUMN_STATE], &row->state) &&
	       text_to_u64(columns[COLUMN_UID], &row->uid) &&
	       text_to_u64(columns[COLUMN_INODE], &row->inode);
}

/* Would a connection to the address come to this socket?  Also by one that listens on all
 * addresses, and on those of IPv4 by one that does so for IPv6. */
static bool is_at(const struct socket_row *row, const struct address *address)
{
	static const unsigned char any[16];
	const struct sockaddr *sa = &address->sa.any;
	const void *wanted = sa->sa_family == AF_INET ? (const void *)&address->sa.v4.sin_addr
	                                              : (const void *)&address->sa.v6.sin6_addr;
	size_t len = sa->sa_family == AF_INET ? 4 : 16;

	if (row->state != LISTENING || row->port != address_port(address))
		return false;
	if (memcmp(row->bytes, any, row->len) == 0)
		return row->len >= len;
	return address_is_any(address) || (row->len == len && memcmp(row->bytes, wanted, len) == 0);
}

static bool find_row(const char *table, const struct address *address, struct socket_row *row)
{
	FILE *in = fopen(table, "re");
	char line[LINE_MAX_LEN];
	bool found = false;

	while (in && !found && fgets(line, sizeof(line), in))
		found = read_row(text_of(line), row) && is_at(row, address);
	if (in)
		fclose(in);
	return found;
}

static bool has_open(pid_t pid, uint64_t inode)
{
	char path[PATH_ROOM], link[LINK_ROOM], wanted[LINK_ROOM];
	const struct dirent *entry;
	bool found = false;
	DIR *dir;

	snprintf(wanted, sizeof(wanted), "socket:[%llu]", (unsigned long long)inode);
	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	while (dir && !found && (entry = readdir(dir))) {
		ssize_t n;

		snprintf(path, sizeof(path), "/proc/%d/fd/%s", (int)pid, entry->d_name);
		n = readlink(path, link, sizeof(link) - 1);
		link[n > 0 ? n : 0] = '\0';
		found = strcmp(link, wanted) == 0;
	}
	if (dir)
		closedir(dir);
	return found;
}

static pid_t find_process(uint64_t inode)
{
	const struct dirent *entry;
	DIR *all = opendir("/proc");
	pid_t found = 0;

	while (all && !found && (entry = readdir(all))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (pid > 0 && has_open(pid, inode))
			found = pid;
	}
	if (all)
		closedir(all);
	return found;
}

bool listener_find(const struct address *address, pid_t preferred, struct listener *listener)
{
	struct socket_row row;

	if (!find_row("/proc/net/tcp", address, &row) && !find_row("/proc/net/tcp6", address, &row))
		return false;
	listener->uid = (uid_t)row.uid;
	listener->pid = preferred > 0 && has_open(preferred, row.inode) ? preferred
	                                                                : find_process(row.inode);
	return true;
}
