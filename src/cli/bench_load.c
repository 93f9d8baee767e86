/* bench_load.c - one thread that emits, hears and looks at the clock. */
#include "cli/bench_load.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <yyjson.h>

#include "base/clock.h"
#include "base/must.h"
#include "base/put.h"
#include "base/random.h"
#include "cli/bench_line.h"
#include "cli/interrupt.h"

#define SECOND_NS UINT64_C(1000000000)
#define WARM_NS_MAX SECOND_NS
#define WARM_PART 10 /* a tenth goes by before anything counts, and at most a second */
#define WAIT_MS 100  /* so that Ctrl-C and the bar are not kept waiting */
#define SILENCE_NS (30 * SECOND_NS) /* the box gives its disk so long */
#define OUT_FULL (1 * MIB)
#define NUMBER_DIGITS 10
#define FIRST_NUMBER UINT64_C(1000000000) /* a number in JSON begins with no zero */

/* ---- the signal ---- */

struct bench_signal {
	struct buf frame;
	size_t id_at, ref_at; /* where the digits stand; ref_at 0: nowhere */
};

static void put_number(char *at, uint64_t n)
{
	for (unsigned i = NUMBER_DIGITS; i-- > 0; n /= 10)
		at[i] = (char)('0' + n % 10);
}

static size_t behind(const struct buf *b, const char *words)
{
	const char *at = memmem(b->at, b->len, words, strlen(words));

	return at ? (size_t)(at - b->at) + strlen(words) : 0;
}

/* An envelope of so many bytes.  Its ids are this run's own: what came before is stored
 * only once. */
static void add_envelope(struct buf *out, size_t size)
{
	static const char end[] = "\"}}";
	size_t start = out->len;
	char run[17];

	random_hex(run, 8);
	buf_print(out,
	          "{\"id\":\"%s-%0*u\",\"type\":\"" BENCH_TYPE "\",\"timestamp\":%lld,"
	          "\"source\":\"" BENCH_SOURCE "\",\"payload\":{\"text\":\"",
	          run, NUMBER_DIGITS, 0u, (long long)clock_wall_ms());
	while (out->len - start < size - (sizeof(end) - 1))
		buf_add_char(out, (char)('a' + (out->len - start) % 26));
	buf_add(out, TEXT(end));
}

static void make_signal(struct bench_signal *s, size_t size, bool has_ref)
{
	struct buf body;

	buf_init(&body, size + KIB);
	buf_init(&s->frame, size + 2 * KIB);
	if (has_ref) {
		put_object(&body, NULL);
		put_word(&body, "op", "emit");
		put_u64(&body, "ref", FIRST_NUMBER);
		put_key(&body, "signal");
	}
	add_envelope(&body, size);
	if (has_ref)
		buf_add_char(&body, '}');
	bench_line_add_head(&s->frame, body.len);
	buf_add(&s->frame, buf_text(&body));
	s->ref_at = has_ref ? behind(&s->frame, "\"ref\":") : 0;
	s->id_at = behind(&s->frame, "{\"id\":\"") + sizeof("0123456789abcdef-") - 1;
	buf_finish(&body);
}

static void add_signal(struct buf *out, struct bench_signal *s, uint64_t number)
{
	put_number(s->frame.at + s->id_at, number);
	if (s->ref_at)
		put_number(s->frame.at + s->ref_at, FIRST_NUMBER + number);
	buf_add(out, buf_text(&s->frame));
}

/* ---- one measurement ---- */

struct bench_load {
	const struct bench_plan *plan;
	struct bench_result *result;
	unsigned outstanding;
	struct bench_line line; /* that emits */
	struct bench_signal signal;
	uint64_t sent, acked;
	uint64_t *sent_ns; /* a ring of BENCH_OUTSTANDING_MAX */
	uint64_t now_ns;

	uint64_t count_from_ns, end_ns;
	uint64_t cpu_ns;   /* of the box, when it began to count */
	bool counts;       /* it is warm */
	uint64_t moved_ns; /* when something last came */
	struct error refused;

	struct bench_line *ears; /* of fan-out */
	uint64_t *heard;
	unsigned ear;
};

static uint64_t cpu_ns_of(pid_t pid)
{
	struct timespec used;
	clockid_t clock;

	if (pid <= 0 || clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0)
		return 0;
	return (uint64_t)used.tv_sec * SECOND_NS + (uint64_t)used.tv_nsec;
}

static void begin_load(struct bench_load *l)
{
	const struct bench_plan *plan = l->plan;
	uint64_t lasts_ns = plan->ms * (SECOND_NS / 1000), warm_ns = lasts_ns / WARM_PART;

	*l->result = (struct bench_result){.cpu_seconds = -1};
	l->now_ns = l->moved_ns = clock_mono_ns();
	if (warm_ns > WARM_NS_MAX)
		warm_ns = WARM_NS_MAX;
	l->count_from_ns = l->now_ns + warm_ns;
	l->end_ns = l->count_from_ns + lasts_ns;
	l->sent_ns = must_zero(BENCH_OUTSTANDING_MAX, sizeof(*l->sent_ns));
	plan->progress->total_ms = (warm_ns + lasts_ns) / 1000000;
	plan->progress->began_ns = l->now_ns;
}

/* Once a turn: what time is it, and does it count? */
static void look_at_clock(struct bench_load *l)
{
	l->now_ns = clock_mono_ns();
	if (!l->counts && l->now_ns >= l->count_from_ns) {
		l->counts = true;
		l->count_from_ns = l->now_ns;
		l->cpu_ns = cpu_ns_of(l->plan->pid);
	}
	progress_tell(l->plan->progress, l->result->count);
}

static void count(struct bench_load *l, uint64_t number)
{
	l->moved_ns = l->now_ns;
	if (!l->counts)
		return;
	l->result->count++;
	spread_add(&l->result->spread, l->now_ns - l->sent_ns[number % BENCH_OUTSTANDING_MAX]);
}

static bool load_goes_on(const struct bench_load *l)
{
	return l->now_ns < l->end_ns && !interrupt_came();
}

static void settle_load(struct bench_load *l)
{
	uint64_t cpu = cpu_ns_of(l->plan->pid);

	if (!l->counts)
		return;
	l->result->seconds = (double)(clock_mono_ns() - l->count_from_ns) / (double)SECOND_NS;
	if (cpu)
		l->result->cpu_seconds = (double)(cpu - l->cpu_ns) / (double)SECOND_NS;
}

static bool is_alive(const struct bench_load *l, struct error *why)
{
	if (l->refused.words[0])
		return error_set(why, "%s", l->refused.words);
	return l->now_ns - l->moved_ns < SILENCE_NS || error_set(why, "the box no longer responds");
}

static void end_load(struct bench_load *l)
{
	bench_line_close(&l->line);
	for (unsigned i = 0; l->ears && i < l->plan->subscribers; i++)
		bench_line_close(&l->ears[i]);
	buf_finish(&l->signal.frame);
	free(l->sent_ns);
	free(l->ears);
	free(l->heard);
}

/* As many as the window lacks. */
static void fill(struct bench_load *l, uint64_t done)
{
	while (l->sent - done < l->outstanding && l->line.out.len < OUT_FULL) {
		l->sent_ns[l->sent % BENCH_OUTSTANDING_MAX] = l->now_ns;
		add_signal(&l->line.out, &l->signal, l->sent++);
	}
}

/* ---- emits ---- */

/* {"op":"error","code":"too_fast","message":"..."} */
static void note_refusal(struct bench_load *l, struct text message)
{
	yyjson_doc *doc = yyjson_read(message.at, message.len, 0);
	yyjson_val *root = yyjson_doc_get_root(doc);
	const char *code = yyjson_get_str(yyjson_obj_get(root, "code"));
	const char *words = yyjson_get_str(yyjson_obj_get(root, "message"));

	error_set(&l->refused, "the box refuses: %s: %s", code ? code : "?", words ? words : "?");
	yyjson_doc_free(doc);
}

/* {"op":"ack","ref":1000000007,"seq":8} */
static void hear_ack(void *self, struct text message)
{
	static const char ack[] = "{\"op\":\"ack\",\"ref\":";
	struct bench_load *l = self;
	uint64_t ref;

	if (text_starts(message, TEXT("{\"op\":\"error\"")) && !l->refused.words[0]) {
		note_refusal(l, message);
		return;
	}
	if (!text_starts(message, TEXT(ack)) || message.len < sizeof(ack) + NUMBER_DIGITS)
		return;
	if (text_to_u64((struct text){message.at + sizeof(ack) - 1, NUMBER_DIGITS}, &ref)) {
		l->acked++;
		count(l, ref - FIRST_NUMBER);
	}
}

static bool emit_turn(struct bench_load *l, struct error *why)
{
	struct pollfd wait = {.fd = l->line.fd, .events = POLLIN};

	if (!bench_line_flush(&l->line, why))
		return false;
	if (bench_line_waits(&l->line))
		wait.events |= POLLOUT;
	if (poll(&wait, 1, WAIT_MS) < 0 && errno != EINTR)
		return error_errno(why, "poll");
	look_at_clock(l);
	if ((wait.revents & ~POLLOUT) && !bench_line_read(&l->line, hear_ack, l, why))
		return false;
	return is_alive(l, why);
}

static bool run_emits(struct bench_load *l, struct error *why)
{
	bool good = true;

	while (good && load_goes_on(l)) {
		fill(l, l->acked);
		good = emit_turn(l, why);
	}
	settle_load(l);
	l->counts = false;
	while (good && l->acked < l->sent && !interrupt_came())
		good = emit_turn(l, why);
	return good;
}

bool bench_emits(const struct bench_plan *plan, unsigned outstanding, struct bench_result *result,
                 struct error *why)
{
	struct bench_load l = {.plan = plan, .result = result, .outstanding = outstanding};
	bool good;

	begin_load(&l);
	make_signal(&l.signal, plan->size, true);
	good = bench_line_open(&l.line, plan->data, "/ws", why) && run_emits(&l, why);
	end_load(&l);
	return good;
}

/* ---- fan-out ---- */

/* All of them come, and in order; so the number of one is how many came before. */
static void hear_delivery(void *self, struct text message)
{
	struct bench_load *l = self;

	count(l, l->heard[l->ear]++);
}

static void hear_nothing(void *self, struct text message)
{
}

static uint64_t slowest(const struct bench_load *l)
{
	uint64_t least = UINT64_MAX;

	for (unsigned i = 0; i < l->plan->subscribers; i++)
		if (l->heard[i] < least)
			least = l->heard[i];
	return least;
}

static bool open_ears(struct bench_load *l, struct error *why)
{
	const char *path = "/ws/signals?type=" BENCH_TYPE "&source=" BENCH_SOURCE;

	l->ears = must_zero(l->plan->subscribers, sizeof(*l->ears));
	l->heard = must_zero(l->plan->subscribers, sizeof(*l->heard));
	for (unsigned i = 0; i < l->plan->subscribers; i++)
		if (!bench_line_open(&l->ears[i], l->plan->data, path, why))
			return error_within(why, "subscriber %u", i + 1);
	return true;
}

static bool read_ears(struct bench_load *l, const struct pollfd *waits, struct error *why)
{
	for (l->ear = 0; l->ear < l->plan->subscribers; l->ear++) {
		struct bench_line *line = &l->ears[l->ear];

		if (waits[l->ear].revents && !bench_line_read(line, hear_delivery, l, why))
			return false;
		if (!bench_line_flush(line, why))
			return false;
		l->now_ns = clock_mono_ns();
	}
	return true;
}

static bool fanout_turn(struct bench_load *l, struct pollfd *waits, struct error *why)
{
	unsigned n = l->plan->subscribers;

	if (!bench_line_flush(&l->line, why))
		return false;
	for (unsigned i = 0; i < n; i++)
		waits[i] = (struct pollfd){.fd = l->ears[i].fd, .events = POLLIN};
	waits[n] = (struct pollfd){.fd = l->line.fd, .events = POLLIN};
	if (bench_line_waits(&l->line))
		waits[n].events |= POLLOUT;
	if (poll(waits, n + 1, WAIT_MS) < 0 && errno != EINTR)
		return error_errno(why, "poll");
	look_at_clock(l);
	if ((waits[n].revents & ~POLLOUT) && !bench_line_read(&l->line, hear_nothing, l, why))
		return false;
	return read_ears(l, waits, why) && is_alive(l, why);
}

static bool run_fanout(struct bench_load *l, struct error *why)
{
	struct pollfd *waits = must_zero(l->plan->subscribers + 1, sizeof(*waits));
	bool good = true;

	while (good && load_goes_on(l)) {
		fill(l, slowest(l));
		good = fanout_turn(l, waits, why);
	}
	settle_load(l);
	l->counts = false;
	while (good && slowest(l) < l->sent && !interrupt_came())
		good = fanout_turn(l, waits, why);
	free(waits);
	return good;
}

bool bench_fanout(const struct bench_plan *plan, unsigned outstanding, struct bench_result *result,
                  struct error *why)
{
	struct bench_load l = {.plan = plan, .result = result, .outstanding = outstanding};
	bool good = open_ears(&l, why) &&
	            bench_line_open(&l.line, plan->data, "/ws/signals?mode=send", why);

	begin_load(&l);
	make_signal(&l.signal, plan->size, false);
	good = good && run_fanout(&l, why);
	end_load(&l);
	return good;
}
