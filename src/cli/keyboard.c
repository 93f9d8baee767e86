/* keyboard.c - see keyboard.h. */
#include "cli/keyboard.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "net/interrupt.h"
#include "tui/term.h"

#define ESCAPE_MS 50 /* an escape that nothing follows for so long is the key */
#define WIDTH 80     /* of a terminal that does not say */

static struct termios before;

void keyboard_give_back(void)
{
	tcsetattr(STDIN_FILENO, TCSANOW, &before);
}

void keyboard_take_again(void)
{
	struct termios ours = before;

	ours.c_lflag &= ~(tcflag_t)(ECHO | ICANON | ISIG | IEXTEN);
	ours.c_iflag &= ~(tcflag_t)IXON;
	ours.c_iflag |= ICRNL;
	ours.c_oflag |= OPOST | ONLCR;
	ours.c_cc[VMIN] = 1;
	ours.c_cc[VTIME] = 0;
	tcsetattr(STDIN_FILENO, TCSANOW, &ours);
}

bool keyboard_take(struct error *why)
{
	const char *name = getenv("TERM");

	if (!name || !*name || strcmp(name, "dumb") == 0)
		return error_set(why, "TERM=%s: this terminal is not supported", name ? name : "");
	if (tcgetattr(STDIN_FILENO, &before) != 0)
		return error_errno(why, "the terminal");
	term_use_utf8();
	keyboard_take_again();
	interrupt_before_crash(keyboard_give_back);
	return true;
}

/* How long the sequence is that an escape begins; 0: it is the key. */
static int sequence_length(const char *at, int len)
{
	int i = 2;

	if (len < 2 || (at[1] != '[' && at[1] != 'O'))
		return 0;
	while (i < len && (at[i] < '@' || at[i] > '~'))
		i++;
	return i < len ? i + 1 : len;
}

/* The rest of a sequence may be on its way. */
static int read_bytes(char *bytes, int room)
{
	struct pollfd input = {STDIN_FILENO, POLLIN, 0};
	ssize_t len = read(STDIN_FILENO, bytes, (size_t)room), more;

	if (len < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -1;
	if (len == 0)
		return -1;
	if (bytes[len - 1] == KEY_ESCAPE && len < room && poll(&input, 1, ESCAPE_MS) > 0) {
		more = read(STDIN_FILENO, bytes + len, (size_t)(room - len));
		len += more > 0 ? more : 0;
	}
	return (int)len;
}

int keyboard_read(char *keys, int room)
{
	char bytes[256];
	int len = read_bytes(bytes, (int)sizeof(bytes)), count = 0;

	if (len < 0)
		return -1;
	for (int i = 0; i < len && count < room; i++) {
		int sequence = bytes[i] == KEY_ESCAPE ? sequence_length(bytes + i, len - i) : 0;

		if (sequence)
			i += sequence - 1;
		else
			keys[count++] = bytes[i];
	}
	return count;
}

int keyboard_width(void)
{
	struct winsize size;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : WIDTH;
}
