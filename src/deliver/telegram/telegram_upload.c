/* telegram_upload.c - pictures, files and voice notes for Telegram: forms. */
#include <stdio.h>

#include "base/put.h"
#include "deliver/files.h"
#include "deliver/telegram/telegram_inside.h"
#include "deliver/upload.h"

#define UPLOAD_MS 55000          /* for all of it; the outbox waits longer */
#define PHOTO_MAX (10 * 1000000) /* bytes */

static bool is_type_of(struct text type, const char *const *types)
{
	for (; *types; types++)
		if (text_is(type, *types))
			return true;
	return false;
}

bool telegram_is_document(const struct channel_upload *file)
{
	static const char *const photos[] = {"image/jpeg", "image/png", "image/webp", NULL};
	static const char *const voices[] = {"audio/ogg", "audio/opus", "audio/mpeg", "audio/mp4",
	                                     NULL};

	if (file->kind == CHANNEL_PICTURE)
		return !is_type_of(file->type, photos) || file->size > PHOTO_MAX;
	return file->kind != CHANNEL_VOICE || !is_type_of(file->type, voices);
}

static void add_target(const struct telegram_upload *u, struct multipart *form)
{
	char digits[TEXT_U64_MAX];
	struct buf reply;

	multipart_add(form, "chat_id", text_of(u->peer));
	if (u->thread)
		multipart_add(
			form, "message_thread_id",
			text_of_u64((uint64_t)telegram_message_number(text_of(u->thread)), digits));
	if (u->caption)
		multipart_add(form, "caption", text_of(u->caption));
	if (!u->reply_to)
		return;
	buf_init(&reply, KIB);
	put_object(&reply, NULL);
	put_i64(&reply, "message_id", u->reply_to);
	put_bool(&reply, "allow_sending_without_reply", true);
	put_end(&reply);
	multipart_add_json(form, "reply_parameters", buf_text(&reply));
	buf_finish(&reply);
}

struct request *telegram_start_upload(struct telegram_chat *t, const struct telegram_upload *u,
                                      struct request_options *o, struct error *why)
{
	bool is_photo = !u->is_document && u->file->kind == CHANNEL_PICTURE;
	const char *method = u->is_document ? "sendDocument" : is_photo ? "sendPhoto" : "sendVoice";
	const char *field = u->is_document ? "document" : is_photo ? "photo" : "voice";
	const char *headers[] = {NULL, NULL};
	struct request *request = NULL;
	struct multipart form;

	multipart_begin(&form, FILES_BYTES_MAX);
	add_target(u, &form);
	if (upload_add(&form, field, u->file, why)) {
		multipart_end(&form);
		headers[0] = form.header;
		o->headers = headers;
		o->body = buf_text(&form.body);
		o->head_ms = o->total_ms = UPLOAD_MS;
		request = telegram_start(t, method, o, why);
	}
	multipart_finish(&form);
	o->headers = NULL;
	return request;
}
