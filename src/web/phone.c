/* phone.c - opening and closing the way in for devices. */
#include "web/phone.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/must.h"
#include "base/whole.h"
#include "config/check.h"
#include "config/config.h"
#include "config/ports.h"
#include "net/address.h"
#include "net/issue.h"
#include "net/listen.h"
#include "net/url.h"
#include "web/inside.h"
#include "web/listens.h"

#define PEM_MAX (64 * KIB)
#define HOST_MAX 256
#define NAME_MAX_LEN (HOST_MAX + 16) /* with brackets and a port */
#define SAVE_AGAIN_MS 5000
#define LOOK_MS 1000  /* how often, while a device has to be told that it was revoked */
#define LAPSE_MS 1000 /* a code has lapsed by then, whatever the clocks are apart */

bool phone_is_at(const struct web *web, const struct listen *listen)
{
	return web->phone.door && listen == listens_phone(web->phone.door);
}

struct text phone_voucher(const struct web *web)
{
	return text_of(web->phone.voucher);
}

void phone_forget(struct web *web)
{
	free(web->phone.voucher);
	web->phone.voucher = NULL;
	*web->phone.print = '\0';
}

void phone_finish(struct web *web)
{
	deadline_clear(&web->phone.unpaired);
	deadline_clear(&web->phone.untold);
	deadline_clear(&web->phone.unsaved);
	phone_forget(web);
}

/* ---- names ---- */

/* "box.example:7447" and "[::1]:7447" without the port, and the brackets. */
static void cut_host(const char *name, char host[HOST_MAX])
{
	const char *colon = strrchr(name, ':');
	size_t len = colon && !strchr(colon, ']') ? (size_t)(colon - name) : strlen(name);

	if (len > 1 && name[0] == '[' && name[len - 1] == ']')
		snprintf(host, HOST_MAX, "%.*s", (int)len - 2, name + 1);
	else
		snprintf(host, HOST_MAX, "%.*s", (int)len, name);
}

/* As a browser writes it. */
static void write_name(const char *host, unsigned port, char name[NAME_MAX_LEN])
{
	bool is_v6 = strchr(host, ':');
	size_t len;

	snprintf(name, NAME_MAX_LEN, is_v6 ? "[%s]" : "%s", host);
	len = strlen(name);
	if (port != URL_HTTPS_PORT)
		snprintf(name + len, NAME_MAX_LEN - len, ":%u", port);
}

static bool is_listed(const struct web *web, const char *name)
{
	const struct config_auth *auth = &web->options.config->auth;

	for (size_t i = 0; i < auth->host_count; i++)
		if (text_equal_nocase(text_of(auth->hosts[i]), text_of(name)))
			return true;
	return false;
}

/* The first of auth.hosts that is about this port. */
static const char *listed_for(const struct web *web, unsigned port)
{
	const struct config_auth *auth = &web->options.config->auth;
	char host[HOST_MAX], name[NAME_MAX_LEN];

	for (size_t i = 0; i < auth->host_count; i++) {
		cut_host(auth->hosts[i], host);
		write_name(host, port, name);
		if (strcmp(name, auth->hosts[i]) == 0)
			return auth->hosts[i];
	}
	return NULL;
}

static bool is_number(const char *host)
{
	char *numbers = must_print(strchr(host, ':') ? "[%s]:0" : "%s:0", host);
	struct address address;
	bool good = address_parse(&address, numbers, NULL);

	free(numbers);
	return good;
}

/* Could a listener be called so, whatever its port is?  Nothing is opened for a name that would be
 * refused. */
static bool could_be_wanted(const struct web *web, struct text wanted, struct error *why)
{
	const struct config_auth *auth = &web->options.config->auth;
	char host[HOST_MAX], listed[HOST_MAX];
	bool good;

	if (!check_host(wanted, why))
		return false;
	snprintf(host, HOST_MAX, "%.*s", TEXT_ARG(wanted));
	good = is_number(host);
	for (size_t i = 0; !good && i < auth->host_count; i++) {
		cut_host(auth->hosts[i], listed);
		good = text_equal_nocase(text_of(listed), text_of(host));
	}
	return good ||
	       error_set(why, "a Host '%s' would be refused: add it to auth.hosts, with the port",
	                 host);
}

static bool take_wanted(const struct web *web, const struct listen *listen, struct text wanted,
                        char host[HOST_MAX], struct error *why)
{
	char name[NAME_MAX_LEN];

	if (!check_host(wanted, why))
		return false;
	snprintf(host, HOST_MAX, "%.*s", TEXT_ARG(wanted));
	write_name(host, listen_port(listen), name);
	if (is_listed(web, name) || (phone_is_at(web, listen) && is_number(host)))
		return true;
	return error_set(why, "a Host '%s' would be refused: add it to auth.hosts", name);
}

/* By which name a device is to call the listener. */
static bool choose_host(const struct web *web, const struct listen *listen, struct text wanted,
                        char host[HOST_MAX], struct error *why)
{
	const char *listed = listed_for(web, listen_port(listen));

	if (wanted.len)
		return take_wanted(web, listen, wanted, host, why);
	if (listed)
		cut_host(listed, host);
	else if (!listen_is_any(listen))
		cut_host(listen_address(listen), host);
	else if (!phone_is_at(web, listen))
		return error_set(why, "auth.hosts has no name for %s", listen_address(listen));
	else if (!address_outward(host))
		return error_set(why, "this machine is in no network; --host names it");
	return true;
}

/* ---- the certificate ---- */

static void add_issue_name(struct issue_names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (strcmp(names->all[i], name) == 0)
			return;
	if (*name && names->count < ISSUE_NAMES)
		names->all[names->count++] = name;
}

/* Those of the old one are kept: devices call us by them. */
static bool make_certificate(const struct web *web, const char *path, const char *host,
                             struct error *why)
{
	const struct config_auth *auth = &web->options.config->auth;
	char listed[ISSUE_NAMES][HOST_MAX] = {""}, outward[ADDRESS_HOST_MAX] = "";
	struct issue_names names = {0};
	struct issue_kept kept;
	struct buf pem;
	bool good;

	add_issue_name(&names, host);
	if (address_outward(outward))
		add_issue_name(&names, outward);
	add_issue_name(&names, "localhost");
	add_issue_name(&names, "127.0.0.1");
	for (size_t i = 0; i < auth->host_count && i < ISSUE_NAMES; i++) {
		cut_host(auth->hosts[i], listed[i]);
		add_issue_name(&names, listed[i]);
	}
	issue_read_names(path, &kept);
	for (size_t i = 0; i < kept.count; i++)
		add_issue_name(&names, kept.all[i]);
	buf_init(&pem, PEM_MAX);
	good = issue_make(&names, &pem, why) && whole_replace(path, 0600, buf_text(&pem), why);
	whole_forget(&pem);
	if (good)
		log_info("web", "a certificate was made for %s: %s", host, path);
	return good;
}

static bool know_voucher(struct web *web, const char *path, struct error *why)
{
	struct buf pem;
	bool good;

	buf_init(&pem, PEM_MAX);
	good = issue_voucher(path, &pem, web->phone.print, why);
	free(web->phone.voucher);
	web->phone.voucher = good ? text_dup(buf_text(&pem)) : NULL;
	buf_finish(&pem);
	return good;
}

/* ---- the listener ---- */

/* Of the configuration. */
static const struct listen *find_listed(const struct web *web)
{
	const struct config *config = web->options.config;

	for (size_t i = 0; i < web->listen_count && i < config->listen_count; i++)
		if (ports_let_devices_in(config, &config->listen[i]))
			return web->listens[i];
	return NULL;
}

static bool open_with(struct web *web, const char *path, struct error *why)
{
	if (!know_voucher(web, path, why) || !listens_open_phone(web->phone.door, path, why))
		return false;
	return listens_write(web->phone.door, why);
}

/* A certificate that is not over is as good as another as long as nobody is to call us by a name
 * that is not in it. */
static bool open_as_it_is(struct web *web, const char *path, struct error *why)
{
	if (listens_phone(web->phone.door))
		return true;
	if (!issue_lasts(path) && !make_certificate(web, path, "localhost", why))
		return false;
	return open_with(web, path, why);
}

/* Then a new one is made, and devices that trusted the old one have to be told. */
static bool open_for(struct web *web, const char *path, const char *host, struct error *why)
{
	if (issue_is_good(path, host))
		return true;
	return make_certificate(web, path, host, why) && open_with(web, path, why);
}

/* The host is known when the listener is, and the certificate is for the host. */
static const struct listen *open_phone(struct web *web, struct text wanted, char host[HOST_MAX],
                                       struct error *why)
{
	const struct listen *listen = find_listed(web);
	char *path;
	bool good;

	if (listen)
		return choose_host(web, listen, wanted, host, why) ? listen : NULL;
	if (wanted.len && !could_be_wanted(web, wanted, why))
		return NULL;
	path = must_print("%s/phone.pem", web->options.config->data);
	good = open_as_it_is(web, path, why) &&
	       choose_host(web, listens_phone(web->phone.door), wanted, host, why) &&
	       open_for(web, path, host, why);
	free(path);
	return good ? listens_phone(web->phone.door) : NULL;
}

/* Of the certificate that is there, whether it is in use or not; empty: none is. */
static void read_print(const struct web *web, char print[ISSUE_PRINT_LEN + 1])
{
	char *path = must_print("%s/phone.pem", web->options.config->data);
	struct error why;
	struct buf pem;

	*print = '\0';
	buf_init(&pem, PEM_MAX);
	issue_voucher(path, &pem, print, &why);
	buf_finish(&pem);
	free(path);
}

bool phone_invite(struct web *web, const struct device_wish *wish, struct text host,
                  struct phone_invitation *out, struct error *why)
{
	char chosen[HOST_MAX] = "", name[NAME_MAX_LEN], code[TOKEN_LEN + 1];
	char before[ISSUE_PRINT_LEN + 1];
	const struct listen *listen;

	*out = (struct phone_invitation){0};
	read_print(web, before);
	listen = open_phone(web, host, chosen, why);
	if (!listen) {
		phone_lost_one(web);
		return false;
	}
	passes_give_code(web->passes, wish, clock_wall_ms(), code);
	write_name(chosen, listen_port(listen), name);
	snprintf(out->url, PHONE_URL_MAX, "https://%s/#t=%s", name, code);
	explicit_bzero(code, sizeof(code));
	if (phone_is_at(web, listen)) {
		memcpy(out->print, web->phone.print, sizeof(out->print));
		out->print_changed = *before && strcmp(before, out->print) != 0;
	}
	deadline_set(web->options.loop, &web->phone.unpaired, SESSION_CODE_MS + LAPSE_MS);
	return true;
}

static bool open_for_paired(struct web *web, struct error *why)
{
	const struct listen *listen = find_listed(web);
	char host[HOST_MAX] = "", *path;
	bool good;

	if (listen)
		return choose_host(web, listen, (struct text){0}, host, why);
	path = must_print("%s/phone.pem", web->options.config->data);
	good = open_as_it_is(web, path, why);
	free(path);
	return good;
}

void phone_start(struct web *web)
{
	struct error why;

	if (devices_count(web->devices) == 0 || !web->phone.door || listens_phone(web->phone.door))
		return;
	if (!open_for_paired(web, &why))
		log_warn("web", "paired devices cannot come in: %s", why.words);
}

static void save_again(struct deadline *deadline)
{
	struct web *web = list_of(deadline, struct web, phone.unsaved);
	struct error why;

	if (!devices_owe(web->devices))
		return;
	if (devices_pay(web->devices, &why))
		log_info("web", "that a device was revoked is on the disk now");
	else
		deadline_set(web->options.loop, &web->phone.unsaved, SAVE_AGAIN_MS);
}

/* Unless somebody is to come in there, or to be told that it may not. */
void phone_told_one(struct web *web)
{
	int64_t now_ms = clock_wall_ms();
	struct error why;

	if (devices_count(web->devices) > 0 || passes_await_device(web->passes, now_ms) ||
	    !listens_phone(web->phone.door))
		return;
	if (devices_owe_word(web->devices, now_ms)) {
		deadline_set(web->options.loop, &web->phone.untold, LOOK_MS);
		return;
	}
	listens_close_phone(web->phone.door);
	if (!listens_write(web->phone.door, &why))
		log_warn("web", "%s", why.words);
}

static void look_again(struct deadline *deadline)
{
	phone_told_one(list_of(deadline, struct web, phone.untold));
}

void phone_lost_one(struct web *web)
{
	web->phone.unsaved.fire = save_again;
	web->phone.untold.fire = look_again;
	if (devices_owe(web->devices))
		deadline_set(web->options.loop, &web->phone.unsaved, SAVE_AGAIN_MS);
	phone_told_one(web);
}

void phone_is_late(struct deadline *deadline)
{
	struct web *web = list_of(deadline, struct web, phone.unpaired);

	phone_lost_one(web);
	if (passes_await_device(web->passes, clock_wall_ms())) /* the clock was set back */
		deadline_set(web->options.loop, &web->phone.unpaired, SESSION_CODE_MS + LAPSE_MS);
}
