/* slack_upload.c - a file on its way to Slack: where do its bytes go, the bytes, and the chat that
 * shows it.
 *
 * Until the last step nobody sees anything of it, so the first two may be done again.  Slack does
 * not say which message shows it: its id is that of the file, and its name has a mark by which the
 * history knows it.
 */
#include <openssl/evp.h>
#include <stdio.h>

#include "base/hex.h"
#include "base/put.h"
#include "deliver/slack/slack_call.h"
#include "deliver/upload.h"

#define UPLOAD_MS 55000 /* for all of it; the outbox waits longer */
#define STEP_MS 15000
#define LEAST_MS 1000
#define COMMENT_MAX (16 * KIB)

/* ---- its name ---- */

void slack_mark(struct text delivery, unsigned piece, char mark[SLACK_MARK_LEN + 1])
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	struct buf name;

	buf_init(&name, 4 * KIB);
	buf_print(&name, "%u\n", piece);
	buf_add(&name, delivery);
	if (!EVP_Digest(name.at, name.len, digest, NULL, EVP_sha256(), NULL))
		memset(digest, 0, sizeof(digest));
	hex_write(mark, digest, SLACK_MARK_LEN / 2);
	buf_finish(&name);
}

void slack_put_marked(struct text name, const char *mark, struct buf *out)
{
	size_t stem = name.len;

	for (size_t i = name.len; i-- > 1 && stem == name.len;)
		if (name.at[i] == '.')
			stem = i;
	buf_add(out, (struct text){name.at, stem});
	buf_add_char(out, '-');
	buf_add(out, text_of(mark));
	buf_add(out, (struct text){name.at + stem, name.len - stem});
}

/* ---- its steps ---- */

bool slack_is_upload(const struct slack_call *c)
{
	return c->method == SLACK_PLACE || c->method == SLACK_BYTES;
}

void slack_keep_file(struct slack_call *c, const struct channel_upload *file)
{
	c->file = upload_keep(file);
	c->until_ms = slack_now(c->chat) + UPLOAD_MS;
	c->call.may_repeat = true;
}

bool slack_take_place(struct slack_call *c, const struct slack_answer *a)
{
	if (!slack_read_place(a, c->chat->base, &c->place))
		return false;
	c->method = SLACK_BYTES;
	return true;
}

void slack_take_bytes(struct slack_call *c)
{
	c->method = SLACK_SHARE;
	c->call.may_repeat = c->call.has_left = false;
	c->call.tries = 0;
}

/* ---- what they ask ---- */

static void put_place(const struct slack_call *c, struct buf *form)
{
	char mark[SLACK_MARK_LEN + 1], digits[TEXT_U64_MAX];
	struct buf name;

	slack_mark(text_of(c->call.delivery), c->call.piece, mark);
	buf_init(&name, 4 * KIB);
	slack_put_marked(c->file.name, mark, &name);
	slack_put_form(form, "filename", buf_text(&name));
	slack_put_form(form, "length", text_of_u64(c->file.size, digits));
	buf_finish(&name);
}

/* A person is a chat by another name: what takes one of both is `channels`. */
static void put_share(const struct slack_call *c, struct buf *form)
{
	bool is_person = c->peer[0] == 'U' || c->peer[0] == 'W';
	struct buf files, comment;

	buf_init(&files, 4 * KIB);
	buf_init(&comment, COMMENT_MAX);
	put_list(&files, NULL);
	put_object(&files, NULL);
	put_word(&files, "id", c->place.id);
	put_text(&files, "title", c->file.name);
	put_end(&files);
	put_list_end(&files);
	slack_put_escaped(text_of(c->text), &comment);
	slack_put_form(form, "files", buf_text(&files));
	slack_put_form(form, is_person ? "channels" : "channel_id", text_of(c->peer));
	if (c->thread)
		slack_put_form(form, "thread_ts", text_of(c->thread));
	if (comment.len)
		slack_put_form(form, "initial_comment", buf_text(&comment));
	buf_finish(&files);
	buf_finish(&comment);
}

/* ---- requests ---- */

/* A place is for one attempt. */
static struct request *start_bytes(struct slack_call *c, struct request_options *o,
                                   struct error *why)
{
	struct slack_ask ask = {.method = c->place.url,
	                        .type = "Content-Type: application/octet-stream"};
	struct request *request = NULL;
	struct buf bytes;

	buf_init(&bytes, UPLOAD_ROOM);
	if (upload_read(&c->file, &bytes, why)) {
		ask.form = buf_text(&bytes);
		request = slack_start(c->chat, &ask, o, why);
	}
	buf_finish(&bytes);
	c->place.url[0] = '\0';
	return request;
}

static struct request *start_step(struct slack_call *c, struct request_options *o,
                                  struct error *why)
{
	struct slack_ask ask = {.method = slack_method_name(c->method), .token = c->chat->token};
	struct request *request;
	struct buf form;

	if (o->total_ms > STEP_MS)
		o->head_ms = o->total_ms = STEP_MS;
	buf_init(&form, 64 * KIB);
	c->method == SLACK_PLACE ? put_place(c, &form) : put_share(c, &form);
	ask.form = buf_text(&form);
	request = slack_start(c->chat, &ask, o, why);
	buf_finish(&form);
	return request;
}

struct request *slack_start_upload(struct slack_call *c, struct request_options *o,
                                   struct error *why)
{
	int64_t left = c->until_ms - slack_now(c->chat);

	if (left < LEAST_MS) {
		error_set(why, "the file takes too long");
		return NULL;
	}
	if (c->method == SLACK_BYTES && !c->place.url[0])
		c->method = SLACK_PLACE;
	o->head_ms = o->total_ms = (unsigned)left;
	return c->method == SLACK_BYTES ? start_bytes(c, o, why) : start_step(c, o, why);
}
