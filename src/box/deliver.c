/* deliver.c - chats: the desk on the loop, with the way back to agents, and its routes. */
#include "box/deliver.h"
#include <openssl/crypto.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/must.h"
#include "box/ears.h"
#include "box/parts.h"
#include "config/config.h"
#include "deliver/desk.h"
#include "deliver/ends.h"
#include "net/process.h"
#include "run/prompts.h"
#include "source/source.h"
#include "web/web.h"

#define LONGEST_MS 3600000

struct chats {
	struct box *box;
	struct custody *custody;
	struct run_ends *ends;
	struct desk *desk;
	struct processes *processes; /* of adapters, and decoders of voice notes */
	struct box_ears *ears;
	struct bus_listener ear;
	struct deadline tick;
	struct later later;
	char key[PROMPTS_KEY]; /* of the codes of buttons */
};

static void work(struct chats *c)
{
	struct loop *loop = c->box->loop;
	int64_t now_ms = (int64_t)loop_now_ms(loop);
	int64_t due = desk_work(c->desk, now_ms);
	int64_t wait = due - now_ms;

	if (due == INT64_MAX)
		deadline_clear(&c->tick);
	else
		deadline_set(loop, &c->tick,
		             wait < 1            ? 1
		             : wait < LONGEST_MS ? (unsigned)wait
		                                 : LONGEST_MS);
}

static void work_later(struct later *later)
{
	work(list_of(later, struct chats, later));
}

static void work_in_time(struct deadline *deadline)
{
	work(list_of(deadline, struct chats, tick));
}

static void desk_wakes(void *self)
{
	struct chats *c = self;

	loop_later(c->box->loop, &c->later);
}

static void desk_hears(struct bus_listener *listener, const struct signal *s)
{
	struct chats *c = list_of(listener, struct chats, ear);

	desk_hear(c->desk, s, (int64_t)loop_now_ms(c->box->loop));
}

void *box_make_custody(struct box *box)
{
	box->chats = must_zero(1, sizeof(*box->chats));
	box->chats->box = box;
	box->chats->custody = custody_create();
	return box->chats->custody;
}

void *box_make_ends(struct box *box)
{
	box->chats->ends = ends_create();
	return box->chats->ends;
}

_Static_assert(PROMPTS_KEY == BUTTON_KEY, "one key makes both");

static bool load_people(struct box *box, struct error *why)
{
	char *path = must_print("%s/people.json", box->config->data);
	bool good = desk_load_people(box->chats->desk, path, why);

	free(path);
	return good;
}

bool box_make_desk(struct box *box, struct error *why)
{
	struct chats *c = box->chats;

	if (!prompts_load_key(box->config->data, c->key, why))
		return false;

	c->tick.fire = work_in_time;
	c->later.run = work_later;
	c->processes = processes_create(box->loop);
	c->ears = box_ears_create(box, c->processes);
	c->desk = desk_create(&(struct desk_options){
		.bus = box->bus,
		.custody = c->custody,
		.back = box_back(box),
		.prompts = box->prompts,
		.ends = c->ends,
		.runs = box->runs,
		.codes = {(const unsigned char *)c->key},
		.config = box->config,
		.loop = box->loop,
		.processes = c->processes,
		.ears = box_ears_of(c->ears),
		.wall_ms = clock_wall_ms,
		.self = c,
		.wake = desk_wakes,
	});
	c->ear = (struct bus_listener){.name = "deliver", .heard = desk_hears};
	bus_add_listener(box->bus, &c->ear);
	return load_people(box, why);
}

void box_touch_desk(struct box *box)
{
	if (box->chats && box->chats->desk)
		desk_prompts_changed(box->chats->desk);
}

void box_take_heard(struct box *box, uint64_t number, struct text words, const char *why)
{
	desk_take_heard(box->chats->desk, number, words, why);
}

void box_begin_desk(struct box *box)
{
	desk_begin(box->chats->desk, (int64_t)loop_now_ms(box->loop));
}

void box_follow_desk(struct box *box)
{
	desk_follow(box->chats->desk, box->config);
}

void box_hush_desk(struct box *box)
{
	desk_hush(box->chats->desk);
}

void box_stop_desk(struct box *box)
{
	struct chats *c = box->chats;

	if (c && c->desk) {
		bus_remove_listener(box->bus, &c->ear);
		loop_forget(&c->later);
		deadline_clear(&c->tick);
		desk_destroy(c->desk);
		box_ears_destroy(c->ears);
		processes_destroy(c->processes);
	}
	if (c)
		OPENSSL_cleanse(c->key, sizeof(c->key));
	free(c);
	box->chats = NULL;
}

/* ---- routes ---- */

static enum back_answer post_message(void *self, const struct web_message *m,
                                     const struct back_ear *ear, struct buf *id, struct error *why)
{
	struct box *box = self;
	char made[CUSTODY_ID_LEN + 1];
	struct desk_post post = {.channel = m->channel,
	                         .peer = m->peer,
	                         .agent = m->agent,
	                         .text = m->text,
	                         .session = m->session,
	                         .user = m->user,
	                         .may = m->may};
	enum back_answer answer = desk_take_post(box->chats->desk, &post, ear, made, why);

	if (answer == BACK_TAKEN)
		buf_add(id, text_of(made));
	return answer;
}

static void forget_ear(void *self, void *of)
{
	struct box *box = self;

	if (box->chats)
		desk_forget(box->chats->desk, of);
}

static enum back_answer press_code(void *self, struct text code, const struct back_ear *ear,
                                   struct error *why)
{
	return desk_press_code(((struct box *)self)->chats->desk, code, ear, why);
}

static bool look_at_message(void *self, struct text id, struct buf *out)
{
	return desk_look(((struct box *)self)->chats->desk, id, out);
}

static void list_deliveries(void *self, const struct web_deliveries *wish, struct buf *out)
{
	desk_deliveries(((struct box *)self)->chats->desk, wish->failed, wish->run, out);
}

static void list_channels(void *self, struct buf *out)
{
	desk_channels(((struct box *)self)->chats->desk, out);
}

static void tell_degraded(void *self, struct buf *out)
{
	desk_degraded(((struct box *)self)->chats->desk, out);
}

static enum back_answer check_channel_named(void *self, struct text name,
                                            const struct back_ear *ear, struct error *why)
{
	return desk_check_channel(((struct box *)self)->chats->desk, name, ear, why);
}

static bool retry_delivery(void *self, struct text id, struct error *why)
{
	return desk_retry(((struct box *)self)->chats->desk, id, why);
}

static void list_people(void *self, struct buf *out)
{
	desk_people(((struct box *)self)->chats->desk, out);
}

static enum back_answer approve_person(void *self, const struct web_approval *a, struct buf *name,
                                       struct error *why)
{
	struct box *box = self;
	struct desk_approval approval = {.code = a->code, .agent = a->agent, .name = a->name};

	if (!sources_find(box->sources, a->agent)) {
		error_set(why, "there is no source '%.*s'", TEXT_ARG(a->agent));
		return BACK_INVALID;
	}
	return desk_approve(box->chats->desk, &approval, (int64_t)loop_now_ms(box->loop), name,
	                    why);
}

static enum back_answer remove_person(void *self, struct text name, struct error *why)
{
	return desk_remove_person(((struct box *)self)->chats->desk, name, why);
}

struct web_chat box_web_chat(struct box *box)
{
	return (struct web_chat){
		.self = box,
		.post = post_message,
		.forget = forget_ear,
		.press = press_code,
		.look = look_at_message,
		.deliveries = list_deliveries,
		.channels = list_channels,
		.degraded = tell_degraded,
		.check = check_channel_named,
		.retry = retry_delivery,
		.people = list_people,
		.approve = approve_person,
		.remove = remove_person,
	};
}
