/* palette.c - a source's identity colour. */
#include "source/palette.h"

static const char *const colors[PALETTE_SIZE] = {
	"#5B8DEF", "#E8A851", "#4EC9B0", "#C586C0", "#6A9955", "#F44747", "#D4A0E0", "#4DC9F6",
};

static const struct {
	const char *id, *color;
} locals[] = {
	{"local:claude-code", "#E8A851"},
	{"local:openclaw", "#5B8DEF"},
	{"local:lm-studio", "#4EC9B0"},
	{"local:ollama", "#6A9955"},
};

const char *palette_local(struct text id)
{
	for (size_t i = 0; i < sizeof(locals) / sizeof(*locals); i++)
		if (text_is(id, locals[i].id))
			return locals[i].color;
	return NULL;
}

const char *palette_color(unsigned turn)
{
	return colors[turn % PALETTE_SIZE];
}

bool palette_is_color(struct text t)
{
	if (t.len != 7 || t.at[0] != '#')
		return false;
	for (size_t i = 1; i < t.len; i++)
		if (!strchr("0123456789abcdefABCDEF", t.at[i]) || t.at[i] == '\0')
			return false;
	return true;
}
