/* progress.c - drawing the bar, and when. */
#include "cli/progress.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"

#define PERIOD_NS UINT64_C(100000000)
#define LINE_ROOM 512
#define BAR_MAX 40
#define BAR_MIN 4
#define COLUMNS_UNKNOWN 80
#define FAR_OFF_S (100 * 3600) /* nobody waits for that */

static unsigned columns_of(int fd)
{
	struct winsize size;

	return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : COLUMNS_UNKNOWN;
}

void progress_begin(struct progress *p, const struct command_context *context)
{
	const char *terminal = command_env(context, "TERM");

	p->is_on = isatty(2) && terminal && strcmp(terminal, "dumb") != 0;
	p->colored = p->is_on && !command_env(context, "NO_COLOR");
	p->is_shown = false;
	p->columns = p->is_on ? columns_of(2) : 0;
	p->began_ns = p->drawn_ns = clock_mono_ns();
}

/* ---- words ---- */

static void add_amount(struct buf *out, enum progress_unit unit, double amount)
{
	static const char *const bytes[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	static const char *const counts[] = {"", "k", "M", "G", "T"};
	const char *const *names = unit == PROGRESS_BYTES ? bytes : counts;
	double step = unit == PROGRESS_BYTES ? 1024 : 1000;
	unsigned i = 0;

	for (; amount >= step && i < 4; i++)
		amount /= step;
	buf_print(out, i ? "%.1f%s%s" : "%.0f%s%s", amount, names[i][0] ? " " : "", names[i]);
}

static void add_duration(struct buf *out, uint64_t seconds)
{
	if (seconds >= FAR_OFF_S)
		buf_add(out, TEXT("long"));
	else if (seconds >= 3600)
		buf_print(out, "%u:%02u:%02u", (unsigned)(seconds / 3600),
		          (unsigned)(seconds / 60 % 60), (unsigned)(seconds % 60));
	else
		buf_print(out, "%u:%02u", (unsigned)(seconds / 60), (unsigned)(seconds % 60));
}

/* How much of all is done, 0 to 1; less than 0: nobody knows. */
static double part_of(const struct progress *p, uint64_t done, uint64_t elapsed_ms)
{
	double part = -1;

	if (p->total_ms)
		part = (double)elapsed_ms / (double)p->total_ms;
	else if (p->total)
		part = (double)done / (double)p->total;
	return part < 1 ? part : 1;
}

static void add_numbers(struct buf *out, const struct progress *p, uint64_t done,
                        uint64_t elapsed_ms)
{
	double rate = elapsed_ms ? (double)done * 1000 / (double)elapsed_ms : 0;
	double part = part_of(p, done, elapsed_ms);

	if (part >= 0)
		buf_print(out, "%3u %%  ", (unsigned)(part * 100));
	add_amount(out, p->unit, (double)done);
	buf_add(out, TEXT("  "));
	add_amount(out, p->unit, rate);
	buf_add(out, TEXT("/s"));
	if (part > 0 && elapsed_ms) {
		double left = (double)elapsed_ms / 1000 * (1 - part) / part;

		buf_add(out, TEXT("  "));
		add_duration(out, left < FAR_OFF_S ? (uint64_t)(left + 0.5) : FAR_OFF_S);
		buf_add(out, TEXT(" left"));
	}
}

static void add_bar(struct buf *out, const struct progress *p, double part, size_t width)
{
	size_t full = (size_t)((double)width * part);

	buf_add(out, p->colored ? TEXT("\033[32m") : TEXT("["));
	for (size_t i = 0; i < full; i++)
		buf_add_char(out, '#');
	buf_add(out, p->colored ? TEXT("\033[90m") : TEXT(""));
	for (size_t i = full; i < width; i++)
		buf_add_char(out, '-');
	buf_add(out, p->colored ? TEXT("\033[0m  ") : TEXT("]  "));
}

void progress_draw(struct buf *out, const struct progress *p, uint64_t done, uint64_t elapsed_ms)
{
	size_t what = strlen(p->what) + 2, taken;
	struct buf numbers;

	if (p->total && done > p->total)
		done = p->total;
	buf_init(&numbers, LINE_ROOM);
	add_numbers(&numbers, p, done, elapsed_ms);
	taken = what + numbers.len + 4;
	if (what + numbers.len <= p->columns)
		buf_print(out, "%s  ", p->what);
	if ((p->total || p->total_ms) && taken + BAR_MIN <= p->columns) {
		size_t width = p->columns - taken;

		add_bar(out, p, part_of(p, done, elapsed_ms), width < BAR_MAX ? width : BAR_MAX);
	}
	if (numbers.len <= p->columns)
		buf_add(out, buf_text(&numbers));
	buf_finish(&numbers);
}

/* ---- the terminal ---- */

void progress_tell(struct progress *p, uint64_t done)
{
	uint64_t now;
	struct buf line;

	if (!p->is_on)
		return;
	now = clock_mono_ns();
	if (now - p->drawn_ns < PERIOD_NS)
		return;
	p->drawn_ns = now;
	buf_init(&line, LINE_ROOM);
	buf_add(&line, TEXT("\r\033[K"));
	progress_draw(&line, p, done, (now - p->began_ns) / 1000000);
	fprintf(stderr, "%.*s", TEXT_ARG(buf_text(&line)));
	p->is_shown = true;
	buf_finish(&line);
}

void progress_clear(struct progress *p)
{
	if (p->is_shown)
		fputs("\r\033[K", stderr);
	p->is_shown = false;
}
