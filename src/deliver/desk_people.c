/* desk_people.c - strangers that get a code, and whom somebody lets in by it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/must.h"
#include "base/put.h"
#include "base/whole.h"
#include "config/config.h"
#include "deliver/channels.h"
#include "deliver/stages.h"

#define WRONG_MAX 10 /* codes a minute */
#define WRONG_MS 60000
#define FILE_MODE 0600
#define WELCOME "You may write here now."

/* The mark stands for the code, which is in no record: the outbox puts it there. */
#define PAIRING_WORDS \
	"I do not know you yet. Whoever runs this box can let you in within an hour: " \
	"signalbox people approve " OUTBOX_CODE_MARK " --agent NAME"
_Static_assert(sizeof(OUTBOX_CODE_MARK) == KNOWN_CODE_LEN + 1, "it is cut as the code is");
_Static_assert(KNOWN_KEY == BUTTON_KEY, "one key makes both");

/* ---- the file ---- */

bool desk_load_people(struct desk *d, const char *path, struct error *why)
{
	struct buf file;
	bool good;

	d->people_path = must_dup(path);
	buf_init(&file, KNOWN_FILE_MAX);
	good = whole_load(path, WHOLE_PRIVATE, &file, why);
	if (!good && errno == ENOENT)
		good = true;
	else if (good && !known_read(&d->known, buf_text(&file), why))
		good = error_within(why, "%s", path);
	buf_finish(&file);
	return good;
}

static bool save_people(const struct desk *d, struct error *why)
{
	struct buf file;
	bool good;

	buf_init(&file, KNOWN_FILE_MAX);
	known_put(&d->known, &file);
	good = file.full ? error_set(why, "the list of people is too long")
	                 : whole_replace(d->people_path, FILE_MODE, buf_text(&file), why);
	buf_finish(&file);
	if (!good)
		log_warn("deliver", "people were not saved: %s", why->words);
	return good;
}

/* ---- who they are ---- */

/* identity gets bytes that who points to. */
static struct known_who who_wrote(const struct nexus *x, struct buf *identity)
{
	const struct config_adapter *adapter = desk_config(x->account);
	bool is_everywhere = x->account->line.kind->traits.names_all;

	nexus_put_identity(&x->request, identity);
	return (struct known_who){
		.identity = buf_text(identity),
		.account = nexus_word(&x->request, NEXUS_ACCOUNT),
		.server = text_of(adapter && !is_everywhere ? adapter->url : NULL),
		.is_everywhere = is_everywhere,
	};
}

const struct known_person *desk_find_paired(const struct nexus *x)
{
	const struct known_person *found;
	struct known_who who;
	struct buf identity;

	buf_init(&identity, 2 * KIB);
	who = who_wrote(x, &identity);
	found = known_find(&x->desk->known, &who);
	buf_finish(&identity);
	return found;
}

/* As `people` of the configuration would name them. */
static void add_identity(const struct known_person *p, struct buf *out)
{
	struct text sender, channel = text_cut(known_word(p, KNOWN_IDENTITY), ':', &sender);

	buf_add(out, channel_names_all(channel) ? channel : known_word(p, KNOWN_ACCOUNT));
	buf_add_char(out, ':');
	buf_add(out, sender);
}

static void put_identity(const struct known_person *p, const char *key, struct buf *out)
{
	struct buf identity;

	buf_init(&identity, 2 * KIB);
	add_identity(p, &identity);
	put_text(out, key, buf_text(&identity));
	buf_finish(&identity);
}

/* By their name, or by their identity. */
static struct known_person *find_paired(const struct known *k, struct text name)
{
	struct known_person *found = known_by_name(k, name);
	struct buf identity;

	if (found)
		return found;
	buf_init(&identity, 2 * KIB);
	list_each(&k->people, l) {
		struct known_person *p = list_of(l, struct known_person, in_all);

		buf_clear(&identity);
		add_identity(p, &identity);
		if (!found && text_equal(buf_text(&identity), name))
			found = p;
	}
	buf_finish(&identity);
	return found;
}

/* ---- strangers ---- */

/* Somebody whom the platform knows, alone with us, about whom nothing is said. */
static bool may_pair(const struct nexus *x)
{
	const struct channel_traits *traits = &x->account->line.kind->traits;
	const struct nexus_request *r = &x->request;
	struct text sender = nexus_word(r, NEXUS_SENDER);

	return x->desk->people_path && x->desk->options.codes.key && r->peer_kind == CHANNEL_DM &&
	       text_is(nexus_word(r, NEXUS_PRINCIPAL), "unknown") &&
	       text_is(nexus_word(r, NEXUS_POLICY), "default") && !traits->knows_nobody &&
	       sender.len && !stages_is_nobody(x);
}

/* One code for each, which the first message gets, and gets again after a crash. */
static bool is_owed_code(struct nexus *x, const struct known_who *who)
{
	const struct nexus_request *r = &x->request;
	double now_ms = (double)x->desk->options.wall_ms();
	struct known *known = &x->desk->known;
	struct known_person *p;
	struct error why;

	known_expire(known, now_ms);
	p = known_waiting(known, who);
	if (p)
		return text_is(known_word(p, KNOWN_REQUEST), r->id);
	p = known_wait(
		known,
		(const struct text[KNOWN_WORDS]){[KNOWN_IDENTITY] = who->identity,
	                                         [KNOWN_NAME] = nexus_word(r, NEXUS_SENDER_NAME),
	                                         [KNOWN_ACCOUNT] = nexus_word(r, NEXUS_ACCOUNT),
	                                         [KNOWN_PEER] = nexus_word(r, NEXUS_PEER),
	                                         [KNOWN_REQUEST] = text_of(r->id),
	                                         [KNOWN_SERVER] = who->server},
		now_ms);
	if (p && !save_people(x->desk, &why)) {
		known_drop(known, p);
		p = NULL;
	}
	return p != NULL;
}

bool desk_pairs(struct nexus *x)
{
	struct known_who who;
	struct buf identity;
	bool pairs;

	if (!may_pair(x))
		return false;
	buf_init(&identity, 2 * KIB);
	who = who_wrote(x, &identity);
	pairs = is_owed_code(x, &who);
	buf_finish(&identity);
	if (!pairs)
		return false;
	x->notice = must_dup(PAIRING_WORDS);
	x->notice_kind = "pairing";
	return true;
}

/* ---- for routes ---- */

static const struct config_person *configured(const struct desk *d, struct text name)
{
	for (size_t i = 0; i < d->config->person_count; i++)
		if (text_is(name, d->config->people[i].name))
			return &d->config->people[i];
	return NULL;
}

static bool is_good_name(const struct desk *d, struct text name, struct error *why)
{
	static const char *const taken[] = {"owner", "known", "unknown", "any"};

	for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++)
		if (text_is(name, taken[i]))
			return error_set(why, "'%s' is no name", taken[i]);
	if (!name.len || name.len > KNOWN_NAME_MAX)
		return error_set(why, "a name has 1 to %d bytes", KNOWN_NAME_MAX);
	for (size_t i = 0; i < name.len; i++)
		if ((unsigned char)name.at[i] < ' ' || name.at[i] == 0x7f)
			return error_set(why, "a name has no control characters");
	if (configured(d, name) || find_paired(&d->known, name))
		return error_set(why, "somebody is called so already");
	return true;
}

static void welcome(struct desk *d, const struct known_person *p)
{
	struct buf id;

	buf_init(&id, KIB);
	buf_print(&id, "%.*s.in", TEXT_ARG(known_word(p, KNOWN_REQUEST)));
	outbox_prepare(d->outbox, &(struct outbox_wish){.id = buf_text(&id),
	                                                .request = known_word(p, KNOWN_REQUEST),
	                                                .account = known_word(p, KNOWN_ACCOUNT),
	                                                .peer = known_word(p, KNOWN_PEER),
	                                                .text = TEXT(WELCOME),
	                                                .kind = "notice"});
	buf_finish(&id);
	desk_wake(d);
}

static bool is_guessing(struct desk *d)
{
	if (d->now_ms - d->wrong.since_ms >= WRONG_MS)
		d->wrong = (struct desk_rate){.since_ms = d->now_ms};
	return d->wrong.count >= WRONG_MAX;
}

/* The one that is wished, that of the platform, or who they are. */
static bool choose_name(const struct desk *d, const struct known_person *p, struct text wished,
                        struct buf *name, struct error *why)
{
	struct error taken;

	if (wished.len)
		buf_add(name, wished);
	else if (is_good_name(d, known_word(p, KNOWN_NAME), &taken))
		buf_add(name, known_word(p, KNOWN_NAME));
	else
		add_identity(p, name);
	return !wished.len || is_good_name(d, wished, why);
}

static enum back_answer let_in(struct desk *d, struct known_person *p, struct text name,
                               struct text agent, struct error *why)
{
	if (!known_let_in(&d->known, p, name, agent)) {
		error_set(why, "%d people were let in already", KNOWN_MAX);
		return BACK_CONFLICT;
	}
	if (!save_people(d, why)) {
		known_drop(&d->known, p);
		return BACK_REFUSED;
	}
	log_info("deliver", "a person was let in, who may ask one agent");
	welcome(d, p);
	return BACK_DONE;
}

enum back_answer desk_approve(struct desk *d, const struct desk_approval *a, int64_t now_ms,
                              struct buf *name, struct error *why)
{
	struct known_person *p = NULL;
	enum back_answer answer;

	d->now_ms = now_ms;
	if (is_guessing(d)) {
		error_set(why, "too many wrong codes: wait a minute");
		return BACK_CONFLICT;
	}
	known_expire(&d->known, (double)d->options.wall_ms());
	if (d->options.codes.key)
		p = known_by_code(&d->known, d->options.codes.key, a->code);
	if (!p) {
		d->wrong.count++;
		error_set(why, "nobody waits with this code: it holds for an hour");
		return BACK_UNKNOWN;
	}
	if (!choose_name(d, p, a->name, name, why))
		return BACK_INVALID;
	answer = let_in(d, p, buf_text(name), a->agent, why);
	if (answer != BACK_DONE)
		buf_clear(name);
	return answer;
}

enum back_answer desk_remove_person(struct desk *d, struct text name, struct error *why)
{
	struct known_person *p = find_paired(&d->known, name);

	if (!p && configured(d, name)) {
		error_set(why, "the configuration names them: `people`");
		return BACK_CONFLICT;
	}
	if (!p) {
		error_set(why, "there is nobody of that name");
		return BACK_UNKNOWN;
	}
	known_drop(&d->known, p);
	return save_people(d, why) ? BACK_DONE : BACK_UNSAVED;
}

static void put_configured(const struct config_person *person, struct buf *out)
{
	put_object(out, NULL);
	put_word(out, "name", person->name);
	put_word(out, "relationship", person->relationship);
	put_list(out, "identities");
	for (size_t i = 0; i < person->identity_count; i++)
		put_word(out, NULL, person->identities[i]);
	put_list_end(out);
	put_end(out);
}

static void put_paired(const struct known_person *p, struct buf *out)
{
	put_object(out, NULL);
	put_text(out, "name", known_word(p, KNOWN_NAME));
	put_word(out, "relationship", "known");
	put_list(out, "identities");
	put_identity(p, NULL, out);
	put_list_end(out);
	put_text(out, "agent", known_word(p, KNOWN_AGENT));
	put_i64(out, "sinceMs", (int64_t)p->at_ms);
	put_end(out);
}

/* Without their codes, which only they have. */
static void put_waiting(const struct known_person *p, struct buf *out)
{
	put_object(out, NULL);
	put_identity(p, "identity", out);
	put_text(out, "name", known_word(p, KNOWN_NAME));
	put_text(out, "account", known_word(p, KNOWN_ACCOUNT));
	put_i64(out, "sinceMs", (int64_t)p->at_ms);
	put_i64(out, "untilMs", (int64_t)(p->at_ms + KNOWN_WAIT_MS));
	put_end(out);
}

void desk_people(struct desk *d, struct buf *out)
{
	known_expire(&d->known, (double)d->options.wall_ms());
	put_list(out, "people");
	for (size_t i = 0; i < d->config->person_count; i++)
		put_configured(&d->config->people[i], out);
	list_each(&d->known.people, l)
		put_paired(list_of(l, struct known_person, in_all), out);
	put_list_end(out);
	put_list(out, "waiting");
	list_each(&d->known.waiting, l)
		put_waiting(list_of(l, struct known_person, in_all), out);
	put_list_end(out);
}
