/* replayed.c - cutting a line into its members, and joining them anew. */
#include "cli/replayed.h"

#include "base/put.h"
#include "base/random.h"

#define LINE_LEN_MAX (16 * MIB)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

void replayed_init(struct replayed *r)
{
	*r = (struct replayed){0};
	json_reader_init(&r->json, LINE_LEN_MAX);
}

void replayed_finish(struct replayed *r)
{
	json_reader_finish(&r->json);
}

bool replayed_read(struct replayed *r, struct text line, struct error *why)
{
	yyjson_doc *doc = json_read(&r->json, line, why);

	if (!doc)
		return false;
	r->line = line;
	r->root = yyjson_doc_get_root(doc);
	r->type = json_text_at(r->root, "type");
	if (!r->type.at)
		return error_set(why, "no signal: it has no type");
	r->source = json_text_at(r->root, "source");
	r->id = json_text_at(r->root, "id");
	r->seq = yyjson_get_uint(yyjson_obj_get(r->root, "seq"));
	r->has_time = json_number(yyjson_obj_get(r->root, "timestamp"), &r->at_ms);
	return true;
}

bool replayed_may_go(const struct replayed *r)
{
	static const char *const sources[] = {"signalbox", "stage"};
	static const char *const types[] = {"prompt", "answer", "control"};
	static const char *const families[] = {"prompt.", "user.", "source.", "journal."};

	for (size_t i = 0; i < COUNT(sources); i++)
		if (text_is(r->source, sources[i]))
			return false;
	for (size_t i = 0; i < COUNT(types); i++)
		if (text_is(r->type, types[i]))
			return false;
	for (size_t i = 0; i < COUNT(families); i++)
		if (text_starts(r->type, text_of(families[i])))
			return false;
	return true;
}

/* ---- members as they were written ---- */

/* Where the opening quote of a name stands in the line. */
static size_t place_of(const struct replayed *r, yyjson_val *name)
{
	return (size_t)(yyjson_get_str(name) - r->json.copy.at) - 1;
}

/* From the name to before the comma or the brace that ends it; `end` is where the next
 * name begins, or behind the object's brace. */
static struct text member_at(const struct replayed *r, size_t start, size_t end)
{
	struct text t = text_trim((struct text){r->line.at + start, end - start});

	t.len--;
	return text_trim(t);
}

static bool is_one_of(struct text name, const char *const *names)
{
	for (; *names; names++)
		if (text_is(name, *names))
			return true;
	return false;
}

/* The members of an object that ends before `end`, but for those; each with a comma behind. */
static void add_members(struct buf *out, const struct replayed *r, yyjson_val *object, size_t end,
                        const char *const *without)
{
	yyjson_obj_iter names = yyjson_obj_iter_with(object);
	yyjson_val *name = yyjson_obj_iter_next(&names);

	while (name) {
		yyjson_val *next = yyjson_obj_iter_next(&names);

		if (!is_one_of(json_text(name), without)) {
			buf_add(out,
			        member_at(r, place_of(r, name), next ? place_of(r, next) : end));
			buf_add_char(out, ',');
		}
		name = next;
	}
}

/* Behind the brace that ends the value of this member. */
static size_t end_of_member(const struct replayed *r, const char *wanted)
{
	yyjson_obj_iter names = yyjson_obj_iter_with(r->root);
	yyjson_val *name;
	bool found = false;
	size_t end = r->line.len;

	while ((name = yyjson_obj_iter_next(&names))) {
		if (found) {
			end = place_of(r, name);
			break;
		}
		found = text_is(json_text(name), wanted);
	}
	/* Back over the comma, or the brace of the envelope, to the one before it. */
	end--;
	while (r->line.at[end - 1] != '}')
		end--;
	return end;
}

static void add_metadata(struct buf *out, const struct replayed *r)
{
	static const char *const without[] = {"replay", "origin", NULL};
	yyjson_val *metadata = yyjson_obj_get(r->root, "metadata");

	put_object(out, "metadata");
	if (yyjson_is_obj(metadata))
		add_members(out, r, metadata, end_of_member(r, "metadata"), without);
	put_object(out, "replay");
	put_text(out, "id", r->id);
	if (r->seq && r->epoch)
		put_word(out, "epoch", r->epoch);
	if (r->seq)
		put_u64(out, "seq", r->seq);
	if (r->has_time) {
		put_key(out, "timestamp");
		json_add_number(out, r->at_ms);
	}
	put_end(out);
	put_end(out);
	put_end(out);
}

void replayed_add(struct buf *out, const struct replayed *r)
{
	static const char *const without[] = {"seq", "id", "timestamp", "metadata", NULL};
	char id[RANDOM_UUID_LEN];

	random_uuid(id);
	buf_print(out, "{\"id\":\"%.*s\",", RANDOM_UUID_LEN, id);
	add_members(out, r, r->root, r->line.len, without);
	add_metadata(out, r);
}
