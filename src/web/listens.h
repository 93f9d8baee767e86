/* listens.h - where requests come in: what the configuration says, then the Unix socket.
 *
 * When the configuration is another one, all that can fail is done first, as a plan, and
 * then followed in one go.  A listener whose address stays is the same one as before, with
 * another certificate perhaps.  One that is gone accepts no more; who came through it stays.
 */
#ifndef WEB_LISTENS_H
#define WEB_LISTENS_H

#include "base/buf.h"
#include "base/error.h"

struct config;
struct config_listen;
struct listen;
struct listens;
struct loop;
struct supervisor_sockets;
struct web;

/* Could they be opened, were the ports free?  Opens nothing. */
bool listens_check(const struct config *config, struct error *why);

/* handed: sockets that listen already, while it opens. */
struct listens *listens_open(struct web *web, struct loop *loop, const struct config *config,
                             struct supervisor_sockets *handed, struct error *why);
void listens_stop(struct listens *l);    /* accepts no more; NULL is fine */
void listens_destroy(struct listens *l); /* NULL is fine */

/* DATA/listen tells scripts where we are: the port may have been chosen by the kernel.  It
 * is there once we serve. */
bool listens_write(const struct listens *l, struct error *why);

/* Where devices come in: `phone.listen`, with the certificate and the key of one PEM file.  When
 * it is open already it takes the certificate. */
bool listens_open_phone(struct listens *l, const char *pem, struct error *why);
void listens_close_phone(struct listens *l);
struct listen *listens_phone(const struct listens *l);     /* NULL: it is not open */
void listens_end_owned(struct listens *l, uint64_t owner); /* see listen_end_owned() */

const struct listen *listens_first(const struct listens *l); /* that speaks HTTP */
/* The row of the configuration that it is; NULL: the Unix socket, or one that is gone. */
const struct config_listen *listens_row(const struct listens *l, const struct listen *listen);
/* Is it a URL of ours?  A box that follows itself hears every signal again, for ever.  web may be
 * NULL: then what the configuration says counts. */
bool web_leads_home(const struct web *web, const struct config *config, struct text url,
                    struct error *why);

/* For another configuration: all that can fail, and then all that cannot.  The plan is
 * followed, or dropped.  The configuration lives as long as the listeners follow it. */
struct listen_plan;
struct listen_plan *listens_plan(struct listens *l, const struct config *config, struct error *why);
void listens_drop(struct listen_plan *plan); /* NULL is fine */
void listens_follow(struct listens *l, struct listen_plan *plan);

void listens_metrics(const struct listens *l, struct buf *out); /* connections, for GET /metrics */

#endif
