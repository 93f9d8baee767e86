/* ntfy_read.c - events, refusals and messages of ntfy. */
#include "base/put.h"
#include "deliver/ntfy/ntfy.h"
#include "deliver/plain.h"
#include "net/url.h"

#define TOPIC_MAX 64
#define ID_MAX 64
#define QUESTION_PRIORITY 4 /* of 5; 3 is usual */
#define ELSEWHERE "\n\nIt can be answered on the page (`signalbox open`)."

bool ntfy_is_topic(struct text name)
{
	for (size_t i = 0; i < name.len; i++)
		if (!(name.at[i] >= '0' && name.at[i] <= '9') &&
		    !(name.at[i] >= 'A' && name.at[i] <= 'Z') &&
		    !(name.at[i] >= 'a' && name.at[i] <= 'z') && name.at[i] != '-' &&
		    name.at[i] != '_')
			return false;
	return name.len > 0 && name.len <= TOPIC_MAX;
}

static bool is_id(struct text id)
{
	for (size_t i = 0; i < id.len; i++)
		if ((unsigned char)id.at[i] <= ' ' || (unsigned char)id.at[i] >= 0x7f)
			return false;
	return id.len > 0 && id.len <= ID_MAX;
}

bool ntfy_read_event(struct json_reader *reader, struct text line, struct ntfy_event *event)
{
	yyjson_val *root = yyjson_doc_get_root(json_read(reader, line, NULL));
	struct text kind = json_text_at(root, "event");

	*event = (struct ntfy_event){.is_open = text_is(kind, "open"),
	                             .is_message = text_is(kind, "message"),
	                             .id = json_text_at(root, "id"),
	                             .topic = json_text_at(root, "topic"),
	                             .title = json_text_at(root, "title"),
	                             .message = json_text_at(root, "message")};
	return kind.len && is_id(event->id) && ntfy_is_topic(event->topic);
}

struct text ntfy_read_refusal(struct json_reader *reader, struct text body)
{
	return json_text_at(yyjson_doc_get_root(json_read(reader, body, NULL)), "error");
}

/* ---- what goes there ---- */

static bool has_codes(const struct channel_message *m)
{
	for (unsigned i = 0; i < m->button_count; i++)
		if (m->buttons[i].code.len)
			return true;
	return false;
}

static void put_action(const struct channel_button *b, const char *press, struct buf *out)
{
	struct buf url;

	buf_init(&url, 4 * KIB);
	buf_add(&url, url_base(text_of(press)));
	buf_add(&url, TEXT("/api/press"));
	put_object(out, NULL);
	put_word(out, "action", "http");
	put_text(out, "label", b->label);
	put_text(out, "url", buf_text(&url));
	put_word(out, "method", "POST");
	put_object(out, "headers");
	put_text(out, "X-Signalbox-Press", b->code);
	put_end(out);
	put_bool(out, "clear", true);
	put_end(out);
	buf_finish(&url);
}

static void put_actions(const struct channel_message *m, const char *press, struct buf *out)
{
	unsigned count = 0;

	put_u64(out, "priority", QUESTION_PRIORITY);
	put_list(out, "actions");
	for (unsigned i = 0; i < m->button_count && count < NTFY_BUTTONS; i++)
		if (m->buttons[i].code.len) {
			put_action(&m->buttons[i], press, out);
			count++;
		}
	put_list_end(out);
}

/* As it is, without what no screen shows. */
static void add_shown(struct text text, struct buf *out)
{
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.at[i] >= ' ' || text.at[i] == '\n' || text.at[i] == '\t')
			buf_add_char(out, text.at[i]);
}

void ntfy_put_field(const char *name, struct text value, struct buf *out)
{
	buf_add(out, text_of(name));
	buf_add(out, TEXT(": "));
	for (size_t i = 0; i < value.len; i++)
		if ((unsigned char)value.at[i] >= ' ' && value.at[i] != 0x7F)
			buf_add_char(out, value.at[i]);
		else
			buf_add_char(out, ' ');
}

void ntfy_put_message(const struct channel_message *m, const char *press, struct buf *out)
{
	bool presses = press && has_codes(m);
	struct buf words;

	buf_init(&words, 2 * NTFY_LINE_MAX);
	if (m->is_plain)
		add_shown(m->text, &words);
	else
		plain_add(&words, m->text);
	if (m->button_count && !presses)
		buf_add(&words, TEXT(ELSEWHERE));
	put_object(out, NULL);
	put_text(out, "topic", m->peer);
	put_text(out, "message", buf_text(&words));
	if (presses)
		put_actions(m, press, out);
	put_end(out);
	buf_finish(&words);
}
