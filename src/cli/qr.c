/* qr.c - squares into characters. */
#include "cli/qr.h"

#include <qrencode.h>

#define QUIET 4 /* squares around it that are light */

static bool is_dark(const QRcode *code, int x, int y)
{
	x -= QUIET;
	y -= QUIET;
	if (x < 0 || y < 0 || x >= code->width || y >= code->width)
		return false;
	return code->data[y * code->width + x] & 1;
}

static void draw_two_rows(struct out *out, const QRcode *code, int y)
{
	/* By what is drawn: nothing, the lower square, the upper one, both. */
	static const char *const blocks[] = {" ", "▄", "▀", "█"};
	int width = code->width + 2 * QUIET;
	bool is_light = !out->colored;

	out_paint(out, "\033[0;30;47m");
	for (int x = 0; x < width; x++) {
		unsigned upper = is_dark(code, x, y) != is_light;
		unsigned lower = (is_dark(code, x, y + 1) != is_light) && y + 1 < width;

		out_add(out, text_of(blocks[2 * upper + lower]));
	}
	out_paint(out, "\033[0m");
	out_add(out, TEXT("\n"));
}

bool qr_draw(struct out *out, const char *words)
{
	QRcode *code = QRcode_encodeString8bit(words, 0, QR_ECLEVEL_L);

	if (!code)
		return false;
	for (int y = 0; y < code->width + 2 * QUIET; y += 2)
		draw_two_rows(out, code, y);
	QRcode_free(code);
	return true;
}

bool qr_can_be_shown(const struct command_context *context)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *value = command_env(context, names[i]);

		if (value && *value)
			return strcasestr(value, "UTF-8") || strcasestr(value, "utf8");
	}
	return false;
}
