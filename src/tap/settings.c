/* settings.c - finding our hooks, putting them in, taking them out. */
#include "tap/settings.h"

#include "signal/json.h"
#include "tap/edit.h"
#include "tap/events.h"
#include "tap/ours.h"

#define TAG "signalbox"

/* In seconds: what Claude Code gives a hook.  Ours has a shorter deadline of its own. */
#define TIMEOUT 5
/* One that decides waits for a person; the box lets go of it before that. */
#define DECIDE_TIMEOUT 3600

#define BOM "\xef\xbb\xbf"

/* What was made for a group, each with all before it. */
enum settings_made { MADE_GROUP, MADE_EVENT, MADE_HOOKS, MADE_OBJECT, MADE_FILE, MADES };
static const char *const made_words[MADES] = {"group", "event", "hooks", "object", "file"};

/* One file that is looked at. */
struct settings {
	struct text bom, text;
	struct container root, hooks;
	struct json_item *member; /* `hooks` in root; NULL: there is none */
	struct edits edits;
	unsigned ours, old;
	bool approves;
	enum settings_made made; /* the most of what our groups say */
};

/* ---- reading ---- */

static bool fail_at(const struct settings *s, const char *at, const char *words, struct error *why)
{
	unsigned line = 1, column = 1;

	for (const char *p = s->text.at; p < at; p++) {
		if (*p == '\n') {
			line++;
			column = 1;
		} else if (((unsigned char)*p & 0xc0) != 0x80) {
			column++;
		}
	}
	return error_set(why, "line %u, column %u: %s", line, column, words);
}

static bool settings_check_json(const struct settings *s, struct error *why)
{
	yyjson_read_err fault;
	yyjson_doc *doc;
	const char *at;

	if (s->text.len > SETTINGS_MAX)
		return error_set(why, "longer than %zu MiB", SETTINGS_MAX / MIB);
	doc = yyjson_read_opts((char *)s->text.at, s->text.len, YYJSON_READ_NUMBER_AS_RAW, NULL,
	                       &fault);
	yyjson_doc_free(doc);
	if (doc)
		return true;
	at = s->text.at + (fault.pos < s->text.len ? fault.pos : s->text.len);
	if (fault.pos < s->text.len && (*at == '/' || *at == '#'))
		return fail_at(s, at, "a comment, which JSON does not have", why);
	return fail_at(s, at, fault.msg, why);
}

static bool find_hooks(struct settings *s, struct error *why)
{
	size_t count;

	s->member = container_find(&s->root, "hooks", &count);
	if (count > 1)
		return fail_at(s, s->member->all.at, "`hooks` stands here a second time", why);
	if (s->member && (!container_read(&s->hooks, s->member->value) || *s->hooks.text.at != '{'))
		return fail_at(s, s->member->value.at, "`hooks` is not an object", why);
	return true;
}

static void settings_finish(struct settings *s)
{
	edits_finish(&s->edits);
	container_finish(&s->hooks);
	container_finish(&s->root);
}

static struct text without_bom(struct text text)
{
	size_t skip = text_starts(text, TEXT(BOM)) ? sizeof(BOM) - 1 : 0;

	return text.len ? (struct text){text.at + skip, text.len - skip} : TEXT("");
}

/* settings_finish() is called whatever comes of it.  A blank text has no root. */
static bool settings_read(struct settings *s, struct text now, struct error *why)
{
	*s = (struct settings){.text = without_bom(now)};
	s->bom = (struct text){now.at, now.len - s->text.len};
	edits_init(&s->edits, s->text, SETTINGS_MAX);
	if (text_trim(s->text).len == 0)
		return true;
	if (!settings_check_json(s, why))
		return false;
	container_read(&s->root, text_trim(s->text));
	if (*text_trim(s->text).at != '{')
		return fail_at(s, text_trim(s->text).at, "settings are a JSON object", why);
	return find_hooks(s, why);
}

static bool settings_write(struct settings *s, struct buf *out, struct error *why)
{
	buf_add(out, s->bom);
	edits_apply(&s->edits, out);
	if (!out->full && !s->edits.added.full)
		return true;
	buf_finish(out);
	return error_set(why, "with our hooks it would be too long");
}

/* ---- finding ours ---- */

/* A group that lost its tag is of a file that somebody rewrote. */
static enum settings_made made_of(const struct json_item *tag)
{
	for (int i = 0; tag && i < MADES; i++)
		if (tag->value.len == strlen(made_words[i]) + 2 &&
		    memcmp(tag->value.at + 1, made_words[i], tag->value.len - 2) == 0)
			return (enum settings_made)i;
	return MADE_HOOKS;
}

/* One group of an event: it goes when all of its hooks are ours; when only some
 * are, those go, and the tag with them.  How many are ours. */
static unsigned look_at_group(struct settings *s, struct json_item *group, enum settings_made *made)
{
	struct container members, hooks = {0};
	struct json_item *list, *tag;
	unsigned ours = 0;
	size_t count;

	container_read(&members, group->value);
	list = container_find(&members, "hooks", &count);
	tag = container_find(&members, TAG, &count);
	if (list)
		container_read(&hooks, list->value);
	for (size_t i = 0; i < hooks.count; i++) {
		enum ours is = ours_is(hooks.items[i].value);

		ours += hooks.items[i].goes = is != OURS_NOT;
		s->old += is == OURS_OLD;
		s->approves |= is == OURS_DECIDES;
	}
	group->goes = container_all_go(&hooks);
	if (group->goes && made_of(tag) > *made)
		*made = made_of(tag);
	if (ours && !group->goes) {
		edits_cut_items(&s->edits, &hooks);
		for (size_t i = 0; i < members.count; i++)
			members.items[i].goes = json_item_is_named(&members.items[i], TAG);
		edits_cut_items(&s->edits, &members);
	}
	container_finish(&hooks);
	container_finish(&members);
	return ours;
}

static void look_at_event(struct settings *s, struct json_item *event)
{
	struct container groups;
	enum settings_made made = MADE_GROUP;
	unsigned ours = 0;

	if (container_read(&groups, event->value) && event->value.at[0] == '[')
		for (size_t i = 0; i < groups.count; i++)
			ours += look_at_group(s, &groups.items[i], &made);
	event->goes = container_all_go(&groups) && made >= MADE_EVENT;
	if (ours && !event->goes)
		edits_cut_items(&s->edits, &groups);
	if (made > s->made)
		s->made = made;
	s->ours += ours;
	container_finish(&groups);
}

static void cut_ours(struct settings *s)
{
	const char *end = s->text.at + s->text.len;

	for (size_t i = 0; i < s->hooks.count; i++)
		look_at_event(s, &s->hooks.items[i]);
	if (s->ours == 0)
		return;
	s->member->goes = container_all_go(&s->hooks) && s->made >= MADE_HOOKS;
	if (!s->member->goes)
		edits_cut_items(&s->edits, &s->hooks);
	else if (s->root.count == 1 && s->made >= MADE_OBJECT)
		edits_cut(&s->edits, s->root.text.at, end);
	else
		edits_cut_items(&s->edits, &s->root);
}

bool settings_uninstall(struct text now, struct buf *out, bool *gone, struct error *why)
{
	struct settings s;
	bool good = settings_read(&s, now, why);

	buf_init(out, 2 * SETTINGS_MAX);
	if (good) {
		cut_ours(&s);
		good = settings_write(&s, out, why);
		*gone = good && s.made == MADE_FILE && out->len == 0;
	}
	settings_finish(&s);
	return good;
}

/* ---- putting ours in ---- */

static void settings_add_command(struct buf *out, const char *words)
{
	struct buf command;

	buf_init(&command, SETTINGS_MAX);
	buf_add(&command, text_of(words));
	buf_add(&command, TEXT(OURS_MARK));
	buf_add(out, TEXT("{\"type\": \"command\", \"command\": "));
	buf_add_json(out, buf_text(&command));
	buf_finish(&command);
}

static void add_hook(struct buf *out, const struct tap_event *event,
                     const struct settings_wish *wish)
{
	if (wish->decide && event->decides) {
		settings_add_command(out, wish->decide);
		buf_print(out, ", \"timeout\": %d}", DECIDE_TIMEOUT);
		return;
	}
	settings_add_command(out, wish->command);
	buf_print(out, ", \"timeout\": %d%s}", TIMEOUT, event->is_async ? ", \"async\": true" : "");
}

static void settings_add_group(struct buf *out, const struct tap_event *event,
                               const struct settings_wish *wish, enum settings_made made)
{
	buf_add(out, TEXT("{\"hooks\": ["));
	add_hook(out, event, wish);
	buf_print(out, "], \"" TAG "\": \"%s\"}", made_words[made]);
}

static void add_event(struct buf *out, const struct tap_event *event,
                      const struct settings_wish *wish, enum settings_made made)
{
	buf_print(out, "\"%s\": [", event->name);
	settings_add_group(out, event, wish, made);
	buf_add_char(out, ']');
}

/* This one, or the first behind it that the version knows; the last row has no name. */
static const struct tap_event *next_event(const struct tap_event *e,
                                          const struct settings_wish *wish)
{
	while (e->name && !tap_event_is_known(e, wish->version))
		e++;
	return e;
}

static void insert_hooks(struct settings *s, struct json_style *style,
                         const struct settings_wish *wish, enum settings_made made)
{
	const struct tap_event *first = next_event(tap_events, wish);
	struct buf *out;
	struct insert_place place;

	insert_place_of(&place, &s->root, style, s->text);
	out = edits_insert(&s->edits, place.at);
	insert_place_lead(&place, out);
	buf_add(out, TEXT("\"hooks\": {"));
	for (const struct tap_event *e = first; e->name; e = next_event(e + 1, wish)) {
		if (e > first)
			buf_add(out, place.spread ? TEXT(",") : TEXT(", "));
		insert_place_line(&place, out, place.deeper + 1);
		add_event(out, e, wish, made);
	}
	insert_place_line(&place, out, place.deeper);
	buf_add_char(out, '}');
	insert_place_tail(&place, out);
	edits_inserted(&s->edits);
}

static bool insert_group(struct settings *s, struct json_style *style,
                         const struct settings_wish *wish, const struct tap_event *event,
                         struct error *why)
{
	struct container groups;
	struct insert_place place;
	struct buf *out;
	size_t count;
	struct json_item *item = container_find(&s->hooks, event->name, &count);

	if (count > 1)
		return fail_at(s, item->all.at, "this event stands here a second time", why);
	if (item->value.at[0] != '[')
		return fail_at(s, item->value.at, "the hooks of an event are an array", why);
	container_read(&groups, item->value);
	insert_place_of(&place, &groups, style, s->text);
	out = edits_insert(&s->edits, place.at);
	insert_place_lead(&place, out);
	settings_add_group(out, event, wish, MADE_GROUP);
	insert_place_tail(&place, out);
	edits_inserted(&s->edits);
	container_finish(&groups);
	return true;
}

/* Events that are there get a group more; the others come behind them. */
static bool insert_events(struct settings *s, struct json_style *style,
                          const struct settings_wish *wish, struct error *why)
{
	struct insert_place place;
	struct buf *out = NULL;
	size_t count;
	const struct tap_event *first = next_event(tap_events, wish);

	for (const struct tap_event *e = first; e->name; e = next_event(e + 1, wish))
		if (container_find(&s->hooks, e->name, &count) &&
		    !insert_group(s, style, wish, e, why))
			return false;
	insert_place_of(&place, &s->hooks, style, s->text);
	for (const struct tap_event *e = first; e->name; e = next_event(e + 1, wish)) {
		if (container_find(&s->hooks, e->name, &count))
			continue;
		if (!out)
			out = edits_insert(&s->edits, place.at);
		else
			place.first = false;
		insert_place_lead(&place, out);
		add_event(out, e, wish, MADE_EVENT);
	}
	if (!out)
		return true;
	place.first = s->hooks.count == 0;
	insert_place_tail(&place, out);
	edits_inserted(&s->edits);
	return true;
}

/* now has no hooks of ours.  made: what of `object` and `file` is ours already. */
static bool insert_all(struct text now, const struct settings_wish *wish, enum settings_made made,
                       struct buf *out, struct error *why)
{
	struct settings s;
	struct json_style style;
	bool good = settings_read(&s, now, why);

	if (good) {
		json_style_read(&style, s.text, &s.root);
		if (s.member)
			good = insert_events(&s, &style, wish, why);
		else
			insert_hooks(&s, &style, wish, made);
		good = good && settings_write(&s, out, why);
	}
	settings_finish(&s);
	return good;
}

bool settings_install(struct text now, bool is_there, const struct settings_wish *wish,
                      struct buf *out, struct error *why)
{
	enum settings_made made = is_there ? MADE_OBJECT : MADE_FILE;
	struct buf clean;
	bool gone = false;
	bool good = settings_uninstall(now, &clean, &gone, why);

	buf_init(out, 2 * SETTINGS_MAX);
	if (!next_event(tap_events, wish)->name)
		good = good && error_set(why, "this version of Claude Code has no hooks");
	if (good) {
		struct text text = without_bom(buf_text(&clean));

		if (gone)
			made = MADE_FILE;
		if (text_trim(text).len > 0)
			made = MADE_HOOKS;
		else
			buf_add(&clean, text_find(text, '\r') >= 0 ? TEXT("{}\r\n") : TEXT("{}\n"));
		good = insert_all(buf_text(&clean), wish, made, out, why);
	}
	buf_finish(&clean);
	return good;
}

/* ---- looking ---- */

bool settings_look(struct text now, struct settings_look *look, struct error *why)
{
	struct settings s;
	bool good = settings_read(&s, now, why);
	struct json_item *switched;
	size_t count;

	*look = (struct settings_look){0};
	if (good) {
		cut_ours(&s);
		look->hooks = s.ours;
		look->approves = s.approves;
		look->old = s.old;
		switched = container_find(&s.root, "disableAllHooks", &count);
		look->disabled = switched && text_is(switched->value, "true");
	}
	settings_finish(&s);
	return good;
}
