/* stage_identity.c - who wrote a message: somebody of the configuration, somebody whom a code let
 * in, or nobody that is known.
 *
 * A sender is somebody at one account; only where a channel has the same people everywhere is it
 * the same person in another one.
 */
#include "base/list.h"
#include "base/put.h"
#include "config/config.h"
#include "deliver/stages.h"

#define PLACES_MAX 32 /* of a list of them; more are not told */

bool stages_is_nobody(const struct nexus *x)
{
	const char *mark = x->account->line.kind->traits.nobody;

	return mark && text_starts(nexus_word(&x->request, NEXUS_SENDER), text_of(mark));
}

/* "ADAPTER:SENDER" of this adapter, or "CHANNEL:SENDER" unless another adapter is called so: that
 * it is the only one then, the configuration has made sure. */
static bool is_named(const struct nexus *x, struct text identity)
{
	const struct nexus_request *r = &x->request;
	struct text sender, prefix = text_cut(identity, ':', &sender);

	if (!text_equal(sender, nexus_word(r, NEXUS_SENDER)))
		return false;
	if (text_equal(prefix, nexus_word(r, NEXUS_ACCOUNT)))
		return true;
	return text_equal(prefix, nexus_word(r, NEXUS_CHANNEL)) &&
	       (x->account->line.kind->traits.names_all ||
	        !config_adapter_of(x->desk->config, prefix));
}

static const struct config_person *find_person(const struct nexus *x)
{
	const struct config *config = x->desk->config;

	for (size_t i = 0; i < config->person_count; i++)
		for (size_t j = 0; j < config->people[i].identity_count; j++)
			if (is_named(x, text_of(config->people[i].identities[j])))
				return &config->people[i];
	return NULL;
}

bool stages_asks_to_stop(const struct nexus *x)
{
	return text_is(text_trim(nexus_word(&x->request, NEXUS_CONTENT)), "/stop");
}

bool stages_knows(const struct nexus *x)
{
	return x->request.is_owner || find_person(x) || desk_find_paired(x);
}

/* Where the person can be met, and where the box can speak at all. */
static void note_places(struct nexus *x, const struct config_person *person)
{
	unsigned room = PLACES_MAX;
	struct buf list;

	buf_init(&list, MIB);
	put_list(&list, NULL);
	list_each(&x->desk->accounts, l) {
		const struct desk_account *a = list_of(l, struct desk_account, in_desk);

		if (!a->is_gone && room && room--)
			put_word(&list, NULL, a->line.account);
	}
	put_list_end(&list);
	nexus_set(&x->request, NEXUS_CHANNELS, buf_text(&list));
	buf_clear(&list);
	put_list(&list, NULL);
	for (size_t i = 0; person && i < person->identity_count && i < PLACES_MAX; i++)
		put_word(&list, NULL, person->identities[i]);
	put_list_end(&list);
	if (person)
		nexus_set(&x->request, NEXUS_IDENTITIES, buf_text(&list));
	buf_finish(&list);
}

static void note_who(struct nexus_request *r, struct text principal, struct text known_by)
{
	nexus_set(r, NEXUS_PRINCIPAL, principal);
	nexus_set(r, NEXUS_KNOWN_BY, known_by);
}

static void note_person(struct nexus_request *r, const struct config_person *person)
{
	bool is_owner = text_is(text_of(person->relationship), "owner");

	note_who(r, is_owner ? TEXT("owner") : TEXT("known"), TEXT("people"));
	nexus_set(r, NEXUS_PERSON, text_of(person->name));
	nexus_set(r, NEXUS_RELATIONSHIP, text_of(person->relationship));
}

static void note_paired(struct nexus_request *r, const struct known_person *p)
{
	note_who(r, TEXT("known"), TEXT("pairing"));
	nexus_set(r, NEXUS_PERSON, known_word(p, KNOWN_NAME));
	nexus_set(r, NEXUS_RELATIONSHIP, TEXT("known"));
}

enum stage_step stage_identity(struct nexus *x, int64_t now_ms)
{
	struct nexus_request *r = &x->request;
	bool is_somebody = !r->is_owner && !stages_is_nobody(x);
	const struct config_person *person = is_somebody ? find_person(x) : NULL;

	note_who(r, TEXT("unknown"), TEXT(""));
	if (r->is_owner) {
		note_who(r, TEXT("owner"), TEXT("credential"));
	} else if (person) {
		note_person(r, person);
	} else if (is_somebody) {
		x->paired = desk_find_paired(x);
		if (x->paired)
			note_paired(r, x->paired);
	}
	note_places(x, person);
	return STAGE_DONE;
}
