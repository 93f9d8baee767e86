/* payload.c - copies, and what is compared. */
#include "deliver/payload.h"

#include "base/must.h"
#include "deliver/attached.h"

static struct text put_text(char **to, struct text t)
{
	struct text there = {*to, t.len};

	if (t.len)
		memcpy(*to, t.at, t.len);
	*to += t.len;
	return there;
}

struct payload *payload_copy(const struct payload *p)
{
	size_t count = p->media_count < PAYLOAD_MEDIA_MAX ? p->media_count : PAYLOAD_MEDIA_MAX;
	size_t size = sizeof(*p) + count * sizeof(*p->media) + p->text.len + p->reply_to.len;
	struct payload *copy;
	struct text *media;
	char *bytes;

	for (size_t i = 0; i < count; i++)
		size += p->media[i].len;
	copy = must_alloc(size);
	media = (struct text *)(copy + 1);
	bytes = (char *)(media + count);
	*copy = (struct payload){.media_count = count, .media = media, .is_voice = p->is_voice};
	for (size_t i = 0; i < count; i++)
		media[i] = put_text(&bytes, p->media[i]);
	copy->text = put_text(&bytes, p->text);
	copy->reply_to = put_text(&bytes, p->reply_to);
	return copy;
}

bool payload_is_empty(const struct payload *p)
{
	return p->media_count == 0 && text_trim(p->text).len == 0;
}

/* A URL may go on behind the name. */
static bool is_audio(struct text url)
{
	static const char *const endings[] = {".ogg", ".oga", ".opus", ".mp3",
	                                      ".m4a", ".wav", ".aac",  ".flac"};
	struct text rest, name = text_cut(text_cut(url, '?', &rest), '#', &rest);

	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
		struct text ending = text_of(endings[i]);

		if (name.len > ending.len &&
		    text_equal_nocase((struct text){name.at + name.len - ending.len, ending.len},
		                      ending))
			return true;
	}
	return false;
}

bool payload_ends_paragraph(const struct payload *p)
{
	struct text t = p->text;
	unsigned lines = 0;

	for (; t.len && strchr(" \t\r\n", t.at[t.len - 1]); t.len--)
		lines += t.at[t.len - 1] == '\n';
	return lines >= 2;
}

bool payload_has_audio(const struct payload *p)
{
	for (size_t i = 0; i < p->media_count; i++)
		if (is_audio(p->media[i]))
			return true;
	return false;
}

void payload_put_media(const struct payload *p, struct buf *out)
{
	for (size_t i = 0; i < p->media_count; i++) {
		if (!attached_fits(p->media[i]))
			continue;
		if (out->len)
			buf_add_char(out, '\n');
		buf_add(out, p->media[i]);
	}
}

static void add_counted(struct text t, struct buf *key)
{
	buf_add_u64(key, t.len);
	buf_add_char(key, ':');
	buf_add(key, t);
}

void payload_add_key(const struct payload *p, struct buf *key)
{
	add_counted(text_trim(p->text), key);
	add_counted(p->reply_to, key);
	for (size_t i = 0; i < p->media_count; i++)
		add_counted(p->media[i], key);
}
