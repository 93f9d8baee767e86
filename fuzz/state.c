/* state.c - files that the box wrote and somebody garbled: each is read, or put aside, or
 * refused in words; and what is kept again is read again.
 *
 * The first letter of the input says which: c the sources, k their credentials, d the
 * device, h chats, q what is paired, g what is paired by keys, e what waits to be said, a the limits of accounts, l which sessions are open, m the sessions, o where a gateway's run is, p prompts,
 * r runs, s what a run has said, u what to
 * resume, w the window of ids, t the show and its state.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "base/must.h"
#include "base/put.h"
#include "base/utf8.h"
#include "bus/bus.h"
#include "bus/folds.h"
#include "bus/window.h"
#include "crew/crew.h"
#include "crew/limits.h"
#include "deliver/custody.h"
#include "deliver/ends.h"
#include "deliver/known.h"
#include "gateway/devices.h"
#include "gateway/memo.h"
#include "journal/journal.h"
#include "lib/hold.h"
#include "lib/scratch.h"
#include "parse/openclaw_past.h"
#include "parse/opencode_events.h"
#include "parse/parse.h"
#include "play/theatre.h"
#include "run/prompts.h"
#include "run/runs.h"
#include "run/said.h"
#include "source/openclaw/device.h"
#include "source/resume.h"
#include "source/store.h"
#include "source/transcript/living.h"
#include "web/devices.h"

#define SAVED_MAX (64 * MIB)
#define NOW 1700000000000.0

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static const char *dir;

/* ---- files ---- */

static void put(const char *name, struct text bytes)
{
	char *path = must_print("%s/%s", dir, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	must_hold(fd >= 0 && write(fd, bytes.at, bytes.len) == (ssize_t)bytes.len);
	close(fd);
	free(path);
}

static bool take_row(void *self, const struct source_wish *wish, struct error *why)
{
	unsigned *rows = self;

	must_hold(wish->url.len > 0 && wish->id.len > 0);
	++*rows;
	return true;
}

static void read_sources(struct text bytes, const char *name)
{
	struct error why = {""};
	struct store *store;
	unsigned rows = 0;

	put("sources.json", TEXT("[{\"id\":\"a\",\"url\":\"ws://127.0.0.1:1/\"}]"));
	put("source-credentials.json", TEXT("{}"));
	put(name, bytes);
	store = store_open(dir, &why);
	must_hold(store || why.words[0]);
	if (store)
		store_each(store, take_row, &rows);
	store_close(store);
}

static void read_paired(struct text bytes)
{
	struct error why = {""};
	struct devices *devices;
	struct caller caller;

	put("devices.json", bytes);
	devices = devices_open(dir, &why);
	must_hold(devices || why.words[0]);
	if (!devices)
		return;
	must_hold(devices_count(devices) <= DEVICES_MAX);
	must_hold(!devices_find(devices, TEXT("a secret"), 1, &caller));
	devices_destroy(devices);
}

static void read_keys(struct text bytes)
{
	struct error why = {""};
	struct gateway_devices *devices;
	struct gateway_device *d;
	size_t count = 0;

	put("gateway-devices.json", bytes);
	devices = gateway_devices_open(dir, &why);
	must_hold(devices || why.words[0]);
	if (!devices)
		return;
	while ((d = gateway_devices_at(devices, count))) {
		must_hold(d->scopes && d->number && strlen(d->self.id) == GATEWAY_DEVICE_ID);
		must_hold(utf8_is_valid(text_of(d->name)) && utf8_is_valid(text_of(d->self.label)));
		must_hold(!gateway_device_has(d, TEXT("a secret")));
		count++;
	}
	must_hold(count <= GATEWAY_DEVICES_MAX);
	gateway_devices_destroy(devices);
}

static void read_people(struct text bytes)
{
	struct known people, again;
	struct error why = {""};
	struct buf file;

	known_init(&people);
	known_init(&again);
	must_hold(known_read(&people, bytes, &why) || why.words[0]);
	must_hold(people.count <= KNOWN_MAX);
	buf_init(&file, SAVED_MAX);
	known_put(&people, &file);
	must_hold(known_read(&again, buf_text(&file), &why) && again.count == people.count);
	must_hold(!known_by_code(&people, (const unsigned char[KNOWN_KEY]){1}, bytes));
	known_expire(&people, NOW);
	known_finish(&people);
	known_finish(&again);
	buf_finish(&file);
}

static void take_message(void *self, const struct memo_message *m)
{
	memo_put_message(self, m);
}

static void take_wish(void *self, const struct memo_wish *w)
{
	memo_put_wish(self, w);
}

/* What was read is written again. */
static void read_memo(struct text bytes)
{
	struct error why = {""};
	struct buf out;
	struct memo_hands hands = {&out, take_message, take_wish};
	yyjson_doc *doc;

	buf_init(&out, 64 * MIB);
	put_list(&out, NULL);
	must_hold(memo_read(bytes, &hands, &why) || why.words[0]);
	put_list_end(&out);
	doc = yyjson_read(out.at, out.len, 0);
	must_hold(doc != NULL);
	yyjson_doc_free(doc);
	buf_finish(&out);
}

static void read_device(struct text bytes)
{
	struct error why = {""};
	struct device *device;
	char signature[DEVICE_SIGNATURE_LEN + 1];

	put("openclaw-device.json", bytes);
	device = device_load(dir, &why);
	must_hold(device || why.words[0]);
	if (!device)
		return;
	must_hold(strlen(device_id(device)) == DEVICE_ID_LEN);
	device_sign(device, TEXT("words"), signature);
	must_hold(strlen(signature) == DEVICE_SIGNATURE_LEN);
	device_token(device, "ws://127.0.0.1:1/");
	device_destroy(device);
}

/* ---- states ---- */

static struct journal *journal;
static struct bus *bus;

static void open_journal(void)
{
	static const struct admit_options options = {ADMIT_WARN, MIB, 64};
	const struct journal_options o = {
		.dir = dir,
		.segment_bytes = MIB,
		.wait_max = MIB,
		.commit_ms = 1,
	};
	struct error why;

	journal = journal_open(&o, &why);
	must_hold(journal != NULL);
	bus = bus_create(journal, &options);
}

/* Once more is the same as once. */
static void check_same(struct buf *once, struct buf *twice)
{
	must_hold(text_equal(buf_text(once), buf_text(twice)));
	buf_finish(once);
	buf_finish(twice);
}

static bool load_prompts(struct text saved, struct buf *out)
{
	static const char key[PROMPTS_KEY];
	const struct prompts_options options = {.bus = bus, .key = key};
	struct prompts *prompts = prompts_create(&options);
	bool good = prompts_load(prompts, saved);

	buf_init(out, SAVED_MAX);
	prompts_save_begin(prompts);
	while (prompts_save_more(prompts, out))
		;
	prompts_destroy(prompts);
	return good;
}

static void load_resume(struct text saved, struct buf *out)
{
	struct resume *resume = resume_create();

	resume_load(resume, saved);
	buf_init(out, SAVED_MAX);
	resume_save_begin(resume);
	while (resume_save_more(resume, out))
		;
	resume_destroy(resume);
}

static void read_resume(struct text bytes)
{
	struct buf once, twice;

	load_resume(bytes, &once);
	load_resume(buf_text(&once), &twice);
	check_same(&once, &twice);
}

static void load_living(struct text saved, struct buf *out)
{
	struct living *living = living_create();
	uint64_t seq = 0;

	living_fold.load(living, saved, &seq);
	buf_init(out, SAVED_MAX);
	living_fold.save(living, out);
	living_destroy(living);
}

static void read_living(struct text bytes)
{
	struct buf once, twice;

	load_living(bytes, &once);
	load_living(buf_text(&once), &twice);
	check_same(&once, &twice);
}

static void load_limits(struct text saved, struct buf *out)
{
	struct limits *limits = limits_create();
	struct buf shown;
	uint64_t seq = 0;

	limits_fold.load(limits, saved, &seq);
	buf_init(&shown, SAVED_MAX);
	limits_json(limits, NOW, &shown);
	buf_finish(&shown);
	buf_init(out, SAVED_MAX);
	limits_fold.save(limits, out);
	limits_destroy(limits);
}

static void read_limits(struct text bytes)
{
	struct buf once, twice;

	load_limits(bytes, &once);
	load_limits(buf_text(&once), &twice);
	check_same(&once, &twice);
}

static void load_custody(struct text saved, struct buf *out)
{
	struct custody *custody = custody_create();
	uint64_t seq = 0;

	custody_fold.load(custody, saved, &seq);
	buf_init(out, SAVED_MAX);
	custody_fold.save_begin(custody);
	while (custody_fold.save_more(custody, out))
		;
	custody_destroy(custody);
}

static void read_custody(struct text bytes)
{
	struct buf once, twice;

	load_custody(bytes, &once);
	load_custody(buf_text(&once), &twice);
	check_same(&once, &twice);
}

static void load_ends(struct text saved, struct buf *out)
{
	struct run_ends *ends = ends_create();
	uint64_t seq = 0;

	ends_fold.load(ends, saved, &seq);
	buf_init(out, SAVED_MAX);
	ends_fold.save(ends, out);
	ends_destroy(ends);
}

static void read_ends(struct text bytes)
{
	struct buf once, twice;

	load_ends(bytes, &once);
	load_ends(buf_text(&once), &twice);
	check_same(&once, &twice);
}

static struct parse *make_parse(void)
{
	struct parse_options o = {.source = TEXT("claw"), .event_max = SAVED_MAX};

	return parse_create(parse_find(TEXT("openclaw")), &o);
}

static void read_place(struct text bytes)
{
	struct parse *first = make_parse(), *second = make_parse();
	struct openclaw_place place;
	struct buf once, twice;

	buf_init(&once, OPENCLAW_PLACE_MAX);
	buf_init(&twice, OPENCLAW_PLACE_MAX);
	if (openclaw_take_place(first, TEXT("run"), bytes, &place)) {
		openclaw_add_place(first, TEXT("run"), place.at_ms, &once);
		must_hold(openclaw_take_place(second, TEXT("run"), buf_text(&once), &place));
		openclaw_add_place(second, TEXT("run"), place.at_ms, &twice);
	}
	check_same(&once, &twice);
	parse_destroy(first);
	parse_destroy(second);
}

static struct parse *make_opencode(void)
{
	struct parse_options o = {.source = TEXT("oc"), .event_max = SAVED_MAX};

	return parse_create(parse_find(TEXT("opencode-events")), &o);
}

static void read_opencode_place(struct text bytes)
{
	struct parse *first = make_opencode(), *second = make_opencode();
	struct buf once, twice;
	int64_t at_ms;

	buf_init(&once, SAVED_MAX);
	buf_init(&twice, SAVED_MAX);
	if (opencode_take_place(first, TEXT("run"), bytes, &at_ms)) {
		opencode_add_place(first, TEXT("run"), at_ms, &once);
		if (once.len)
			must_hold(
				opencode_take_place(second, TEXT("run"), buf_text(&once), &at_ms));
		opencode_add_place(second, TEXT("run"), at_ms, &twice);
	}
	check_same(&once, &twice);
	parse_destroy(first);
	parse_destroy(second);
}

static void read_prompts(struct text bytes)
{
	struct buf once, twice;

	load_prompts(bytes, &once);
	must_hold(load_prompts(buf_text(&once), &twice));
	check_same(&once, &twice);
}

static void load_crew(struct text saved, struct buf *out)
{
	struct crew *crew = crew_create(&(struct crew_options){.self = NULL});
	struct buf shown;

	crew_load(crew, saved);
	buf_init(&shown, SAVED_MAX);
	crew_json(crew, NOW, CREW_MAX, &shown);
	buf_finish(&shown);
	buf_init(out, SAVED_MAX);
	crew_save_begin(crew);
	while (crew_save_more(crew, out))
		;
	crew_destroy(crew);
}

static void read_crew(struct text bytes)
{
	struct buf once, twice;

	load_crew(bytes, &once);
	load_crew(buf_text(&once), &twice);
	check_same(&once, &twice);
}

static void load_runs(struct text saved, struct buf *out)
{
	const struct runs_options options = {.self = NULL};
	struct runs *runs = runs_create(&options);
	struct run_frame frame;
	uint64_t seq;

	runs_load(runs, saved, &seq);
	for (uint64_t at = 0; runs_frame(runs, at, &frame); at = frame.at + 1)
		must_hold(frame.at >= at && frame.at < runs_head(runs));
	buf_init(out, SAVED_MAX);
	for (runs_save_begin(runs); runs_save_more(runs, out);)
		;
	runs_destroy(runs);
}

static void read_runs(struct text bytes)
{
	struct buf once, twice;

	load_runs(bytes, &once);
	load_runs(buf_text(&once), &twice);
	check_same(&once, &twice);
}

static bool load_said(struct text saved, struct buf *out)
{
	yyjson_doc *doc = yyjson_read(saved.at, saved.len, 0);
	struct said *said = said_load(yyjson_doc_get_root(doc));

	buf_init(out, SAVED_MAX);
	if (said) {
		said_json(said, &(struct said_page){.count = 100, .bytes = MIB}, out);
		buf_clear(out);
		said_save(said, out);
	}
	said_destroy(said);
	yyjson_doc_free(doc);
	return said != NULL;
}

static void read_said(struct text bytes)
{
	struct buf once, twice;

	if (load_said(bytes, &once)) {
		must_hold(load_said(buf_text(&once), &twice));
		check_same(&once, &twice);
	} else {
		buf_finish(&once);
	}
}

static void read_window(struct text bytes)
{
	struct window *window = window_create(), *again = window_create();
	struct buf once, twice;

	buf_init(&once, SAVED_MAX);
	buf_init(&twice, SAVED_MAX);
	window_load(window, bytes);
	for (window_save_begin(window); window_save_more(window, &once);)
		;
	must_hold(window_load(again, buf_text(&once)));
	for (window_save_begin(again); window_save_more(again, &twice);)
		;
	check_same(&once, &twice);
	window_destroy(window);
	window_destroy(again);
}

static void hear_command(void *self, uint64_t version, double at_ms, struct text json)
{
	must_hold(json.len > 0);
}

static void hear_change(void *self)
{
	(void)self;
}

static void read_show(struct text bytes)
{
	const struct theatre_options options = {.command = hear_command, .changed = hear_change};
	struct theatre *theatre = theatre_create(&options, NOW);
	struct error why = {""};
	struct buf look;

	if (!theatre_use(theatre, bytes, NOW, &why))
		must_hold(why.words[0] != '\0');
	theatre_load(theatre, bytes, NOW);
	for (int i = 0; i < 100; i++)
		theatre_tick(theatre, NOW + i * 100);
	buf_init(&look, SAVED_MAX);
	theatre_look(theatre, NOW + 10000, &look);
	buf_finish(&look);
	theatre_destroy(theatre);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct text rest = {(const char *)bytes + 1, n - 1};

	if (n == 0)
		return 0;
	if (!dir) {
		log_set_level((enum log_level)(-1));
		dir = scratch();
		open_journal();
	}
	switch (bytes[0]) {
	case 'c':
		read_sources(rest, "sources.json");
		break;
	case 'k':
		read_sources(rest, "source-credentials.json");
		break;
	case 'd':
		read_device(rest);
		break;
	case 'q':
		read_paired(rest);
		break;
	case 'g':
		read_keys(rest);
		break;
	case 'P':
		read_people(rest);
		break;
	case 'e':
		read_memo(rest);
		break;
	case 'o':
		read_place(rest);
		break;
	case 'O':
		read_opencode_place(rest);
		break;
	case 'p':
		read_prompts(rest);
		break;
	case 'm':
		read_crew(rest);
		break;
	case 'r':
		read_runs(rest);
		break;
	case 's':
		read_said(rest);
		break;
	case 'a':
		read_limits(rest);
		break;
	case 'h':
		read_custody(rest);
		break;
	case 'E':
		read_ends(rest);
		break;
	case 'l':
		read_living(rest);
		break;
	case 'u':
		read_resume(rest);
		break;
	case 'w':
		read_window(rest);
		break;
	default:
		read_show(rest);
	}
	return 0;
}
