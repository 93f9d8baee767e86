/* cue.c - following a path through a payload, as JavaScript would. */
#include "signal/cue.h"

#include "signal/figure.h"

bool cue_path(struct text *path)
{
	const struct text prefix = TEXT("signal.");

	if (!text_starts(*path, prefix))
		return false;
	path->at += prefix.len;
	path->len -= prefix.len;
	return true;
}

/* What no document holds is made here, for a caller that looks at it at once. */
static yyjson_val *made_text(struct text t)
{
	static _Thread_local yyjson_val made;

	yyjson_set_strn(&made, t.len ? t.at : "", t.len);
	return &made;
}

static yyjson_val *made_number(size_t n)
{
	static _Thread_local yyjson_val made;

	yyjson_set_uint(&made, n);
	return &made;
}

/* "01" is no index, in JavaScript either. */
static yyjson_val *item(yyjson_val *array, struct text name)
{
	uint64_t index;

	if (text_is(name, "length"))
		return made_number(yyjson_arr_size(array));
	if (!text_to_u64(name, &index) || (name.len > 1 && name.at[0] == '0'))
		return NULL;
	return yyjson_arr_get(array, index);
}

yyjson_val *cue_at(const struct cue *cue, struct text path)
{
	yyjson_val *at = cue->payload;

	if (text_equal(path, TEXT("type")))
		return made_text(cue->type);
	if (text_starts(path, TEXT("figure")) && figure_at(cue, path, &at))
		return at;
	do {
		struct text name = text_cut(path, '.', &path);

		at = yyjson_is_arr(at) ? item(at, name) : yyjson_obj_getn(at, name.at, name.len);
	} while (at && path.at);
	return at;
}
