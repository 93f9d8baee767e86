/* check.h - is this text good for what it is used for?
 *
 * Each answers with words that say what is wrong and what would be right.
 */
#ifndef CONFIG_CHECK_H
#define CONFIG_CHECK_H

#include "base/error.h"
#include "base/text.h"

/* "127.0.0.1:7446", "[::1]:7446", "localhost:7446"; port 0 is any. */
bool check_address(struct text value, struct error *why);

bool check_local_address(struct text value, struct error *why); /* that only we reach */

/* Of two such; port 0 is any, and so another one each time. */
bool check_is_same_address(const char *a, const char *b);
bool check_covers_address(const char *all, const char *one); /* all: 0.0.0.0 or [::] */

/* A struct config_listen: a certificate has a key, an address that other machines could
 * reach has both, and none before it is the same, unless the port is any. */
bool check_listen(const void *row, size_t rows_before, struct error *why);

/* "192.0.2.7", "2001:db8::7": of one machine. */
bool check_literal(struct text value, struct error *why);

/* A Host header's value: "box.example", "box.example:7446". */
bool check_host(struct text value, struct error *why);

/* An Origin header's value: "https://box.example", nothing behind it. */
bool check_origin(struct text value, struct error *why);

/* A source's id: letters, digits, '.', '_', '-', at most 64; "signalbox" and "demo"
 * are ours. */
bool check_source_id(struct text value, struct error *why);

/* "${NAME}": a secret does not stand in the file itself. */
bool check_reference(struct text value, struct error *why);

/* The name of a credential: letters, digits, '.', '_', '-', at most 32, and no
 * '.' in front, so that it can name a file. */
bool check_name(struct text value, struct error *why);

/* A word of a command: any but an empty one and one with a NUL in it. */
bool check_argument(struct text value, struct error *why);

/* A URI of mailto or https, in which a person can be written to. */
bool check_contact(struct text value, struct error *why);

/* Only other rooms know whether these are good; main.c says who is asked, before a
 * configuration is read.  NULL: any is good. */
struct check_by {
	bool (*source_url)(struct text value, struct error *why);
	bool (*protocol)(struct text value, struct error *why);  /* of a source */
	bool (*dialect)(struct text value, struct error *why);   /* can a listener pin it? */
	bool (*bare)(struct text dialect);                       /* has it no credentials? */
	bool (*channel)(struct text value, struct error *why);   /* of an adapter */
	bool (*condition)(struct text value, struct error *why); /* as JSON */
	bool (*message)(struct text value, struct error *why);   /* one on a message, likewise */
	bool (*names_all)(struct text channel); /* is a sender the same in all accounts of it? */
};
void check_ask(const struct check_by *by);

bool check_source_url(struct text value, struct error *why);
bool check_protocol(struct text value, struct error *why);
bool check_dialect(struct text value, struct error *why);
bool check_channel(struct text value, struct error *why);
bool check_condition(struct text value, struct error *why);
bool check_message(struct text value, struct error *why);
bool check_names_all(struct text channel);

#endif
