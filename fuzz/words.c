/* words.c - hostile words of a request or of the one who starts us: what is taken keeps its
 * promises, and no credential is made up.
 *
 * The first letter of the input says what they are: q a query of the history, e a tag and
 * a field of tags, g Host, Origin and Sec-Fetch-Site, c a token, a session, a code or a
 * ticket, p a position, a an
 * address to listen on, b keys of a browser in base64url.  Lines part them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/base64url.h"
#include "base/must.h"
#include "lib/hold.h"
#include "net/address.h"
#include "notify/curve.h"
#include "signal/position.h"
#include "signal/signal.h"
#include "web/etag.h"
#include "web/guard.h"
#include "web/query.h"
#include "web/session.h"

#define NOW 1700000000000

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void try_query(struct text words)
{
	static struct signal_reader *reader;
	struct error why = {""};
	struct text line, first = text_cut(words, '\n', &line);
	struct query query;

	if (!reader)
		reader = signal_reader_create();
	if (!query_parse(&query, first, &why)) {
		must_hold(why.words[0] != '\0');
		return;
	}
	if (!query_filters(&query))
		must_hold(query_matches(&query, line, reader));
	else
		query_matches(&query, line, reader);
	query_finish(&query);
}

static void try_etag(struct text words)
{
	struct text field, tag = text_cut(words, '\n', &field);

	if (text_starts(tag, TEXT("\"")) && etag_is_in(field, tag))
		must_hold(etag_is_in_weakly(field, tag));
	must_hold(etag_is_in_weakly(TEXT("W/\"a\", *"), tag));
}

/* Whoever is let in named one of the few that are listed, byte for byte. */
static void try_guard(struct text words)
{
	struct guard_view view = {.changes = true};
	struct guard guard;

	view.host = text_cut(words, '\n', &words);
	view.origin = text_cut(words, '\n', &words);
	view.site = words;
	guard_init(&guard);
	guard_add_address(&guard, "127.0.0.1:7446", 7446, 80);
	guard_add_guest(&guard, "https://guest.example");
	if (guard_check(&guard, &view) == GUARD_PASSES) {
		must_hold(text_is(view.host, "127.0.0.1:7446") ||
		          text_equal_nocase(view.host, TEXT("localhost:7446")) ||
		          text_is(view.host, "[::1]:7446"));
		must_hold(!view.origin.at || view.origin.len < 32);
	}
	guard_finish(&guard);
}

static void try_credentials(struct text words)
{
	static const unsigned char key[32] = "a key that nobody knows of.....";
	struct passes *passes = passes_create();
	struct session_keys keys = {key, passes};
	char given[TOKEN_LEN + 1];
	struct device_wish device;
	struct caller caller;

	passes_give_code(passes, NULL, NOW, given);
	must_hold(!passes_take_code(passes, words, NOW, &device) || text_is(words, given));
	must_hold(!passes_take_ticket(passes, words, 0, NOW, &caller));
	must_hold(!session_check(&keys, words, NOW, &caller));
	passes_destroy(passes);
}

static void try_position(struct text words)
{
	struct positions positions;
	struct position position;

	if (position_parse(words, &position))
		must_hold(!position.epoch[0] || position_is_epoch(text_of(position.epoch)));
	if (positions_parse(words, &positions))
		must_hold(positions.count > 0 && positions.count <= POSITIONS_MAX);
}

static void try_address(struct text words)
{
	char *text = must_print("%.*s", (int)words.len, words.at);
	struct error why = {""};
	struct address address, again;

	if (address_parse(&address, text, &why)) {
		must_hold(address_parse(&again, address.words, &why));
		must_hold(strcmp(address.words, again.words) == 0);
		must_hold(address_port(&address) == address_port(&again));
	} else {
		must_hold(why.words[0] != '\0');
	}
	free(text);
}

/* What is read is written the same way, but for padding. */
static void try_base64url(struct text words)
{
	unsigned char bytes[CURVE_POINT];
	struct buf again;

	buf_init(&again, 1 * KIB);
	if (base64url_read(words, bytes, sizeof(bytes))) {
		base64url_add(&again, bytes, sizeof(bytes));
		must_hold(text_starts(words, buf_text(&again)));
		curve_has(bytes);
	}
	buf_finish(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static void (*const tries[])(struct text) = {
		['q'] = try_query,       ['e'] = try_etag,     ['g'] = try_guard,
		['c'] = try_credentials, ['p'] = try_position, ['a'] = try_address,
		['b'] = try_base64url,
	};
	uint8_t what = n ? bytes[0] : 0;

	if (what < sizeof(tries) / sizeof(tries[0]) && tries[what])
		tries[what]((struct text){(const char *)bytes + 1, n - 1});
	return 0;
}
