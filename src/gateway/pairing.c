/* pairing.c - the devices, those that wait, and what becomes of them. */
#include "gateway/pairing.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/must.h"
#include "gateway/inside.h"
#include "gateway/pair_tell.h"
#include "gateway/tokens.h"
#include "net/loop.h"

#define SAVE_MS 1000 /* several that come at once are written together */
#define SAVE_AGAIN_MS 10000
#define ENDED "gateway auth changed"
#define LAPSE_MS 1000     /* between two looks at those that wait */
#define REMOVED_CODE 4001 /* as the gateways of this protocol have it */

struct gateway_pairing {
	struct gateway *gateway;
	struct gateway_devices *devices; /* NULL: the file is not good, and nobody is paired */
	struct gateway_waiting waiting[GATEWAY_WAITING_MAX];
	size_t waiting_count;
	struct deadline lapse, save;
	bool is_saving; /* the deadline is set */
};

bool gateway_pairing_is_on(const struct gateway *g)
{
	return g->options.config->pairing == GATEWAY_PAIRING_ON && g->pairing->devices;
}

struct gateway_devices *gateway_pairing_devices(struct gateway *g)
{
	return gateway_pairing_is_on(g) ? g->pairing->devices : NULL;
}

const struct gateway_waiting *gateway_pairing_at(const struct gateway *g, size_t i)
{
	return i < g->pairing->waiting_count ? &g->pairing->waiting[i] : NULL;
}

/* ---- the disk ---- */

static void save_within(struct gateway_pairing *p, unsigned ms)
{
	if (p->is_saving)
		return;
	p->is_saving = true;
	deadline_set(p->gateway->options.loop, &p->save, ms);
}

static bool save_now(struct gateway_pairing *p, struct error *why)
{
	if (gateway_devices_save(p->devices, why))
		return true;
	log_error("gateway", "%s", why->words);
	save_within(p, SAVE_AGAIN_MS);
	return false;
}

static void save_is_due(struct deadline *deadline)
{
	struct gateway_pairing *p = list_of(deadline, struct gateway_pairing, save);
	struct error why;

	p->is_saving = false;
	save_now(p, &why);
}

/* ---- those that wait ---- */

static void drop_waiting(struct gateway_pairing *p, size_t i, const char *decision)
{
	struct gateway_waiting gone = p->waiting[i];

	p->waiting_count--;
	memmove(&p->waiting[i], &p->waiting[i + 1], (p->waiting_count - i) * sizeof(*p->waiting));
	gateway_tell_resolved(p->gateway, gone.id, gone.self.id, decision);
}

static void drop_lapsed(struct gateway_pairing *p)
{
	int64_t now = clock_wall_ms();

	for (size_t i = p->waiting_count; i-- > 0;) {
		int64_t age = now - p->waiting[i].since_ms;

		if (age < 0 || age >= GATEWAY_WAITING_MS)
			drop_waiting(p, i, "expired");
	}
	if (p->waiting_count)
		deadline_set(p->gateway->options.loop, &p->lapse, LAPSE_MS);
}

static void lapse_is_due(struct deadline *deadline)
{
	drop_lapsed(list_of(deadline, struct gateway_pairing, lapse));
}

static size_t find_waiting(const struct gateway_pairing *p, struct text id)
{
	size_t i = 0;

	while (i < p->waiting_count && !text_is(id, p->waiting[i].id))
		i++;
	return i;
}

const struct gateway_waiting *gateway_pairing_wait(struct gateway *g,
                                                   const struct gateway_waiting *wish)
{
	struct gateway_pairing *p = g->pairing;
	struct gateway_waiting *w;
	int64_t since = clock_wall_ms();

	drop_lapsed(p);
	for (size_t i = 0; i < p->waiting_count; i++) {
		w = &p->waiting[i];
		if (strcmp(w->self.id, wish->self.id) != 0)
			continue;
		if (w->asked == wish->asked && gateway_self_same(&w->self, &wish->self))
			return w;
		since = w->since_ms; /* what it asks for is another thing, but its time goes on */
		drop_waiting(p, i, "superseded");
		break;
	}
	if (p->waiting_count == GATEWAY_WAITING_MAX)
		return NULL;
	w = &p->waiting[p->waiting_count++];
	*w = *wish;
	w->since_ms = since;
	gateway_devices_name(p->devices, &w->self, w->id);
	log_info("gateway", "a device waits to be let in: %s, from %s", w->id, w->from);
	gateway_tell_requested(g, w);
	deadline_set(g->options.loop, &p->lapse, LAPSE_MS);
	return w;
}

/* ---- a connect ---- */

/* What a device may do now: of one that is bound, what its token still may. */
static bool scopes_now(struct gateway *g, const struct gateway_device *d, unsigned *scopes)
{
	unsigned of_token;

	*scopes = d->scopes;
	if (!d->is_bound)
		return true;
	if (!g->options.token_scopes(g->options.self, d->mark, &of_token))
		return false;
	*scopes &= of_token;
	return *scopes != 0;
}

bool gateway_pairing_knows(struct gateway *g, const struct gateway_self *self,
                           const struct text secrets[2], struct caller *caller)
{
	struct gateway_pairing *p = g->pairing;
	struct gateway_device *d = gateway_devices_of_id(p->devices, text_of(self->id));
	bool by_key = !secrets[0].len && !secrets[1].len;

	if (!d || (by_key && d->is_bound))
		return false;
	if (!by_key && !gateway_device_has(d, secrets[0]) && !gateway_device_has(d, secrets[1]))
		return false;
	*caller = (struct caller){.has_credential = true, .which = d->number};
	if (!scopes_now(g, d, &caller->scopes))
		return false;
	snprintf(caller->name, sizeof(caller->name), "device:%.40s", d->name);
	d->self = *self;
	d->seen_ms = clock_wall_ms();
	gateway_devices_touch(p->devices);
	return true;
}

bool gateway_pairing_has_secret(struct gateway *g, const struct gateway_self *self)
{
	struct gateway_device *d = gateway_devices_of_id(g->pairing->devices, text_of(self->id));

	return d && d->has_secret;
}

void gateway_pairing_bind(struct gateway *g, const struct gateway_self *self,
                          const unsigned char mark[GATEWAY_DIGEST], unsigned scopes)
{
	struct gateway_pairing *p = g->pairing;
	struct gateway_device *d = gateway_devices_of_id(p->devices, text_of(self->id));
	int64_t now = clock_wall_ms();
	bool is_new = !d, has_changed;

	if (!scopes || (d && !d->is_bound))
		return; /* nothing to give, or a person's choice stays */
	if (is_new)
		d = gateway_devices_add(p->devices, self, now);
	if (!d)
		return;
	has_changed = is_new || memcmp(d->mark, mark, GATEWAY_DIGEST) != 0 ||
	              (scopes & ~d->scopes) || !gateway_self_same(&d->self, self);
	if (!is_new && memcmp(d->mark, mark, GATEWAY_DIGEST) != 0)
		d->has_secret = false, d->scopes = 0;
	d->is_bound = true;
	memcpy(d->mark, mark, GATEWAY_DIGEST);
	d->scopes |= scopes;
	d->self = *self;
	d->seen_ms = now;
	gateway_devices_touch(p->devices);
	if (has_changed) /* when it was seen is written along with that */
		save_within(p, SAVE_MS);
	if (is_new)
		log_info("gateway", "a device was paired by its token: %s", d->name);
}

uint32_t gateway_pairing_number(struct gateway *g, const struct gateway_self *self,
                                char secret[GATEWAY_SECRET + 1])
{
	struct gateway_pairing *p = g->pairing;
	struct gateway_device *d = gateway_devices_of_id(p->devices, text_of(self->id));

	*secret = '\0';
	if (!d)
		return 0;
	if (!d->has_secret) {
		gateway_devices_give_secret(p->devices, d, secret);
		save_within(p, SAVE_MS);
	}
	return d->number;
}

/* ---- what people do ---- */

static enum gateway_paired finish_decision(struct gateway_pairing *p, struct error *why)
{
	if (save_now(p, why))
		return GATEWAY_DECIDED;
	error_within(why, "it is decided, but not on the disk, which is tried again");
	return GATEWAY_UNSAVED;
}

static enum gateway_paired is_unknown(struct text id, struct error *why)
{
	error_set(why, "no device waits as '%.*s'", TEXT_ARG(id));
	return GATEWAY_UNKNOWN;
}

static struct gateway_device *let_in(struct gateway_pairing *p, const struct gateway_waiting *w,
                                     unsigned scopes)
{
	struct gateway_device *d = gateway_devices_of_id(p->devices, text_of(w->self.id));

	if (!d)
		d = gateway_devices_add(p->devices, &w->self, clock_wall_ms());
	if (!d)
		return NULL;
	d->self = w->self;
	d->scopes = scopes;
	d->is_bound = d->has_secret = false;
	d->paired_ms = clock_wall_ms();
	snprintf(d->name, sizeof(d->name), "%s", w->id);
	gateway_devices_touch(p->devices);
	return d;
}

enum gateway_paired gateway_pairing_approve(struct gateway *g, struct text id, unsigned scopes,
                                            struct error *why)
{
	struct gateway_pairing *p = g->pairing;
	size_t i = find_waiting(p, id);
	const struct gateway_device *d;

	if (i == p->waiting_count)
		return is_unknown(id, why);
	if (!scopes)
		scopes = operator_scopes_ours(p->waiting[i].asked) & ~(unsigned)SCOPE_ADMIN;
	if (!scopes) {
		error_set(why, "it asked for nothing: say which scopes it gets");
		return GATEWAY_REFUSED;
	}
	d = let_in(p, &p->waiting[i], scopes);
	if (!d) {
		error_set(why, "%d devices are paired; remove one", GATEWAY_DEVICES_MAX);
		return GATEWAY_REFUSED;
	}
	log_info("gateway", "a device was let in: %s", d->name);
	drop_waiting(p, i, "approved");
	return finish_decision(p, why);
}

enum gateway_paired gateway_pairing_reject(struct gateway *g, struct text id, struct error *why)
{
	struct gateway_pairing *p = g->pairing;
	size_t i = find_waiting(p, id);

	if (i == p->waiting_count)
		return is_unknown(id, why);
	log_info("gateway", "a device was turned away: %s", p->waiting[i].id);
	drop_waiting(p, i, "rejected");
	return GATEWAY_DECIDED;
}

static void close_device(struct gateway *g, uint32_t number, struct text why)
{
	list_each(&g->views, l) {
		struct gateway_view *view = list_of(l, struct gateway_view, in_room);

		if (view->device == number)
			client_close(view->client, REMOVED_CODE, why);
	}
}

enum gateway_paired gateway_pairing_forget(struct gateway *g, struct text id, uint32_t *number,
                                           struct error *why)
{
	struct gateway_pairing *p = g->pairing;
	struct gateway_device *d = p->devices ? gateway_devices_of_name(p->devices, id) : NULL;

	if (!d && p->devices)
		d = gateway_devices_of_id(p->devices, id);
	if (!d) {
		error_set(why, "no device is called '%.*s'", TEXT_ARG(id));
		return GATEWAY_UNKNOWN;
	}
	log_info("gateway", "a device was removed: %s", d->name);
	*number = d->number;
	gateway_devices_remove(p->devices, d);
	return finish_decision(p, why);
}

void gateway_pairing_close(struct gateway *g, uint32_t number)
{
	close_device(g, number, TEXT("device removed"));
}

enum gateway_paired gateway_pairing_remove(struct gateway *g, struct text id, struct error *why)
{
	uint32_t number;
	enum gateway_paired decision = gateway_pairing_forget(g, id, &number, why);

	if (decision != GATEWAY_UNKNOWN)
		gateway_pairing_close(g, number);
	return decision;
}

/* ---- what may have ended ---- */

/* True: there was one. */
static bool drop_ended(struct gateway *g)
{
	struct gateway_pairing *p = g->pairing;
	struct gateway_device *d;
	unsigned scopes;
	bool has_dropped = false;
	uint32_t number;
	size_t i = 0;

	while ((d = gateway_devices_at(p->devices, i))) {
		if (scopes_now(g, d, &scopes)) {
			i++;
			continue;
		}
		log_info("gateway", "a device ended with its token: %s", d->name);
		number = d->number;
		gateway_devices_remove(p->devices, d);
		close_device(g, number, TEXT(ENDED));
		has_dropped = true;
	}
	return has_dropped;
}

/* Of one that came in as a device. */
static bool may_stay(struct gateway *g, const struct gateway_view *view)
{
	struct gateway_device *d;
	unsigned scopes;

	if (!gateway_pairing_is_on(g))
		return false;
	for (size_t i = 0; (d = gateway_devices_at(g->pairing->devices, i)); i++)
		if (d->number == view->device)
			return scopes_now(g, d, &scopes) && !(view->client->scopes & ~scopes);
	return false;
}

void gateway_pairing_check(struct gateway *g)
{
	struct gateway_pairing *p = g->pairing;
	struct error why;

	if (p->devices && drop_ended(g))
		save_now(p, &why);
	while (!gateway_pairing_is_on(g) && p->waiting_count)
		drop_waiting(p, 0, "expired");
	list_each(&g->views, l) {
		struct gateway_view *view = list_of(l, struct gateway_view, in_room);

		if ((view->by_device && !may_stay(g, view)) || !gateway_token_holds(view))
			client_close(view->client, REMOVED_CODE, TEXT(ENDED));
	}
}

/* ---- all of it ---- */

struct gateway_pairing *gateway_pairing_create(struct gateway *g)
{
	struct gateway_pairing *p = must_zero(1, sizeof(*p));
	struct error why;

	p->gateway = g;
	p->lapse.fire = lapse_is_due;
	p->save.fire = save_is_due;
	p->devices = gateway_devices_open(g->options.data, &why);
	if (!p->devices)
		log_error("gateway", "no device is paired: %s", why.words);
	return p;
}

void gateway_pairing_destroy(struct gateway_pairing *p)
{
	deadline_clear(&p->lapse);
	deadline_clear(&p->save);
	gateway_devices_destroy(p->devices);
	free(p);
}
