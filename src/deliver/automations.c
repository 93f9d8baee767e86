/* automations.c - automations of the configuration, one after the other. */
#include "deliver/automations.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "base/utf8.h"
#include "config/config.h"
#include "deliver/clause.h"
#include "signal/json.h"

#define REQUEST_MAX (4 * MIB)  /* bytes of one, as a condition sees it */
#define RESULTS_MAX (16 * KIB) /* of what was done */

struct automations {
	const struct config_automation *all;
	struct clause *when; /* of each */
	size_t count;
	struct json_reader reader;
};

struct automations *automations_create(const struct config *config)
{
	struct automations *a = must_zero(1, sizeof(*a));

	a->all = config->automations;
	a->count = config->automation_count;
	a->when = must_zero(a->count, sizeof(*a->when));
	for (size_t i = 0; i < a->count; i++)
		clause_init(&a->when[i], a->all[i].when);
	json_reader_init(&a->reader, REQUEST_MAX);
	return a;
}

void automations_destroy(struct automations *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->count; i++)
		clause_finish(&a->when[i]);
	free(a->when);
	json_reader_finish(&a->reader);
	free(a);
}

/* ---- what a condition sees ---- */

static const struct {
	const char *name;
	enum nexus_word word;
} seen_words[] = {
	{"text", NEXUS_CONTENT},        {"channel", NEXUS_CHANNEL},
	{"account", NEXUS_ACCOUNT},     {"peer", NEXUS_PEER},
	{"thread", NEXUS_THREAD},       {"replyTo", NEXUS_REPLY_TO},
	{"message", NEXUS_MESSAGE},     {"sender", NEXUS_SENDER},
	{"person", NEXUS_PERSON},       {"senderName", NEXUS_SENDER_NAME},
	{"principal", NEXUS_PRINCIPAL}, {"relationship", NEXUS_RELATIONSHIP},
	{"agent", NEXUS_AGENT},         {"session", NEXUS_SESSION},
};

static bool is_seen(struct text name)
{
	static const char *const others[] = {"type", "peerKind", "mentioned", "files"};

	for (size_t i = 0; i < sizeof(seen_words) / sizeof(*seen_words); i++)
		if (text_is(name, seen_words[i].name))
			return true;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (text_is(name, others[i]))
			return true;
	return false;
}

static bool check_paths(yyjson_val *all, struct error *why)
{
	yyjson_obj_iter it = yyjson_obj_iter_with(all);
	yyjson_val *key;

	while ((key = yyjson_obj_iter_next(&it))) {
		struct text path = json_text(key), name = path, rest;

		cue_path(&name);
		if (!is_seen(text_cut(name, '.', &rest)))
			return error_set(
				why, "/%.*s: a message has no such member; docs/chat.md has them",
				TEXT_ARG(utf8_cut(path, 60)));
	}
	return true;
}

bool automations_check(struct text json, struct error *why)
{
	struct json_reader reader;
	yyjson_val *root, *one;
	yyjson_arr_iter it;
	bool good;

	json_reader_init(&reader, REQUEST_MAX);
	root = yyjson_doc_get_root(json_read(&reader, json, NULL));
	it = yyjson_arr_iter_with(root);
	good = check_paths(root, why);
	while (good && (one = yyjson_arr_iter_next(&it)))
		good = check_paths(one, why);
	json_reader_finish(&reader);
	return good;
}

static void put_request(const struct nexus_request *r, struct text files, struct buf *out)
{
	put_object(out, NULL);
	for (size_t i = 0; i < sizeof(seen_words) / sizeof(*seen_words); i++)
		if (r->words[seen_words[i].word])
			put_text(out, seen_words[i].name, nexus_word(r, seen_words[i].word));
	put_word(out, "peerKind", channel_peer_name(r->peer_kind));
	put_bool(out, "mentioned", r->is_mentioned);
	put_json(out, "files", files.len ? files : TEXT("[]"));
	put_end(out);
}

/* ---- one after the other ---- */

static void note_fired(struct nexus_request *r, size_t index, const char *did, struct buf *results)
{
	char name[48];

	snprintf(name, sizeof(name), "automations[%zu]", index);
	r->fired++;
	put_object(results, NULL);
	put_word(results, "automation", name);
	put_word(results, "did", did);
	put_end(results);
}

static const struct config_automation *fire_all(const struct automations *a, const struct cue *cue,
                                                struct nexus_request *r, bool keeps_agent,
                                                struct buf *results)
{
	for (size_t i = 0; i < a->count; i++) {
		const struct config_automation *one = &a->all[i];
		bool sets = !one->answer && !one->route.agent;

		r->evaluated++;
		if ((one->route.agent && keeps_agent) || !clause_holds(&a->when[i], cue))
			continue;
		note_fired(r, i, one->answer ? "answer" : sets ? "set" : "route", results);
		if (!sets)
			return one;
		r->disables_streaming = r->disables_streaming || one->set.disable_streaming;
	}
	return NULL;
}

const struct config_automation *automations_run(struct automations *a, struct nexus_request *r,
                                                struct text files, bool keeps_agent)
{
	const struct config_automation *decides = NULL;
	struct cue cue = {.type = TEXT("nex.received")};
	struct buf seen, results;

	if (!a->count)
		return NULL;
	buf_init(&seen, REQUEST_MAX);
	buf_init(&results, RESULTS_MAX);
	put_request(r, files, &seen);
	cue.payload = yyjson_doc_get_root(json_read(&a->reader, buf_text(&seen), NULL));
	put_list(&results, NULL);
	if (cue.payload)
		decides = fire_all(a, &cue, r, keeps_agent, &results);
	put_list_end(&results);
	nexus_set(r, NEXUS_RESULTS, r->fired ? buf_text(&results) : TEXT(""));
	buf_finish(&seen);
	buf_finish(&results);
	return decides;
}
