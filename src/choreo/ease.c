/* ease.c - the two sets of curves. */
#include "choreo/ease.h"

#include <math.h>

static const char *const names[EASES] = {
	[EASE_LINEAR] = "linear",    [EASE_IN] = "easeIn", [EASE_OUT] = "easeOut",
	[EASE_IN_OUT] = "easeInOut", [EASE_ARC] = "arc",
};

enum ease ease_find(struct text name)
{
	for (unsigned i = 0; i < EASES; i++)
		if (text_is(name, names[i]))
			return (enum ease)i;
	return EASE_LINEAR;
}

const char *ease_name(enum ease ease)
{
	return names[ease];
}

static double squared(double t)
{
	return t * t;
}

static double cubed(double t)
{
	return t * t * t;
}

/* What both sets have in common. */
static double common(enum ease ease, double t)
{
	switch (ease) {
	case EASE_IN:
		return squared(t);
	case EASE_OUT:
		return 1 - squared(1 - t);
	default:
		return t;
	}
}

double ease_step(enum ease ease, double t)
{
	switch (ease) {
	case EASE_IN_OUT:
		return t < 0.5 ? 4 * cubed(t) : 1 - cubed(2 - 2 * t) / 2;
	case EASE_ARC:
		return 4 * t * (1 - t);
	default:
		return common(ease, t);
	}
}

double ease_binding(enum ease ease, double t)
{
	switch (ease) {
	case EASE_IN_OUT:
		return t < 0.5 ? 2 * squared(t) : 1 - squared(2 - 2 * t) / 2;
	case EASE_ARC:
		return sin(M_PI * t);
	default:
		return common(ease, t);
	}
}
