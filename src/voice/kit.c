/* kit.c - the roles that there are, by where an engine is; and the choice of a configuration. */
#include "voice/kit.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/must.h"
#include "base/put.h"
#include "base/whole.h"
#include "voice/about.h"
#include "voice/http_engine.h"
#include "voice/local.h"

#define CREDENTIAL_MAX (8 * KIB)

/* By the form of a place.  NULL: nobody here speaks to such a one. */
static const struct {
	const char *kind;
	const struct voice_role *parts[VOICE_PARTS];
} kinds[VOICE_FORMS] = {
	[VOICE_NOWHERE] = {"none", {NULL}},
	[VOICE_WYOMING] = {"wyoming",
                           {[VOICE_HEAR] = &voice_hear_wyoming, [VOICE_SAY] = &voice_say_wyoming}},
	[VOICE_HTTP] = {"http", {[VOICE_HEAR] = &voice_hear_http, [VOICE_SAY] = &voice_say_http}},
	[VOICE_LOCAL] = {"local",
                         {[VOICE_HEAR] = &voice_hear_wyoming, [VOICE_SAY] = &voice_say_wyoming}},
};

static const char *const part_words[VOICE_PARTS] = {
	[VOICE_HEAR] = "hear", [VOICE_THINK] = "think", [VOICE_SAY] = "say"};

bool voice_kit_can(enum voice_part part, const struct voice_place *place, struct error *why)
{
	return place->form == VOICE_NOWHERE || kinds[place->form].parts[part] ||
	       error_set(why, "nobody can be asked to %s at %s", part_words[part], place->written);
}

/* ---- making ---- */

static void excuse(struct voice_kit *kit, enum voice_part part, const char *words)
{
	struct voice_excuse *excuse = &kit->excuses[part];

	excuse->code = VOICE_ENGINE_UNAVAILABLE;
	error_set(&excuse->words, "%s", words);
	kit->engine.parts[part] = &voice_excuses;
	kit->engine.of[part] = excuse;
}

static bool read_file(const char *path, char **out, struct error *why)
{
	struct buf secret;
	bool good;

	buf_init(&secret, CREDENTIAL_MAX);
	good = whole_load(path, WHOLE_PRIVATE, &secret, why);
	if (good)
		*out = text_dup(text_trim(buf_text(&secret)));
	explicit_bzero(secret.at, secret.len);
	buf_finish(&secret);
	return good;
}

/* As those of sources: of the environment, or of a file. */
static bool read_credential(const struct voice_wish *wish, const struct voice_around *around,
                            char **out, struct error *why)
{
	char *name, *path;
	bool good;

	if (wish->credential_file) {
		path = wish->credential_file[0] == '/'
		               ? must_dup(wish->credential_file)
		               : must_print("%s/%s", around->data, wish->credential_file);
		good = read_file(path, out, why);
		free(path);
		return good;
	}
	if (!wish->credential)
		return true;
	name = text_dup((struct text){wish->credential + 2, strlen(wish->credential) - 3});
	*out = must_dup(getenv(name));
	if (!*out)
		error_set(why, "%s is not set in the environment", name);
	free(name);
	return *out != NULL;
}

static bool fill_means(struct voice_means *means, enum voice_part part,
                       const struct voice_wish *wish, struct error *why)
{
	means->model = must_dup(wish->model);
	means->language = must_dup(wish->language);
	means->voice = must_dup(wish->voice);
	if (!voice_place_read(text_of(wish->place), &means->place, why) ||
	    !voice_kit_can(part, &means->place, why))
		return false;
	if (means->place.form == VOICE_LOCAL) {
		means->place.wyoming.path = must_dup(voice_local_socket(means->around->local));
		means->has_started = voice_local_start(means->around->local, why);
		if (!means->has_started)
			return false;
	}
	if ((wish->credential || wish->credential_file) && means->place.form != VOICE_HTTP)
		return error_set(why, "a credential is for engines at http(s)://");
	return read_credential(wish, means->around, &means->credential, why) &&
	       (!means->credential || http_engine_is_safe(&means->place, why));
}

static bool speaks_wyoming(const struct voice_place *place)
{
	return place->form == VOICE_WYOMING || place->form == VOICE_LOCAL;
}

/* One that hears or says. */
static void kit_add_part(struct voice_kit *kit, enum voice_part part, const struct voice_wish *wish,
                         const struct voice_around *around)
{
	struct voice_means *means = &kit->means[part];
	struct error why;

	means->around = around;
	if (!fill_means(means, part, wish, &why)) {
		error_within(&why, "voice.engine.%s", part_words[part]);
		log_warn("voice", "%s", why.words);
		excuse(kit, part, why.words);
		return;
	}
	kit->engine.parts[part] = kinds[means->place.form].parts[part];
	kit->engine.of[part] = means;
	if (speaks_wyoming(&means->place))
		means->about = voice_about_create(&(struct voice_about_options){
			.loop = around->loop,
			.place = &means->place.wyoming,
			.written = means->place.written,
			.part = part == VOICE_HEAR ? WYOMING_ASR : WYOMING_TTS,
			.wish = {part == VOICE_HEAR ? means->model : means->voice, means->language},
		});
}

static void add_thinking(struct voice_kit *kit, const struct voice_config *config)
{
	const char *source = config->engine.think ? config->engine.think : config->think;

	kit->source = must_dup(source);
	if (source)
		kit->engine.parts[VOICE_THINK] = &voice_think_source;
	else
		excuse(kit, VOICE_THINK,
		       "nobody is asked: voice.think names the source that answers");
}

static bool finds_speech(const struct voice_kit *kit, const struct voice_wish *wish)
{
	return kit->engine.parts[VOICE_HEAR] == &voice_hear_wyoming &&
	       (wish->vad || kit->means[VOICE_HEAR].place.form == VOICE_LOCAL);
}

static void add_hearing(struct voice_kit *kit, const struct voice_config *config,
                        const struct voice_around *around)
{
	kit_add_part(kit, VOICE_HEAR, &config->engine.hear, around);
	if (!kit->engine.parts[VOICE_HEAR])
		excuse(kit, VOICE_HEAR, "nobody hears: voice.engine.hear names no engine");
	kit->engine.finds =
		finds_speech(kit, &config->engine.hear) ? VOICE_FINDS_ITSELF : VOICE_FINDS_BY_GATE;
	kit->engine.features |= VOICE_BIT(VOICE_VAD);
}

struct voice_kit *voice_kit_create(const struct voice_config *config,
                                   const struct voice_around *around)
{
	struct voice_kit *kit = must_zero(1, sizeof(*kit));

	kit->refs = 1;
	kit->is_real = true;
	kit->engine.name = "custom";
	add_hearing(kit, config, around);
	kit_add_part(kit, VOICE_SAY, &config->engine.say, around);
	add_thinking(kit, config);
	if (kit->engine.parts[VOICE_SAY])
		kit->engine.features |= VOICE_BIT(VOICE_AUDIO);
	if (kit->source)
		kit->engine.features |= VOICE_BIT(VOICE_TOOLS);
	return kit;
}

struct voice_kit *voice_kit_mock(const struct voice_mock_times *times)
{
	struct voice_kit *kit = must_zero(1, sizeof(*kit));

	kit->refs = 1;
	kit->engine = voice_mock(times);
	return kit;
}

/* ---- its life ---- */

struct voice_kit *voice_kit_ref(struct voice_kit *kit)
{
	kit->refs++;
	return kit;
}

void voice_kit_unref(struct voice_kit *kit)
{
	if (!kit || --kit->refs)
		return;
	for (int i = 0; i < VOICE_PARTS; i++) {
		struct voice_means *means = &kit->means[i];

		voice_about_destroy(means->about);
		if (means->has_started)
			voice_local_leave(means->around->local);
		voice_place_finish(&means->place);
		if (means->credential)
			explicit_bzero(means->credential, strlen(means->credential));
		free(means->credential);
		free(means->model);
		free(means->voice);
		free(means->language);
	}
	free(kit->source);
	free(kit);
}

void voice_kit_want(const struct voice_kit *kit)
{
	voice_about_want(kit->means[VOICE_HEAR].about);
	voice_about_want(kit->means[VOICE_SAY].about);
}

/* ---- showing ---- */

bool voice_kit_is_hosted(const struct voice_kit *kit)
{
	return kit->means[VOICE_HEAR].place.is_hosted || kit->means[VOICE_SAY].place.is_hosted;
}

static const char *kind_of(const struct voice_kit *kit, enum voice_part part)
{
	if (!kit->is_real)
		return part == VOICE_SAY ? "none" : "mock";
	if (part == VOICE_THINK)
		return kit->source ? "source" : "none";
	return kinds[kit->means[part].place.form].kind;
}

static void put_part(const struct voice_kit *kit, enum voice_part part, struct buf *out)
{
	const struct voice_means *means = &kit->means[part];
	const struct voice_excuse *excuse = &kit->excuses[part];

	put_object(out, part_words[part]);
	put_word(out, "kind", kind_of(kit, part));
	if (part == VOICE_THINK && kit->source)
		put_word(out, "source", kit->source);
	if (means->place.written) {
		put_word(out, "place", means->place.written);
		put_bool(out, "hosted", means->place.is_hosted);
	}
	if (excuse->words.words[0])
		put_word(out, "why", excuse->words.words);
	voice_about_put(means->about, out);
	put_end(out);
}

void voice_kit_put(const struct voice_kit *kit, struct buf *out)
{
	put_word(out, "engine", kit->engine.name);
	put_bool(out, "hosted", voice_kit_is_hosted(kit));
	for (int i = 0; i < VOICE_PARTS; i++)
		put_part(kit, (enum voice_part)i, out);
}
