/* position.c - reading a position that somebody outside wrote. */
#include "journal/position.h"

bool epoch_is_valid(struct text t)
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
	if (!epoch_is_valid(epoch) || !text_to_u64(number, &out->seq))
		return false;
	memcpy(out->epoch, epoch.at, EPOCH_LEN);
	return true;
}
