/* hook_cut.c - the members of an object, one after the other.
 *
 * Nothing is remembered but the member that comes by, so it does not matter how long the
 * object is, nor where in it the event and the session stand.
 */
#include "cli/hook_cut.h"

#include "base/put.h"
#include "base/utf8.h"

#define MEMBER_MAX (4 * KIB)
#define MEMBERS_MAX 64
#define FIRST_MAX (64 * KIB)

void hook_cut_init(struct hook_cut *cut)
{
	*cut = (struct hook_cut){0};
	buf_init(&cut->member, MEMBER_MAX);
	buf_init(&cut->kept, MEMBERS_MAX * (MEMBER_MAX + KIB));
}

void hook_cut_finish(struct hook_cut *cut)
{
	buf_finish(&cut->member);
	buf_finish(&cut->kept);
}

/* Past its name, to the value; false: the name alone is too long, or it is no member. */
static bool split(struct text member, struct text *name, struct text *value)
{
	size_t i = 1;

	if (member.len == 0 || member.at[0] != '"')
		return false;
	while (i < member.len && member.at[i] != '"')
		i += member.at[i] == '\\' ? 2 : 1;
	if (i >= member.len)
		return false;
	*name = (struct text){member.at, i + 1};
	*value = text_trim((struct text){member.at + i + 1, member.len - i - 1});
	if (value->len == 0 || value->at[0] != ':')
		return false;
	*value = text_trim((struct text){value->at + 1, value->len - 1});
	return true;
}

static void end_member(struct hook_cut *cut)
{
	struct text name, value, all = text_trim(buf_text(&cut->member));

	if (split(all, &name, &value) && !text_is(name, "\"cut\"") && cut->count < MEMBERS_MAX) {
		buf_add(&cut->kept, cut->member.full ? name : all);
		if (cut->member.full && value.len && value.at[0] == '{') {
			buf_add_char(&cut->kept, ':');
			put_object(&cut->kept, NULL);
			put_bool(&cut->kept, "cut", true);
			put_end(&cut->kept);
		} else if (cut->member.full)
			buf_add(&cut->kept, TEXT(":\"cut\""));
		buf_add_char(&cut->kept, ',');
		cut->count++;
	}
	buf_clear(&cut->member);
}

static void keep_byte(struct hook_cut *cut, char byte)
{
	if (cut->depth > 0 && !cut->member.full)
		buf_add_char(&cut->member, byte);
}

static void take_in_string(struct hook_cut *cut, char byte)
{
	keep_byte(cut, byte);
	if (cut->is_escaped)
		cut->is_escaped = false;
	else if (byte == '\\')
		cut->is_escaped = true;
	else
		cut->in_string = byte != '"';
}

static void take_outside(struct hook_cut *cut, char byte)
{
	bool is_end = byte == '}' || byte == ']';

	if (is_end && cut->depth > 0)
		cut->depth--;
	if ((is_end && cut->depth == 0) || (byte == ',' && cut->depth == 1))
		end_member(cut);
	else
		keep_byte(cut, byte);
	if (byte == '{' || byte == '[')
		cut->depth++;
	cut->in_string = byte == '"';
}

void hook_cut_take(struct hook_cut *cut, struct text bytes)
{
	for (size_t i = 0; i < bytes.len; i++) {
		if (cut->in_string)
			take_in_string(cut, bytes.at[i]);
		else
			take_outside(cut, bytes.at[i]);
	}
}

void hook_cut_tell(struct hook_cut *cut, struct buf *out, struct text first, uint64_t whole)
{
	buf_add_char(out, '{');
	buf_add(out, buf_text(&cut->kept));
	put_object(out, "cut");
	put_u64(out, "bytes", whole);
	put_text(out, "first", utf8_cut(first, FIRST_MAX));
	put_end(out);
	put_end(out);
}
