/* version.c - reading, comparing and writing three numbers. */
#include "tap/version.h"

#include <stdio.h>

static bool version_read_number(struct text text, uint32_t *out)
{
	uint64_t number;

	if (!text_to_u64(text, &number) || number > UINT32_MAX)
		return false;
	*out = (uint32_t)number;
	return true;
}

bool version_read(struct text text, struct version *out)
{
	struct text rest, major, minor, patch;
	size_t digits = 0;

	major = text_cut(text, '.', &rest);
	minor = text_cut(rest, '.', &patch);
	while (digits < patch.len && patch.at[digits] >= '0' && patch.at[digits] <= '9')
		digits++;
	if (digits < patch.len && patch.at[digits] != '-' && patch.at[digits] != '+')
		return false;
	patch.len = digits;
	return version_read_number(major, &out->major) && version_read_number(minor, &out->minor) &&
	       version_read_number(patch, &out->patch);
}

int version_compare(struct version a, struct version b)
{
	const uint32_t left[] = {a.major, a.minor, a.patch}, right[] = {b.major, b.minor, b.patch};

	for (int i = 0; i < 3; i++)
		if (left[i] != right[i])
			return left[i] < right[i] ? -1 : 1;
	return 0;
}

const char *version_print(struct version version, char out[VERSION_ROOM])
{
	snprintf(out, VERSION_ROOM, "%u.%u.%u", version.major, version.minor, version.patch);
	return out;
}
