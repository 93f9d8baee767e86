/* pattern.c - PCRE2 with a budget.
 *
 * Its own limits count backtracking anew for each place where a match may begin, and
 * do not count the characters that one item runs over; so a long text can still
 * take hours.  Therefore it calls us before each item, and we charge for the
 * item, for how far it has moved, and for how far an item may look in vain.  There
 * is no just-in-time compiler in this: it knows fewer limits, and wants memory that is
 * writable and executable.
 */
#include "signal/pattern.h"

#include <stdlib.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/must.h"

/* Some milliseconds at worst, and enough for a plain search through 100 KB. */
#define EFFORT_MAX 500000
/* How deep it may remember where to go back to; either ends it with "not found". */
#define DEPTH_MAX 10000
#define HEAP_MAX_KIB 1024

#define DIALECT \
	(PCRE2_UTF | PCRE2_ALT_BSUX | PCRE2_ALLOW_EMPTY_CLASS | PCRE2_DOLLAR_ENDONLY | \
	 PCRE2_MATCH_UNSET_BACKREF | PCRE2_NEVER_UCP | PCRE2_NEVER_BACKSLASH_C | \
	 PCRE2_AUTO_CALLOUT)

struct pattern {
	pcre2_code *code;
	pcre2_match_context *limits;
	pcre2_match_data *found;
	size_t reach;    /* characters that one item may look at in vain */
	bool looks_back; /* \1 may look at as many as there are */

	/* While it looks. */
	size_t left, each, at;
};

static size_t number_at(struct text t, size_t i)
{
	size_t n = 0;

	while (i < t.len && t.at[i] == ' ')
		i++;
	for (; i < t.len && t.at[i] >= '0' && t.at[i] <= '9' && n < EFFORT_MAX; i++)
		n = n * 10 + (size_t)(t.at[i] - '0');
	return n;
}

/* Finds how often an item must occur at most: "x{5000}" looks at 4999 of them before
 * it fails.  False for \X, which is not of the dialect and may look at everything. */
static bool measure(struct pattern *p, struct text text)
{
	for (size_t i = 0; i < text.len; i++) {
		size_t times = text.at[i] == '{' ? number_at(text, i + 1) : 0;

		if (times > p->reach)
			p->reach = times;
		if (text.at[i] == '\\' && ++i < text.len && text.at[i] == 'X')
			return false;
	}
	return true;
}

static size_t distance(size_t a, size_t b)
{
	return a > b ? a - b : b - a;
}

static int charge(pcre2_callout_block *block, void *self)
{
	struct pattern *p = self;
	size_t cost = 1 + p->each;

	/* Where a match cannot begin is passed over quickly, and costs nothing. */
	if (!(block->callout_flags & PCRE2_CALLOUT_STARTMATCH))
		cost += distance(block->current_position, p->at);
	p->at = block->current_position;
	if (cost > p->left)
		return PCRE2_ERROR_MATCHLIMIT;
	p->left -= cost;
	return 0;
}

static void *take_memory(PCRE2_SIZE size, void *unused)
{
	return must_alloc(size);
}

static void give_memory(void *at, void *unused)
{
	free(at);
}

/* Without memory it would be a pattern that is none, or a text that does not match. */
static pcre2_general_context *make_memory(void)
{
	return pcre2_general_context_create(take_memory, give_memory, NULL);
}

static pcre2_code *compile(struct text text, pcre2_general_context *memory)
{
	pcre2_compile_context *context = pcre2_compile_context_create(memory);
	pcre2_code *code;
	PCRE2_SIZE where;
	int fault;

	pcre2_set_newline(context, PCRE2_NEWLINE_ANYCRLF);
	code = pcre2_compile((PCRE2_SPTR)text.at, text.len, DIALECT, &fault, &where, context);
	pcre2_compile_context_free(context);
	return code;
}

static void prepare(struct pattern *p, pcre2_general_context *memory)
{
	uint32_t furthest = 0;

	pcre2_pattern_info(p->code, PCRE2_INFO_BACKREFMAX, &furthest);
	p->looks_back = furthest > 0;
	p->limits = pcre2_match_context_create(memory);
	p->found = pcre2_match_data_create(1, memory);
	pcre2_set_match_limit(p->limits, EFFORT_MAX);
	pcre2_set_depth_limit(p->limits, DEPTH_MAX);
	pcre2_set_heap_limit(p->limits, HEAP_MAX_KIB);
	pcre2_set_callout(p->limits, charge, p);
	pattern_is_in(p, TEXT("")); /* takes the memory that it needs every time */
}

struct pattern *pattern_create(struct text text)
{
	struct pattern *p = must_zero(1, sizeof(*p));
	pcre2_general_context *memory = make_memory();

	if (text.len <= PATTERN_LEN_MAX && measure(p, text))
		p->code = compile(text.len ? text : TEXT(""), memory);
	if (p->code) {
		prepare(p, memory);
	} else {
		pattern_destroy(p);
		p = NULL;
	}
	pcre2_general_context_free(memory);
	return p;
}

void pattern_destroy(struct pattern *p)
{
	if (!p)
		return;
	pcre2_match_data_free(p->found);
	pcre2_match_context_free(p->limits);
	pcre2_code_free(p->code);
	free(p);
}

bool pattern_is_in(struct pattern *p, struct text text)
{
	PCRE2_SPTR at = (PCRE2_SPTR)(text.len ? text.at : "");

	p->left = EFFORT_MAX;
	p->each = p->looks_back && text.len > p->reach ? text.len : p->reach;
	return pcre2_match(p->code, at, text.len, 0, 0, p->found, p->limits) >= 0;
}
