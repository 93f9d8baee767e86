/* doctor_port.c - who listens where: the addresses of the configuration, those of the box
 * that runs, its Unix socket, and what they show as certificates. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/must.h"
#include "cli/check.h"
#include "cli/doctor.h"
#include "cli/listener.h"
#include "config/ports.h"
#include "config/trust.h"
#include "net/address.h"
#include "net/cert.h"

#define LISTEN_MAX (4 * KIB) /* of DATA/listen */
#define DAY_S (24 * 3600)
#define SOON_DAYS 30 /* a certificate that ends before is worth a word */

/* ---- the addresses that are wanted ---- */

/* 0, or errno: could it be bound?  It is not listened on, so nobody can come. */
static int try_bind(const struct address *address)
{
	const struct sockaddr *sa = &address->sa.any;
	socklen_t len = sa->sa_family == AF_INET ? sizeof(address->sa.v4) : sizeof(address->sa.v6);
	int fd = socket(sa->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1, failure = 0;

	if (fd < 0)
		return errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (sa->sa_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	if (bind(fd, sa, len) != 0)
		failure = errno;
	close(fd);
	return failure;
}

/* A box with a user namespace of its own, as the system's unit has it, does not let even its
 * own user see what it holds. */
static bool is_hidden_box(const struct doctor *d, const struct listener *holder)
{
	char *process = must_print("/proc/%d", (int)d->box), to;
	char *program = must_print("%s/exe", process); /* whoever sees this sees the other links */
	struct stat st;
	bool is_its_user = d->box > 0 && stat(process, &st) == 0 && st.st_uid == holder->uid;
	bool is_seen = readlink(program, &to, 1) >= 0;

	free(program);
	free(process);
	return is_its_user && !is_seen;
}

static void tell_holder(struct doctor *d, const char *words, const struct listener *holder)
{
	char name[PROCESS_NAME_ROOM];

	if (holder->pid == 0 && is_hidden_box(d, holder)) {
		doctor_say(d, HEALTH_OK, "%s is held by uid %u, as which the box runs", words,
		           (unsigned)holder->uid);
		return;
	}
	if (holder->pid == 0) {
		doctor_say(d, HEALTH_BAD, "%s is held by a process of uid %u", words,
		           (unsigned)holder->uid);
		doctor_advise(d, "have it stopped, or choose another address with --listen");
		return;
	}
	doctor_process_name(holder->pid, name);
	if (holder->pid == d->box) {
		doctor_say(d, HEALTH_OK, "%s is the box's: %s, pid %d", words, name,
		           (int)holder->pid);
		return;
	}
	if (strcmp(name, "systemd") == 0) {
		doctor_say(d, HEALTH_OK, "%s is held by systemd, to hand it over", words);
		return;
	}
	doctor_say(d, HEALTH_BAD, "%s is held by %s, pid %d", words, name, (int)holder->pid);
	doctor_advise(d, "`kill %d`, or choose another address with --listen", (int)holder->pid);
}

static void look_at_address(struct doctor *d, const char *words)
{
	struct address address;
	struct listener holder;
	int failure;

	if (!address_parse(&address, words, NULL))
		return; /* then the configuration is not good, and that was said */
	failure = address_port(&address) ? try_bind(&address) : 0;
	if (failure == EADDRINUSE && listener_find(&address, d->box, &holder)) {
		tell_holder(d, words, &holder);
	} else if (failure) {
		doctor_say(d, HEALTH_BAD, "%s cannot be had: %s", words, strerror(failure));
		doctor_advise(d, failure == EACCES ? "choose a port above 1023 with --listen"
		                                   : "choose another address with --listen");
	} else {
		doctor_say(d, HEALTH_OK, "%s is %s", words,
		           address_port(&address) ? "free" : "any that is free");
	}
}

void doctor_port(struct doctor *d)
{
	for (size_t i = 0; i < d->config->listen_count; i++)
		look_at_address(d, d->config->listen[i].address);
}

/* ---- what they let be decided without a token ---- */

static void doubt(void *self, const char *words)
{
	doctor_say(self, HEALTH_WARN, "%s", words);
	doctor_advise(self, "take answer and control out of it, and give the screen a token");
}

void doctor_trust(struct doctor *d)
{
	size_t before = d->count;

	trust_each(d->config, doubt, d);
	if (d->count == before)
		doctor_say(d, HEALTH_OK, "without a credential nobody answers or controls");
}

/* ---- the box that runs ---- */

static bool answers(const char *path)
{
	struct address address;
	char *words = must_print("unix:%s", path);
	bool good = address_parse(&address, words, NULL);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	good = good && fd >= 0 &&
	       (connect(fd, &address.sa.any, sizeof(address.sa.local)) == 0 || errno == EAGAIN);
	if (fd >= 0)
		close(fd);
	free(words);
	return good;
}

static void look_at_sock(struct doctor *d)
{
	char *path = must_print("%s/sock", d->config->data);
	bool alive = answers(path);

	if (doctor_is_hidden(path)) {
		doctor_say(d, HEALTH_BAD, "%s: %s", path, strerror(errno));
		doctor_advise(d, "mend the way there, or choose another place with --data");
	} else if (alive && !d->box) {
		doctor_say(d, HEALTH_BAD, "%s is answered, but no box has DATA/lock", path);
		doctor_advise(d, "`fuser %s` says who; stop it and remove the file", path);
	} else if (!alive && d->box) {
		doctor_say(d, HEALTH_BAD, "a box runs, but nobody answers at %s", path);
		doctor_advise(d, "start the box again");
	} else {
		doctor_say(d, HEALTH_OK, alive ? "%s is answered" : "%s: no box runs", path);
	}
	free(path);
}

/* Where the box says that it listens: does it? */
static void look_at_claim(struct doctor *d, const char *words)
{
	struct listener holder = {0};
	struct address address;

	if (!address_parse(&address, words, NULL))
		return;
	if (!listener_find(&address, d->box, &holder)) {
		doctor_say(d, HEALTH_BAD, "the box does not listen on %s any more", words);
		doctor_advise(d, "start the box again");
	} else if (d->box > 0 && holder.pid != d->box) {
		tell_holder(d, words, &holder);
	} else {
		doctor_say(d, HEALTH_OK, "the box listens on %s", words);
	}
}

static void look_at_claims(struct doctor *d)
{
	char *path = must_print("%s/listen", d->config->data);
	FILE *in = fopen(path, "re");
	char bytes[LISTEN_MAX];
	struct text rest = {bytes, in ? fread(bytes, 1, sizeof(bytes), in) : 0};

	while (rest.len) {
		struct text line = text_cut(rest, '\n', &rest);
		char *words = text_dup(line);

		if (line.len && !text_starts(line, TEXT("unix:")))
			look_at_claim(d, words);
		free(words);
	}
	if (in)
		fclose(in);
	free(path);
}

void doctor_sockets(struct doctor *d)
{
	look_at_sock(d);
	if (d->box)
		look_at_claims(d);
}

/* ---- certificates ---- */

static void look_at_span(struct doctor *d, const char *cert)
{
	struct cert_span span;

	if (!cert_read(cert, &span, NULL))
		return; /* it went between two looks */
	if (span.ends_s < 0)
		doctor_say(d, HEALTH_BAD, "%s ended %lld days ago", cert,
		           -(long long)span.ends_s / DAY_S);
	else if (span.begins_s > 0)
		doctor_say(d, HEALTH_BAD, "%s is not good before %lld days from now", cert,
		           (long long)span.begins_s / DAY_S + 1);
	else
		doctor_say(d, span.ends_s < (int64_t)SOON_DAYS * DAY_S ? HEALTH_WARN : HEALTH_OK,
		           "%s is good for %lld more days", cert, (long long)span.ends_s / DAY_S);
	if (span.ends_s < (int64_t)SOON_DAYS * DAY_S || span.begins_s > 0)
		doctor_advise(d, "renew it; SIGHUP has the box show the new one");
}

void doctor_tls(struct doctor *d)
{
	unsigned count = 0;

	for (size_t i = 0; i < d->config->listen_count; i++) {
		const struct config_listen *listen = &d->config->listen[i];
		struct error why;

		if (!listen->cert)
			continue;
		count++;
		if (check_pair(listen, &why)) {
			look_at_span(d, listen->cert);
			continue;
		}
		doctor_say(d, HEALTH_BAD, "%s: %s", listen->address, why.words);
		doctor_advise(d, "give it a certificate and the key that belongs to it");
	}
	if (count == 0)
		doctor_say(d, HEALTH_OK, "no listener speaks it");
}

/* ---- the way in for devices ---- */

static void tell_clash(void *self, const char *words)
{
	doctor_say(self, HEALTH_WARN, "%s", words);
	doctor_advise(self, "set phone.listen to another port");
}

/* The box makes another when this one is no good, so that it is no more than a warning. */
static void look_at_phone_pem(struct doctor *d, const char *pem)
{
	const struct config_listen listen = {.cert = (char *)pem, .key = (char *)pem};
	struct cert_span span = {0};
	struct error why;
	bool good = check_pair(&listen, &why);

	if (!good)
		doctor_say(d, HEALTH_WARN, "%s: %s", pem, why.words);
	else if (!cert_read(pem, &span, NULL))
		return; /* it went between two looks */
	else if (span.ends_s < 0)
		doctor_say(d, HEALTH_WARN, "%s ended %lld days ago", pem,
		           -(long long)span.ends_s / DAY_S);
	else
		doctor_say(d, span.ends_s < (int64_t)SOON_DAYS * DAY_S ? HEALTH_WARN : HEALTH_OK,
		           "%s is good for %lld more days", pem, (long long)span.ends_s / DAY_S);
	if (!good || span.ends_s < (int64_t)SOON_DAYS * DAY_S)
		doctor_advise(
			d, "remove it and restart the box, which makes another one if a device is "
			   "paired; devices that trusted this one have to trust that");
}

void doctor_phone(struct doctor *d)
{
	char *pem = must_print("%s/phone.pem", d->config->data);
	size_t before = d->count;

	ports_each_clash(d->config, tell_clash, d);
	if (access(pem, F_OK) == 0)
		look_at_phone_pem(d, pem);
	if (d->count == before)
		doctor_say(d, HEALTH_OK, "no certificate was made for devices yet");
	free(pem);
}
