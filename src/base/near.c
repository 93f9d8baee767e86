/* near.c - edit distance with swaps (Damerau, optimal string alignment). */
#include "base/near.h"

#define WORD_MAX 48

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

unsigned near_slips(struct text a, struct text b)
{
	unsigned rows[3][WORD_MAX + 1]; /* the last three rows of the table */

	if (a.len > WORD_MAX)
		a.len = WORD_MAX;
	if (b.len > WORD_MAX)
		b.len = WORD_MAX;
	for (unsigned j = 0; j <= b.len; j++)
		rows[0][j] = j;
	for (unsigned i = 1; i <= a.len; i++) {
		unsigned *now = rows[i % 3];
		const unsigned *above = rows[(i + 2) % 3], *top = rows[(i + 1) % 3];

		now[0] = i;
		for (unsigned j = 1; j <= b.len; j++) {
			unsigned wrong = a.at[i - 1] != b.at[j - 1];

			now[j] = least(above[j - 1] + wrong, least(above[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && a.at[i - 1] == b.at[j - 2] &&
			    a.at[i - 2] == b.at[j - 1])
				now[j] = least(now[j], top[j - 2] + 1);
		}
	}
	return rows[a.len % 3][b.len];
}

void near_init(struct near *near, struct text word)
{
	*near = (struct near){.word = word};
}

void near_offer(struct near *near, const char *name)
{
	unsigned slips = near_slips(near->word, text_of(name));

	if (!near->best || slips < near->slips) {
		near->best = name;
		near->slips = slips;
	}
}

/* One letter of a short word may be wrong, and a third of those of a long one: a name that
 * shares only half of the letters is no help. */
const char *near_best(const struct near *near)
{
	size_t most = near->word.len < 6 ? 1 : near->word.len / 3;

	return near->best && near->slips <= most ? near->best : NULL;
}
