/* listens.c - where the box listens: what the configuration says, then the Unix socket.
 *
 * When the configuration is another one, all that can fail is done first, as a plan, and
 * then followed in one go.  A listener whose address stays is the same one as before, with
 * another certificate perhaps.  One that is gone accepts no more; who came through it stays.
 */
#include "net/listen.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/log.h"
#include "base/must.h"
#include "box/parts.h"
#include "config/config.h"
#include "config/trust.h"
#include "net/address.h"
#include "net/supervisor.h"
#include "net/tls.h"
#include "web/web.h"

#define FD_RESERVE 16 /* for the journal and what is opened for a moment */

/* --- one listener -------------------------------------------------------------- */

static void accepted(void *self, struct listen *listen, int fd)
{
	web_accepted(((struct box *)self)->web, listen, fd);
}

/* Takes tls, which may be NULL. */
static struct listen *open_one(struct box *box, const char *address, struct tls_context *tls,
                               struct error *why)
{
	int handed = supervisor_find(&box->handed, address);
	struct listen_options o = {
		.address = address,
		.socket = handed > 0 ? handed : 0,
		.seats = &box->seats,
		.tls = tls,
		.accepted = accepted,
		.self = box,
	};
	struct listen *listen = listen_create(box->loop, &o, why);

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
static struct listen *find_open(const struct box *box, const struct listen_plan *plan,
                                const char *address)
{
	for (size_t i = 0; box->listens && i < box->config->listen_count; i++)
		if (strcmp(box->config->listen[i].address, address) == 0 &&
		    !is_planned(plan, box->listens[i]))
			return box->listens[i];
	return NULL;
}

/* The next one of the plan. */
static bool plan_one(struct box *box, struct listen_plan *plan, const struct config_listen *row,
                     struct error *why)
{
	struct planned *planned = &plan->each[plan->count];
	struct tls_context *tls;

	if (!load_tls(row, &tls, why))
		return false;
	planned->listen = find_open(box, plan, row->address);
	planned->stays = planned->listen != NULL;
	if (planned->stays)
		planned->tls = tls;
	else
		planned->listen = open_one(box, row->address, tls, why);
	return planned->listen != NULL;
}

void box_drop_plan(struct listen_plan *plan)
{
	for (size_t i = 0; plan && i < plan->count; i++) {
		tls_context_destroy(plan->each[i].tls);
		if (!plan->each[i].stays)
			listen_destroy(plan->each[i].listen);
	}
	free(plan);
}

struct listen_plan *box_plan_listens(struct box *box, const struct config *config,
                                     struct error *why)
{
	struct listen_plan *plan =
		must_zero(1, sizeof(*plan) + config->listen_count * sizeof(*plan->each));

	for (; plan->count < config->listen_count; plan->count++) {
		if (plan_one(box, plan, &config->listen[plan->count], why))
			continue;
		box_drop_plan(plan);
		return NULL;
	}
	return plan;
}

/* It accepts no more, and lasts as long as those who came through it. */
static void retire(struct box *box, struct listen *listen)
{
	size_t room = (box->retired_count + 1) * sizeof(struct listen *);

	listen_stop(listen);
	web_renew_sessions(box->web);
	box->retired = must_grow(box->retired, room);
	box->retired[box->retired_count++] = listen;
}

void box_follow_plan(struct box *box, struct listen_plan *plan)
{
	size_t last = box->listen_count - 1; /* the Unix socket */
	struct listen **fresh = must_zero(plan->count + 1, sizeof(*fresh));

	for (size_t i = 0; i < plan->count; i++) {
		fresh[i] = plan->each[i].listen;
		if (plan->each[i].stays)
			listen_renew(fresh[i], plan->each[i].tls);
	}
	fresh[plan->count] = box->listens[last];
	for (size_t i = 0; i < last; i++)
		if (!is_planned(plan, box->listens[i]))
			retire(box, box->listens[i]);
	free(box->listens);
	box->listens = fresh;
	box->listen_count = plan->count + 1;
	free(plan);
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
static unsigned allowed_conns(const struct box *box)
{
	unsigned wanted = box->config->limits.connections;
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

bool box_write_addresses(struct box *box, struct error *why)
{
	char *path = must_print("%s/listen", box->config->data);
	char *fresh = must_print("%s/listen.new", box->config->data);
	FILE *out = fopen(fresh, "we");
	bool ok = out != NULL;

	for (size_t i = 0; out && i < box->listen_count; i++)
		fprintf(out, "%s\n", listen_address(box->listens[i]));
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

bool box_check_listens(const struct config *config, struct error *why)
{
	char *address = unix_address(config);
	struct address parsed;
	bool good = address_parse(&parsed, address, why);

	for (size_t i = 0; good && i < config->listen_count; i++)
		good = check_one(&config->listen[i], why);
	free(address);
	return good;
}

static bool open_unix(struct box *box, struct error *why)
{
	char *address = unix_address(box->config);

	box->listens = must_zero(1, sizeof(*box->listens));
	box->listens[0] = open_one(box, address, NULL, why);
	box->listen_count = box->listens[0] ? 1 : 0;
	free(address);
	return box->listen_count == 1;
}

static void warn(void *self, const char *words)
{
	log_warn("box", "%s", words);
}

void box_warn_of_trust(const struct box *box)
{
	trust_each(box->config, warn, NULL);
}

bool box_open_listens(struct box *box, struct error *why)
{
	struct listen_plan *plan;

	seats_init(&box->seats, box->loop, allowed_conns(box));
	inputs_set_max(&box->seats.inputs, box->config->limits.unfinished);
	plan = box_plan_listens(box, box->config, why);
	if (!plan)
		return false;
	if (!open_unix(box, why)) {
		box_drop_plan(plan);
		return false;
	}
	supervisor_close(&box->handed);
	box_follow_plan(box, plan);
	web_set_listens(box->web, box->listens, box->listen_count);
	box_warn_of_trust(box);
	return box_write_addresses(box, why);
}

void box_stop_listens(struct box *box)
{
	for (size_t i = 0; i < box->listen_count; i++)
		listen_stop(box->listens[i]);
}

void box_destroy_listens(struct box *box)
{
	for (size_t i = 0; i < box->listen_count; i++)
		listen_destroy(box->listens[i]);
	for (size_t i = 0; i < box->retired_count; i++)
		listen_destroy(box->retired[i]);
	free(box->listens);
	free(box->retired);
	if (box->seats.loop)
		seats_finish(&box->seats);
}
