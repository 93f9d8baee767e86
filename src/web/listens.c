/* listens.c - where requests come in, and how that changes under way. */
#include "web/listens.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/log.h"
#include "base/must.h"
#include "config/check.h"
#include "config/config.h"
#include "config/ports.h"
#include "config/trust.h"
#include "net/address.h"
#include "net/listen.h"
#include "net/seats.h"
#include "net/supervisor.h"
#include "net/tls.h"
#include "net/url.h"
#include "web/inside.h"
#include "web/phone.h"
#include "web/seats.h"

#define FD_RESERVE 16 /* for the journal and what is opened for a moment */

struct listens {
	struct web *web;
	struct loop *loop;
	const struct config *config;
	struct supervisor_sockets *handed; /* while it opens */
	/* As in the configuration, then the Unix socket, then the one of devices if it is open. */
	struct listen **each;
	size_t count;
	struct listen *phone;
	struct listen **retired; /* that were in it once */
	size_t retired_count;
	struct seats seats;
};

/* --- one listener -------------------------------------------------------------- */

static void accepted(void *self, struct listen *listen, int fd)
{
	web_accepted(((struct listens *)self)->web, listen, fd);
}

/* Takes tls, which may be NULL. */
static struct listen *open_one(struct listens *l, const char *address, struct tls_context *tls,
                               struct error *why)
{
	int handed = l->handed ? supervisor_find(l->handed, address) : -1;
	struct listen_options o = {
		.address = address,
		.socket = handed > 0 ? handed : 0,
		.seats = &l->seats,
		.tls = tls,
		.accepted = accepted,
		.self = l,
	};
	struct listen *listen = listen_create(l->loop, &o, why);

	if (!listen)
		tls_context_destroy(tls);
	return listen;
}

static bool load_tls(const struct config_listen *row, struct tls_context **tls, struct error *why)
{
	*tls = row->cert ? tls_context_server(row->cert, row->key, why) : NULL;
	return *tls || !row->cert;
}

/* --- a plan ---------------------------------------------------------------------- */

struct listen_plan {
	const struct config *config;
	size_t count;
	struct planned {
		struct listen *listen;
		struct tls_context *tls; /* of one that stays: its next */
		bool stays;
	} each[];
};

static bool is_planned(const struct listen_plan *plan, const struct listen *listen)
{
	for (size_t i = 0; i < plan->count; i++)
		if (plan->each[i].listen == listen)
			return true;
	return false;
}

/* The one that listens there already, and was so written.  Where two were written alike
 * (port 0 is any), each is found once. */
static struct listen *find_open(const struct listens *l, const struct listen_plan *plan,
                                const char *address)
{
	for (size_t i = 0; l->each && i < l->config->listen_count; i++)
		if (strcmp(l->config->listen[i].address, address) == 0 &&
		    !is_planned(plan, l->each[i]))
			return l->each[i];
	return NULL;
}

/* Devices come in where the configuration has a listener of its own now: it is found, and they
 * stay.  One that is in the way of it cannot be opened while they come in. */
static bool find_at_phone(const struct listens *l, const struct config_listen *row,
                          struct listen **found, struct error *why)
{
	const char *at = l->phone ? listen_address(l->phone) : "";

	if (!l->phone || !ports_clash(row->address, at))
		return true;
	if (!row->cert || !check_is_same_address(row->address, at))
		return error_set(why,
		                 "%s: devices come in at %s (phone.listen): give it that address "
		                 "and a certificate, or another port",
		                 row->address, at);
	*found = l->phone;
	return true;
}

/* The next one of the plan. */
static bool plan_one(struct listens *l, struct listen_plan *plan, const struct config_listen *row,
                     struct error *why)
{
	struct planned *planned = &plan->each[plan->count];
	struct tls_context *tls;

	planned->listen = find_open(l, plan, row->address);
	if ((!planned->listen && !find_at_phone(l, row, &planned->listen, why)) ||
	    !load_tls(row, &tls, why))
		return false;
	planned->stays = planned->listen != NULL;
	if (planned->stays)
		planned->tls = tls;
	else
		planned->listen = open_one(l, row->address, tls, why);
	return planned->listen != NULL;
}

void listens_drop(struct listen_plan *plan)
{
	for (size_t i = 0; plan && i < plan->count; i++) {
		tls_context_destroy(plan->each[i].tls);
		if (!plan->each[i].stays)
			listen_destroy(plan->each[i].listen);
	}
	free(plan);
}

struct listen_plan *listens_plan(struct listens *l, const struct config *config, struct error *why)
{
	struct listen_plan *plan =
		must_zero(1, sizeof(*plan) + config->listen_count * sizeof(*plan->each));

	plan->config = config;
	for (; plan->count < config->listen_count; plan->count++) {
		if (plan_one(l, plan, &config->listen[plan->count], why))
			continue;
		listens_drop(plan);
		return NULL;
	}
	return plan;
}

/* It accepts no more, and lasts as long as those who came through it. */
static void retire(struct listens *l, struct listen *listen)
{
	size_t room = (l->retired_count + 1) * sizeof(struct listen *);

	listen_stop(listen);
	if (!listen_is_secure(listen)) /* who takes the port next has no certificate of ours */
		web_renew_sessions(l->web);
	l->retired = must_grow(l->retired, room);
	l->retired[l->retired_count++] = listen;
}

static void warn(void *self, const char *words)
{
	log_warn("box", "%s", words);
}

/* ---- where devices come in ---- */

struct listen *listens_phone(const struct listens *l)
{
	return l->phone;
}

bool listens_open_phone(struct listens *l, const char *pem, struct error *why)
{
	struct tls_context *tls = tls_context_server(pem, pem, why);

	if (!tls)
		return false;
	if (l->phone) {
		listen_renew(l->phone, tls);
		return true;
	}
	l->phone = open_one(l, l->config->phone.listen, tls, why);
	if (!l->phone)
		return error_within(why, "phone.listen");
	l->each = must_grow(l->each, (l->count + 1) * sizeof(*l->each));
	l->each[l->count++] = l->phone;
	web_set_listens(l->web, l->each, l->count);
	log_info("web", "devices come in at %s", listen_address(l->phone));
	return true;
}

void listens_close_phone(struct listens *l)
{
	if (!l->phone)
		return;
	log_info("web", "no device comes in at %s any more", listen_address(l->phone));
	retire(l, l->phone);
	l->phone = NULL;
	phone_forget(l->web);
	l->count--;
	web_set_listens(l->web, l->each, l->count);
}

/* It is a listener of the configuration from now on. */
static void give_phone(struct listens *l)
{
	log_info("web", "devices come in at %s, as listed", listen_address(l->phone));
	l->phone = NULL;
	phone_forget(l->web);
}

/* Another address in the configuration: it is opened there when it is wanted next. */
static void move_phone(struct listens *l, const struct config *config)
{
	if (l->phone && strcmp(l->config->phone.listen, config->phone.listen) != 0)
		listens_close_phone(l);
}

void listens_end_owned(struct listens *l, uint64_t owner)
{
	for (size_t i = 0; i < l->count; i++)
		listen_end_owned(l->each[i], owner);
	for (size_t i = 0; i < l->retired_count; i++)
		listen_end_owned(l->retired[i], owner);
}

void listens_follow(struct listens *l, struct listen_plan *plan)
{
	size_t last = l->count - 1 - (l->phone != NULL); /* the Unix socket */
	struct listen **fresh = must_zero(plan->count + 2, sizeof(*fresh));

	for (size_t i = 0; i < plan->count; i++) {
		fresh[i] = plan->each[i].listen;
		if (plan->each[i].stays)
			listen_renew(fresh[i], plan->each[i].tls);
	}
	if (l->phone && is_planned(plan, l->phone))
		give_phone(l);
	fresh[plan->count] = l->each[last];
	fresh[plan->count + 1] = l->phone;
	for (size_t i = 0; i < last; i++)
		if (!is_planned(plan, l->each[i]))
			retire(l, l->each[i]);
	free(l->each);
	l->each = fresh;
	l->count = plan->count + 1 + (l->phone != NULL);
	move_phone(l, plan->config);
	l->config = plan->config;
	inputs_set_max(&l->seats.inputs, l->config->limits.unfinished);
	web_set_listens(l->web, l->each, l->count);
	trust_each(l->config, warn, NULL);
	ports_each_clash(l->config, warn, NULL);
	free(plan);
	phone_start(l->web);
}

/* --- the first time ---------------------------------------------------------------- */

static unsigned open_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned n = 0;

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n;
}

/* As many connections as are wanted and as descriptors allow: what is open now
 * stays open, and the journal needs some for its segments. */
static unsigned allowed_conns(const struct listens *l)
{
	unsigned wanted = l->config->limits.connections;
	rlim_t kept = open_descriptors() + FD_RESERVE;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return wanted;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	if (limit.rlim_cur <= kept)
		return 1;
	return wanted < limit.rlim_cur - kept ? wanted : (unsigned)(limit.rlim_cur - kept);
}

bool listens_write(const struct listens *l, struct error *why)
{
	char *path = must_print("%s/listen", l->config->data);
	char *fresh = must_print("%s/listen.new", l->config->data);
	FILE *out = fopen(fresh, "we");
	bool ok = out != NULL;

	for (size_t i = 0; out && i < l->count; i++)
		fprintf(out, "%s\n", listen_address(l->each[i]));
	if (out && fclose(out) != 0)
		ok = false;
	if (!ok || rename(fresh, path) != 0)
		ok = error_errno(why, "%s", path);
	free(path);
	free(fresh);
	return ok;
}

static char *unix_address(const struct config *config)
{
	return must_print("unix:%s/sock", config->data);
}

static bool check_one(const struct config_listen *row, struct error *why)
{
	struct tls_context *tls;
	bool good = load_tls(row, &tls, why);

	tls_context_destroy(tls);
	return good || error_within(why, "%s", row->address);
}

bool listens_check(const struct config *config, struct error *why)
{
	char *address = unix_address(config);
	struct address parsed;
	bool good = address_parse(&parsed, address, why);

	for (size_t i = 0; good && i < config->listen_count; i++)
		good = check_one(&config->listen[i], why);
	free(address);
	return good;
}

static bool open_unix(struct listens *l, struct error *why)
{
	char *address = unix_address(l->config);

	l->each = must_zero(1, sizeof(*l->each));
	l->each[0] = open_one(l, address, NULL, why);
	l->count = l->each[0] ? 1 : 0;
	free(address);
	return l->count == 1;
}

static bool open_all(struct listens *l, struct error *why)
{
	struct listen_plan *plan = listens_plan(l, l->config, why);

	if (!plan)
		return false;
	if (!open_unix(l, why)) {
		listens_drop(plan);
		return false;
	}
	supervisor_close(l->handed);
	l->handed = NULL;
	listens_follow(l, plan);
	return listens_write(l, why);
}

struct listens *listens_open(struct web *web, struct loop *loop, const struct config *config,
                             struct supervisor_sockets *handed, struct error *why)
{
	struct listens *l = must_zero(1, sizeof(*l));

	l->web = web;
	l->loop = loop;
	l->config = config;
	l->handed = handed;
	web->phone.door = l;
	seats_init(&l->seats, loop, allowed_conns(l));
	if (open_all(l, why))
		return l;
	web_set_listens(web, NULL, 0);
	web->phone.door = NULL;
	listens_destroy(l);
	return NULL;
}

void listens_stop(struct listens *l)
{
	for (size_t i = 0; l && i < l->count; i++)
		listen_stop(l->each[i]);
}

void listens_destroy(struct listens *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->count; i++)
		listen_destroy(l->each[i]);
	for (size_t i = 0; i < l->retired_count; i++)
		listen_destroy(l->retired[i]);
	free(l->each);
	free(l->retired);
	seats_finish(&l->seats);
	free(l);
}

/* --- who asks of them ----------------------------------------------------------- */

const struct listen *listens_first(const struct listens *l)
{
	size_t first = 0; /* or the Unix socket, behind them */

	while (first < l->config->listen_count && l->config->listen[first].source)
		first++;
	return l->each[first];
}

const struct config_listen *listens_row(const struct listens *l, const struct listen *listen)
{
	for (size_t i = 0; i < l->config->listen_count; i++)
		if (l->each[i] == listen)
			return &l->config->listen[i];
	return NULL;
}

static bool is_at(const struct url *url, const char *address)
{
	struct address at;

	/* A Unix socket has no port, and a port that the kernel is to choose is none yet. */
	return address_parse(&at, address, NULL) && address_port(&at) == url->port;
}

bool web_leads_home(const struct web *web, const struct config *config, struct text url,
                    struct error *why)
{
	struct url to;
	bool is_home = false;

	if (!url_parse(&to, url, NULL) || !url_is_loopback(&to))
		return false;
	for (size_t i = 0; web && i < web->listen_count; i++)
		is_home |= is_at(&to, listen_address(web->listens[i]));
	for (size_t i = 0; i < config->listen_count; i++)
		is_home |= is_at(&to, config->listen[i].address);
	return is_home && !error_set(why, "%s is this box itself", to.host);
}

void listens_metrics(const struct listens *l, struct buf *out)
{
	web_add_seats(out, &l->seats);
}
