/* position.c - reading a position that somebody outside wrote. */
#include "signal/position.h"

#include <assert.h>
#include <stdio.h>

bool position_is_epoch(struct text t)
{
	if (t.len != EPOCH_LEN)
		return false;
	for (size_t i = 0; i < t.len; i++)
		if (!((t.at[i] >= '0' && t.at[i] <= '9') || (t.at[i] >= 'a' && t.at[i] <= 'f')))
			return false;
	return true;
}

bool position_parse(struct text t, struct position *out)
{
	struct text number, epoch = text_cut(t, '-', &number);

	*out = (struct position){0};
	if (!number.at)
		return text_to_u64(t, &out->seq);
	if (!position_is_epoch(epoch) || !text_to_u64(number, &out->seq))
		return false;
	memcpy(out->epoch, epoch.at, EPOCH_LEN);
	return true;
}

bool positions_parse(struct text t, struct positions *out)
{
	struct text rest = t;

	out->count = 0;
	while (rest.at) {
		struct text one = text_cut(rest, ',', &rest);

		if (out->count == POSITIONS_MAX || !position_parse(one, &out->all[out->count]))
			return false;
		out->count++;
	}
	return out->count > 0;
}

void positions_step(struct positions *p, struct position now)
{
	struct position *newest = &p->all[0];

	assert(p->count <= POSITIONS_MAX);
	if (p->count && newest->epoch[0] && strcmp(newest->epoch, now.epoch) != 0) {
		if (p->count < POSITIONS_MAX)
			p->count++;
		memmove(p->all + 1, p->all, (p->count - 1) * sizeof *p->all);
	} else if (p->count == 0) {
		p->count = 1;
	}
	*newest = now;
	for (size_t i = 1; i < p->count; i++)
		if (p->all[i].seq > now.seq)
			p->all[i].seq = now.seq;
}

struct text positions_print(const struct positions *p, char out[POSITIONS_ROOM])
{
	size_t len = 0;

	for (size_t i = 0; i < p->count; i++)
		len += (size_t)snprintf(out + len, POSITIONS_ROOM - len, "%s%s%s%llu", i ? "," : "",
		                        p->all[i].epoch, p->all[i].epoch[0] ? "-" : "",
		                        (unsigned long long)p->all[i].seq);
	return (struct text){out, len};
}
