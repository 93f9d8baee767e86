/* style_test.c - colours that can be read, on any background. */
#include "tui/style.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct palette dark = {256, false}, light = {256, true};

static void there_is_a_look_for_any_number_of_colours(void **state)
{
	assert_int_equal(style_look(STYLE_STREAMING, dark).colour, 51);
	assert_int_equal(style_look(STYLE_STREAMING | STYLE_CHOSEN, dark).background, 24);
	assert_int_equal(style_look(STYLE_STREAMING, (struct palette){16, false}).colour, 14);
	assert_int_equal(style_look(STYLE_STREAMING, (struct palette){8, false}).colour, 6);
	assert_true(style_look(STYLE_STREAMING, (struct palette){8, false}).bold);
	assert_true(style_look(STYLE_PAUSED, (struct palette){0, false}).reverse);
	for (int style = 0; style < 256; style++) {
		for (int is_light = 0; is_light < 2; is_light++) {
			struct palette none = {0, is_light}, eight = {8, is_light};

			assert_int_equal(style_look((uint8_t)style, none).colour, -1);
			assert_true(style_look((uint8_t)style, eight).colour < 8);
			assert_true(style_look((uint8_t)style, eight).background < 8);
		}
	}
}

/* ---- contrast, as WCAG has it ---- */

static double linear(double part)
{
	return part <= 0.03928 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4);
}

/* Of the 240 that are the same on all terminals. */
static double luminance(int colour)
{
	static const int steps[] = {0, 95, 135, 175, 215, 255};
	int red, green, blue;

	assert_in_range(colour, 16, 255);
	if (colour >= 232) {
		red = green = blue = 8 + 10 * (colour - 232);
	} else {
		red = steps[(colour - 16) / 36];
		green = steps[(colour - 16) / 6 % 6];
		blue = steps[(colour - 16) % 6];
	}
	return 0.2126 * linear(red / 255.0) + 0.7152 * linear(green / 255.0) +
	       0.0722 * linear(blue / 255.0);
}

static double contrast(double a, double b)
{
	return a > b ? (a + 0.05) / (b + 0.05) : (b + 0.05) / (a + 0.05);
}

/* Lines and what is still to come may be faint; words may not. */
static double wanted(int style)
{
	switch (style) {
	case STYLE_BAR_REST:
		return 1.9;
	case STYLE_BORDER:
	case STYLE_PHASE_NEXT:
		return 2.8;
	default:
		return 4.4;
	}
}

static void assert_readable(int style, struct palette palette, double behind)
{
	struct style_look look = style_look((uint8_t)style, palette);
	double back = look.background < 0 ? behind : luminance(look.background);
	double least = wanted(style & ~STYLE_CHOSEN), found;

	if (look.colour < 0 && look.background < 0)
		return; /* as the terminal has it */
	assert_true(look.colour >= 0);
	found = contrast(luminance(look.colour), back);
	if (found < least)
		fail_msg("style %d, light %d: %.2f", style, palette.is_light, found);
}

static void words_can_be_read_on_dark_and_on_light(void **state)
{
	for (int style = 0; style < STYLES; style++) {
		assert_readable(style, dark, 0);
		assert_readable(style, light, 1);
		assert_readable(style | STYLE_CHOSEN, dark, 0);
		assert_readable(style | STYLE_CHOSEN, light, 1);
	}
}

/* Whatever the background was taken for. */
static void what_people_decide_on_has_the_colours_of_the_terminal(void **state)
{
	static const uint8_t styles[] = {STYLE_PLAIN, STYLE_TITLE, STYLE_HUMAN};

	for (size_t i = 0; i < sizeof(styles); i++) {
		for (int colours = 8; colours <= 256; colours *= 2) {
			for (int is_light = 0; is_light < 2; is_light++) {
				struct style_look look =
					style_look(styles[i], (struct palette){colours, is_light});

				assert_int_equal(look.colour, -1);
				assert_int_equal(look.background, -1);
			}
		}
	}
}

static void sixteen_colours_on_light_have_no_bright_ones(void **state)
{
	for (int style = 0; style < STYLES; style++) {
		struct style_look look = style_look((uint8_t)style, (struct palette){16, true});

		assert_true(look.background >= 0 || look.colour <= 8);
		look = style_look((uint8_t)style | STYLE_CHOSEN, (struct palette){16, true});
		assert_true(look.reverse && look.colour == -1 && look.background == -1);
	}
}

/* ---- what a terminal says ---- */

static int light_of(bool (*read)(struct text said, bool *is_light), const char *said)
{
	bool is_light = false;

	return read(text_of(said), &is_light) ? is_light : -1;
}

static void the_background_is_known_by_its_colour(void **state)
{
	assert_int_equal(light_of(style_is_light_rgb, "rgb:ffff/ffff/ffff"), 1);
	assert_int_equal(light_of(style_is_light_rgb, "rgb:fd/f6/e3"), 1);
	assert_int_equal(light_of(style_is_light_rgb, "rgb:f/f/f"), 1);
	assert_int_equal(light_of(style_is_light_rgb, "rgb:0000/0000/0000"), 0);
	assert_int_equal(light_of(style_is_light_rgb, "rgb:0000/2b2b/3636"), 0);
	assert_int_equal(light_of(style_is_light_rgb, "rgb:0/0/ffff"), 0);
	assert_int_equal(light_of(style_is_light_rgb, "rgb:/0/ffff"), -1);
	assert_int_equal(light_of(style_is_light_rgb, "rgb:00000/0/0"), -1);
	assert_int_equal(light_of(style_is_light_rgb, "rgb:xx/0/0"), -1);
	assert_int_equal(light_of(style_is_light_rgb, "rgb:ff/ff"), -1);
	assert_int_equal(light_of(style_is_light_rgb, "?"), -1);
	assert_int_equal(light_of(style_is_light_rgb, ""), -1);
}

static void or_by_the_pair_that_some_terminals_leave(void **state)
{
	assert_int_equal(light_of(style_is_light_pair, "0;15"), 1);
	assert_int_equal(light_of(style_is_light_pair, "0;default;7"), 1);
	assert_int_equal(light_of(style_is_light_pair, "15;0"), 0);
	assert_int_equal(light_of(style_is_light_pair, "15;default;8"), 0);
	assert_int_equal(light_of(style_is_light_pair, "default;default"), -1);
	assert_int_equal(light_of(style_is_light_pair, "15"), -1);
	assert_int_equal(light_of(style_is_light_pair, "0;99"), -1);
	assert_int_equal(light_of(style_is_light_pair, ""), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_is_a_look_for_any_number_of_colours),
		cmocka_unit_test(words_can_be_read_on_dark_and_on_light),
		cmocka_unit_test(what_people_decide_on_has_the_colours_of_the_terminal),
		cmocka_unit_test(sixteen_colours_on_light_have_no_bright_ones),
		cmocka_unit_test(the_background_is_known_by_its_colour),
		cmocka_unit_test(or_by_the_pair_that_some_terminals_leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
