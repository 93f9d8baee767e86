/* discord_write.c - bodies of requests: they ring nobody, and links have no preview. */
#include <openssl/evp.h>
#include <stdio.h>

#include "base/hex.h"
#include "base/put.h"
#include "deliver/discord/discord.h"

#define SUPPRESS_EMBEDS 4
#define EPHEMERAL 64
#define LABEL_MAX 80
#define TOLD_MAX 1900
#define PLAIN_MAX (64 * KIB)

enum { ACTION_ROW = 1, BUTTON = 2, GREY = 2 };

void discord_nonce(const struct channel_message *m, char nonce[DISCORD_NONCE_LEN + 1])
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	struct buf name;

	buf_init(&name, 64 * KIB);
	buf_print(&name, "%u\n%.*s\n", m->piece, TEXT_ARG(m->delivery));
	buf_add(&name, m->stale);
	if (!EVP_Digest(name.at, name.len, digest, NULL, EVP_sha256(), NULL))
		memset(digest, 0, sizeof(digest));
	hex_write(nonce, digest, DISCORD_NONCE_LEN / 2);
	buf_finish(&name);
}

/* ---- text ---- */

/* Marks of Markdown, and what looks like them and takes as much room. */
static const struct {
	char mark;
	const char *alike;
} marks[] = {
	{'\\', "\xEF\xBC\xBC"}, {'*', "\xE2\x88\x97"}, {'_', "\xEF\xBC\xBF"}, {'~', "\xE2\x88\xBC"},
	{'`', "\xCB\x8B"},      {'|', "\xC7\x80"},     {'<', "\xEF\xBC\x9C"}, {'>', "\xEF\xBC\x9E"},
	{'[', "\xEF\xBC\xBB"},  {']', "\xEF\xBC\xBD"}, {'#', "\xEF\xBC\x83"}, {'@', "\xEF\xBC\xA0"},
	{':', "\xEF\xBC\x9A"},  {'-', "\xE2\x80\x90"}, {'+', "\xEF\xBC\x8B"},
};

static const char *alike_of(char c)
{
	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (marks[i].mark == c)
			return marks[i].alike;
	return NULL;
}

static void put_marks(struct text text, bool escapes, struct buf *out)
{
	for (size_t i = 0; i < text.len; i++) {
		const char *alike = alike_of(text.at[i]);

		if (alike && !escapes) {
			buf_add(out, text_of(alike));
			continue;
		}
		if (alike)
			buf_add_char(out, '\\');
		buf_add_char(out, text.at[i]);
	}
}

/* With a backslash before each mark; where there is no room for them, with others that look like
 * them. */
void discord_put_plain(struct text text, struct buf *out)
{
	struct buf escaped;

	buf_init(&escaped, PLAIN_MAX);
	put_marks(text, true, &escaped);
	if (!escaped.full && chunk_length(CHUNK_POINTS, buf_text(&escaped)) <= DISCORD_TEXT_MAX)
		buf_add(out, buf_text(&escaped));
	else
		put_marks(text, false, out);
	buf_finish(&escaped);
}

static void put_content(const struct channel_message *m, struct buf *out)
{
	struct buf plain;

	if (!m->is_plain) {
		put_text(out, "content", m->text);
		return;
	}
	buf_init(&plain, PLAIN_MAX);
	discord_put_plain(m->text, &plain);
	put_text(out, "content", buf_text(&plain));
	buf_finish(&plain);
}

/* ---- members ---- */

static void put_nobody(struct buf *out)
{
	put_object(out, "allowed_mentions");
	put_list(out, "parse");
	put_list_end(out);
	put_end(out);
}

static void put_button(const struct channel_button *button, struct buf *out)
{
	struct text label = button->label;
	struct buf short_label;

	put_object(out, NULL);
	put_u64(out, "type", BUTTON);
	put_u64(out, "style", GREY);
	buf_init(&short_label, KIB);
	if (chunk_length(CHUNK_POINTS, label) > LABEL_MAX) {
		label.len = chunk_reach(CHUNK_POINTS, label, LABEL_MAX - 1);
		buf_add(&short_label, label);
		buf_add(&short_label, TEXT("\xE2\x80\xA6"));
	} else {
		buf_add(&short_label, label.len ? label : TEXT("?"));
	}
	put_text(out, "label", buf_text(&short_label));
	buf_finish(&short_label);
	put_text(out, "custom_id", button->value);
	put_end(out);
}

static void put_components(const struct channel_message *m, struct buf *out)
{
	unsigned count = m->button_count < DISCORD_ROW * DISCORD_ROWS ? m->button_count
	                                                              : DISCORD_ROW * DISCORD_ROWS;

	put_list(out, "components");
	for (unsigned i = 0; i < count; i++) {
		if (i % DISCORD_ROW == 0) {
			put_object(out, NULL);
			put_u64(out, "type", ACTION_ROW);
			put_list(out, "components");
		}
		put_button(&m->buttons[i], out);
		if (i % DISCORD_ROW == DISCORD_ROW - 1 || i + 1 == count) {
			put_list_end(out);
			put_end(out);
		}
	}
	put_list_end(out);
}

static void put_attachment(const struct channel_upload *file, struct buf *out)
{
	put_list(out, "attachments");
	put_object(out, NULL);
	put_word(out, "id", "0"); /* files[0] */
	put_text(out, "filename", file->name);
	put_end(out);
	put_list_end(out);
}

void discord_put_message(const struct discord_saying *saying, struct buf *out)
{
	const struct channel_message *m = saying->message;

	put_object(out, NULL);
	put_content(m, out);
	put_nobody(out);
	put_u64(out, "flags", SUPPRESS_EMBEDS);
	if (m->file)
		put_attachment(m->file, out);
	if (m->button_count || !saying->nonce)
		put_components(m, out);
	if (saying->nonce) {
		put_word(out, "nonce", saying->nonce);
		put_bool(out, "enforce_nonce", true);
	}
	if (saying->nonce && discord_id(m->reply_to)) {
		put_object(out, "message_reference");
		put_text(out, "message_id", m->reply_to);
		put_bool(out, "fail_if_not_exists", false);
		put_end(out);
	}
	put_end(out);
}

void discord_put_told(struct text words, struct buf *out)
{
	struct buf plain;

	words.len = chunk_reach(CHUNK_POINTS, words, TOLD_MAX);
	buf_init(&plain, PLAIN_MAX);
	discord_put_plain(words, &plain);
	put_object(out, NULL);
	put_u64(out, "type", 4);
	put_object(out, "data");
	put_text(out, "content", buf_text(&plain));
	put_u64(out, "flags", EPHEMERAL | SUPPRESS_EMBEDS);
	put_nobody(out);
	put_end(out);
	put_end(out);
}
