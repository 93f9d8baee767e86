/* crew.c - hostile signals, as sessions.
 *
 * The input is signals, one a line, as a producer would send them, or with a `!` before them as
 * the box says them; what admission takes is heard.  Sessions are JSON, and a crew that is saved
 * and loaded after each signal is the same as one that is not.  The same signals are counted, and
 * gathered as the past, which is counted then.
 */
#include "crew/crew.h"

#include "base/must.h"
#include "bus/admit.h"
#include "crew/ledger.h"
#include "crew/spending.h"
#include "lib/hold.h"

#define TEXT_MAX (64 * KIB)
#define SHOWN_MAX (64 * MIB)
#define NOW 1700000000000.0

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static struct signal_reader *signals;
static struct buf line;
static struct admit *admit;
static struct spending *spending;
static struct ledger ledger;
static uint64_t told;

static void make_ready(void)
{
	static const struct admit_options options = {ADMIT_WARN, TEXT_MAX, 64};

	admit = admit_create(&options);
	signals = signal_reader_create();
	buf_init(&line, 16 * TEXT_MAX);
}

static struct crew *make_crew(void)
{
	return crew_create(&(struct crew_options){.self = NULL});
}

static void save_and_load(struct crew **crew)
{
	struct buf saved;

	buf_init(&saved, SHOWN_MAX);
	crew_save_begin(*crew);
	while (crew_save_more(*crew, &saved))
		;
	crew_destroy(*crew);
	*crew = make_crew();
	must_hold(crew_load(*crew, buf_text(&saved)));
	buf_finish(&saved);
}

static void show(struct crew *crew, struct buf *out)
{
	yyjson_doc *doc;

	buf_init(out, SHOWN_MAX);
	crew_json(crew, NOW, CREW_MAX, out);
	must_hold(!out->full);
	doc = yyjson_read(out->at, out->len, 0);
	must_hold(doc != NULL);
	yyjson_doc_free(doc);
}

static void must_be_alike(struct crew *a, struct crew *b)
{
	struct buf one, two;

	show(a, &one);
	show(b, &two);
	must_hold(text_equal(buf_text(&one), buf_text(&two)));
	buf_finish(&one);
	buf_finish(&two);
}

static void hear(struct crew *one, struct crew **two, struct text raw)
{
	bool is_box = raw.len && raw.at[0] == '!';
	const struct admit_from from = {.name = TEXT("fuzz"), .is_box = is_box};
	struct draft d;
	struct signal s;

	if (is_box)
		raw = (struct text){raw.at + 1, raw.len - 1};
	if (admit_read(admit, raw, &from, &d, NULL) != ADMIT_OK)
		return;
	buf_clear(&line);
	buf_add(&line, TEXT("{\"seq\":1,"));
	buf_add(&line, d.body);
	if (!signal_read(signals, buf_text(&line), &s, NULL))
		return;
	crew_hear(one, &s);
	crew_hear(*two, &s);
	save_and_load(two);
	s.seq = ++told;
	spending_hear(spending, &s);
	ledger_take(&ledger, raw);
}

/* What is gathered can be told, and is counted. */
static void tell_past(void)
{
	struct buf past;
	struct signal s;
	uint32_t at = 0;

	ledger_sort(&ledger);
	buf_init(&past, SHOWN_MAX);
	while (buf_clear(&past), ledger_write(&ledger, &at, NOW, &past)) {
		buf_clear(&line);
		buf_print(&line, "{\"seq\":%llu,\"id\":\"i\",", (unsigned long long)++told);
		buf_add(&line, (struct text){past.at + 1, past.len - 1});
		if (signal_read(signals, buf_text(&line), &s, NULL))
			spending_hear(spending, &s);
	}
	for (uint32_t i = 0; i < ledger.response_count; i++)
		must_hold(spending_knows(spending, text_of(ledger.responses[i].id)));
	buf_finish(&past);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct text rest = {(const char *)bytes, n};
	struct crew *one, *two;

	if (n > TEXT_MAX)
		return 0;
	if (!admit)
		make_ready();
	one = make_crew();
	two = make_crew();
	spending = spending_create();
	ledger_init(&ledger);
	told = 0;
	while (rest.len)
		hear(one, &two, text_cut(rest, '\n', &rest));
	must_be_alike(one, two);
	tell_past();
	ledger_finish(&ledger);
	spending_destroy(spending);
	crew_destroy(one);
	crew_destroy(two);
	return 0;
}
