/* term.c - the terminal, by ncurses.
 *
 * Only here bytes go to the terminal.  They are those of a canvas, which holds nothing
 * that could move anything (wide.h), and our own few sequences.
 */
#include "tui/term.h"

#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/must.h"
#include "net/interrupt.h"
#include "tui/backdrop.h"

#define ESCAPE_MS 50 /* an escape that nothing follows for so long is the key */
#define DOUBLE_MS 400
#define PASTE_ON "\033[?2004h"
#define PASTE_OFF "\033[?2004l"
#define KEY_PASTE_BEGIN (KEY_MAX + 1)
#define KEY_PASTE_END (KEY_MAX + 2)
#define ANSWER_LEN_MAX 64 /* characters of what a terminal answers */
#define COPY_MAX (64 * KIB)

struct term {
	SCREEN *screen;
	struct palette palette;
	attr_t attributes[256]; /* of a style */
	short pairs[256];
	struct canvas shown;
	uint64_t clicked_ns; /* when and where, for a second one */
	int clicked_row, clicked_col;
};

/* ---- what a crash needs ---- */

static struct {
	struct termios modes;
	char bytes[256];
	size_t len;
} rescue;

static void add_rescue(const char *bytes)
{
	size_t len = bytes && bytes != (char *)-1 ? strlen(bytes) : 0;

	if (len > sizeof(rescue.bytes) - rescue.len)
		return;
	memcpy(rescue.bytes + rescue.len, len ? bytes : "", len);
	rescue.len += len;
}

/* Reset what is set, by the terminal's own words where it has them. */
static void prepare_rescue(void)
{
	rescue.len = 0;
	add_rescue("\033[?1000l\033[?1002l\033[?1003l\033[?1006l" PASTE_OFF);
	add_rescue(tigetstr("sgr0"));
	add_rescue(tigetstr("rmkx"));
	add_rescue(tigetstr("cnorm"));
	add_rescue(tigetstr("rmcup"));
}

static void rescue_terminal(void)
{
	ssize_t done = write(STDOUT_FILENO, rescue.bytes, rescue.len);

	if (done >= 0)
		tcsetattr(STDIN_FILENO, TCSANOW, &rescue.modes);
}

/* ---- styles ---- */

static void prepare_colours(struct term *term)
{
	if (!getenv("NO_COLOR") && has_colors() && start_color() == OK) {
		use_default_colors();
		term->palette.colours = COLORS;
	}
	for (int style = 0; style < 256; style++) {
		struct style_look look = style_look((uint8_t)style, term->palette);
		short pair = (short)((style & ~STYLE_CHOSEN) + 1);

		term->attributes[style] = (look.bold ? A_BOLD : 0) | (look.dim ? A_DIM : 0) |
		                          (look.reverse ? A_REVERSE : 0);
		if (term->palette.colours == 0 || (style & ~STYLE_CHOSEN) >= STYLES)
			continue;
		if (term->palette.colours >= 256 && style & STYLE_CHOSEN)
			pair = (short)(pair + STYLES);
		init_pair(pair, look.colour, look.background);
		term->pairs[style] = pair;
	}
}

/* ---- the terminal is ours, and is not ---- */

static void write_own(const char *bytes)
{
	fputs(bytes, stdout);
	fflush(stdout);
}

static void prepare_keys(void)
{
	raw();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(ESCAPE_MS);
	typeahead(-1); /* else what is typed would hold up what is drawn */
	mouseinterval(0);
	mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
	define_key("\033[200~", KEY_PASTE_BEGIN);
	define_key("\033[201~", KEY_PASTE_END);
	write_own(PASTE_ON);
}

void term_use_utf8(void)
{
	setlocale(LC_CTYPE, "");
	if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
		setlocale(LC_CTYPE, "C.UTF-8");
}

/* New terminals are often not in the database yet; these understand what xterm does. */
static bool is_like_xterm(const char *name)
{
	static const char *const kin[] = {"xterm",   "alacritty", "contour", "foot",
	                                  "ghostty", "konsole",   "mintty",  "rxvt",
	                                  "st-",     "vte",       "wezterm"};

	for (size_t i = 0; name && i < sizeof(kin) / sizeof(*kin); i++)
		if (strncmp(name, kin[i], strlen(kin[i])) == 0)
			return true;
	return false;
}

static SCREEN *open_screen(const char *name)
{
	SCREEN *screen = newterm(NULL, stdout, stdin);

	return screen || !is_like_xterm(name) ? screen : newterm("xterm-256color", stdout, stdin);
}

/* What was typed while the terminal was asked; the last goes back first. */
static void give_typed(const struct buf *typed)
{
	for (size_t i = typed->len; i > 0; i--)
		ungetch((unsigned char)typed->at[i - 1]);
}

struct term *term_create(enum tui_background background, struct error *why)
{
	const char *name = getenv("TERM");
	struct palette palette = {0};
	struct term *term;
	struct buf typed;
	SCREEN *screen;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) ||
	    tcgetattr(STDIN_FILENO, &rescue.modes) != 0) {
		error_set(why, "this needs a terminal");
		return NULL;
	}
	term_use_utf8();
	buf_init(&typed, BACKDROP_TYPED_MAX);
	palette.is_light = backdrop_is_light(background, &typed);
	screen = open_screen(name);
	if (!screen || !tigetstr("cup")) {
		error_set(why, "TERM=%s: this terminal is not supported", name ? name : "");
		if (screen)
			delscreen(screen);
		tcsetattr(STDIN_FILENO, TCSANOW, &rescue.modes);
		buf_finish(&typed);
		return NULL;
	}
	term = must_zero(1, sizeof(*term));
	term->screen = screen;
	term->palette = palette;
	canvas_init(&term->shown);
	prepare_rescue();
	interrupt_before_crash(rescue_terminal);
	prepare_colours(term);
	prepare_keys();
	give_typed(&typed);
	buf_finish(&typed);
	curs_set(0);
	return term;
}

static void give_back(void)
{
	write_own(PASTE_OFF);
	endwin();
	tcsetattr(STDIN_FILENO, TCSANOW, &rescue.modes);
}

void term_destroy(struct term *term)
{
	if (!term)
		return;
	give_back();
	delscreen(term->screen);
	canvas_finish(&term->shown);
	free(term);
}

void term_again(struct term *term)
{
	canvas_finish(&term->shown);
	write_own(PASTE_ON);
	clearok(stdscr, TRUE);
	refresh();
}

void term_suspend(struct term *term)
{
	give_back();
	interrupt_suspend();
	tcgetattr(STDIN_FILENO, &rescue.modes);
	term_resized(term);
}

/* While we were stopped somebody else may have used the terminal. */
void term_resumed(struct term *term)
{
	endwin();
	term_resized(term);
}

/* ---- size ---- */

void term_size(const struct term *term, int *rows, int *cols)
{
	getmaxyx(stdscr, *rows, *cols);
}

void term_resized(struct term *term)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0)
		resizeterm(size.ws_row, size.ws_col);
	term_again(term);
}

/* ---- showing ---- */

static void make_cell(const struct term *term, cchar_t *out, const struct cell *cell)
{
	wchar_t characters[CCHARW_MAX + 1];
	mbstate_t state = {0};
	const char *at = cell->glyph.at;
	size_t left = cell->glyph.len, count = 0;

	while (left > 0 && count < CCHARW_MAX) {
		size_t took = mbrtowc(&characters[count], at, left, &state);

		if (took == 0 || took > left)
			break;
		at += took;
		left -= took;
		count++;
	}
	characters[count] = L'\0';
	setcchar(out, characters, term->attributes[cell->style], term->pairs[cell->style], NULL);
}

static void show_row(const struct term *term, const struct cell *cells, int row, int cols)
{
	cchar_t out[CANVAS_COLS_MAX];
	int count = 0;

	for (int col = 0; col < cols; col++)
		if (cells[col].glyph.width > 0)
			make_cell(term, &out[count++], &cells[col]);
	mvadd_wchnstr(row, 0, out, count);
}

void term_show(struct term *term, const struct canvas *canvas, int row, int col)
{
	size_t len = (size_t)canvas->cols * sizeof(*canvas->cells);

	if (term->shown.rows != canvas->rows || term->shown.cols != canvas->cols) {
		canvas_size(&term->shown, canvas->rows, canvas->cols);
		erase();
	}
	for (int r = 0; r < canvas->rows; r++) {
		struct cell *shown = &term->shown.cells[r * canvas->cols];
		const struct cell *wanted = &canvas->cells[r * canvas->cols];

		if (memcmp(shown, wanted, len) == 0)
			continue;
		show_row(term, wanted, r, canvas->cols);
		memcpy(shown, wanted, len);
	}
	curs_set(row >= 0);
	if (row >= 0)
		move(row, col);
	refresh();
}

void term_copy(struct term *term, struct text text)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t len = text.len < COPY_MAX ? text.len : COPY_MAX;

	fputs("\033]52;c;", stdout);
	for (size_t i = 0; i < len; i += 3) {
		uint32_t three = (uint32_t)(uint8_t)text.at[i] << 16;

		if (i + 1 < len)
			three |= (uint32_t)(uint8_t)text.at[i + 1] << 8;
		if (i + 2 < len)
			three |= (uint8_t)text.at[i + 2];
		putchar(digits[three >> 18]);
		putchar(digits[three >> 12 & 63]);
		putchar(i + 1 < len ? digits[three >> 6 & 63] : '=');
		putchar(i + 2 < len ? digits[three & 63] : '=');
	}
	write_own("\a");
}

/* ---- reading ---- */

static bool read_mouse(struct term *term, struct press *press)
{
	uint64_t now = clock_mono_ns();
	MEVENT event;

	if (getmouse(&event) != OK)
		return false;
	*press = (struct press){.row = event.y, .col = event.x};
	if (event.bstate & BUTTON4_PRESSED)
		press->code = PRESS_WHEEL_UP;
	else if (event.bstate & BUTTON5_PRESSED)
		press->code = PRESS_WHEEL_DOWN;
	else if (event.bstate & BUTTON1_PRESSED)
		press->code = PRESS_CLICK;
	else
		return false;
	if (press->code != PRESS_CLICK)
		return true;
	if (now - term->clicked_ns < DOUBLE_MS * 1000000ull && event.y == term->clicked_row &&
	    event.x == term->clicked_col)
		press->code = PRESS_DOUBLE;
	term->clicked_ns = now;
	term->clicked_row = event.y;
	term->clicked_col = event.x;
	return true;
}

static uint32_t special(wint_t code)
{
	static const struct {
		wint_t theirs;
		uint32_t ours;
	} table[] = {
		{KEY_UP, PRESS_UP},
		{KEY_DOWN, PRESS_DOWN},
		{KEY_LEFT, PRESS_LEFT},
		{KEY_RIGHT, PRESS_RIGHT},
		{KEY_PPAGE, PRESS_PAGE_UP},
		{KEY_NPAGE, PRESS_PAGE_DOWN},
		{KEY_HOME, PRESS_HOME},
		{KEY_END, PRESS_END},
		{KEY_DC, PRESS_DELETE},
		{KEY_BTAB, PRESS_BACK_TAB},
		{KEY_ENTER, PRESS_ENTER},
		{KEY_BACKSPACE, PRESS_BACKSPACE},
		{KEY_PASTE_BEGIN, PRESS_PASTE_BEGIN},
		{KEY_PASTE_END, PRESS_PASTE_END},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (table[i].theirs == code)
			return table[i].ours;
	return 0;
}

/* What a terminal answers too late is no key: `ESC ]` up to BEL or ESC \, `ESC [ ?` up to
 * a letter.  After an escape; false when it is none, and nothing was taken. */
static bool pass_answer(void)
{
	wint_t code = 0, mark = 0;
	int kind = get_wch(&mark);
	bool is_colour, is_kind;

	if (kind == KEY_CODE_YES)
		ungetch((int)mark);
	if (kind != OK)
		return false;
	is_colour = mark == ']';
	is_kind = mark == '[' && get_wch(&code) == OK && code == '?';
	if (!is_colour && !is_kind) {
		if (code)
			unget_wch((wchar_t)code);
		unget_wch((wchar_t)mark);
		return false;
	}
	for (int i = 0; i < ANSWER_LEN_MAX && get_wch(&code) == OK; i++)
		if (is_colour ? code == '\a' || code == '\\' : code >= '@')
			break;
	return true;
}

bool term_read(struct term *term, struct press *press)
{
	wint_t code;

	for (;;) {
		int kind = get_wch(&code);

		if (kind == ERR)
			return false;
		*press = (struct press){.code = (uint32_t)code};
		if (kind == KEY_CODE_YES && code == KEY_MOUSE) {
			if (read_mouse(term, press))
				return true;
			continue;
		}
		if (kind == KEY_CODE_YES)
			press->code = special(code);
		else if (code == PRESS_ESCAPE && pass_answer())
			continue;
		else if (code == '\r')
			press->code = PRESS_ENTER;
		else if (code == '\b')
			press->code = PRESS_BACKSPACE;
		if (press->code != 0)
			return true;
	}
}

void term_ring(struct term *term)
{
	(void)term;
	beep();
}
