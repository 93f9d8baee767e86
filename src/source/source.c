/* source.c - one source: its state, its retries, its counters.
 *
 *   disconnected -> connecting -> connected
 *                   ^    |   ^       |
 *                   |    v   +-------+ lost: it is tried again
 *                 error <- lost for good, or tried often enough
 *
 * A transport reports facts and decides nothing.  What follows from a loss is
 * decided at the end of the turn, when nobody is in the middle of anything.
 */
#include "source/source.h"

#include <assert.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/must.h"
#include "base/random.h"
#include "parse/fault.h"
#include "source/inside.h"
#include "source/intake.h"

#define SETTLED_MS 10000 /* of life, after which a loss is the first one again */

const char *source_state_name(enum source_state state)
{
	static const char *const names[SOURCE_STATES] = {
		[SOURCE_DISCONNECTED] = "disconnected", [SOURCE_CONNECTING] = "connecting",
		[SOURCE_CONNECTED] = "connected",       [SOURCE_ERROR] = "error",
		[SOURCE_UNAVAILABLE] = "unavailable",
	};

	return names[state];
}

void source_replace(char **at, struct text value)
{
	char *old = *at; /* value may be of it */

	*at = value.len ? text_dup(value) : NULL;
	free(old);
}

/* --- state ------------------------------------------------------------------ */

static bool source_is_same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* The only place where the state changes.  The same state with other words is a
 * change too: that is how a retry tells what went wrong this time. */
static void source_enter(struct source *s, enum source_state to, const char *error)
{
	enum source_state from = s->state;

	if (from == to && source_is_same(s->error, error))
		return;
	s->state = to;
	source_replace(&s->error, text_of(error));
	if (error)
		source_replace(&s->last_error, text_of(error));
	if (error)
		log_warn("source", "%s: %s: %s", s->id, source_state_name(to), error);
	else
		log_debug("source", "%s: %s", s->id, source_state_name(to));
	source_tell_state(s, from);
	sources_mark(s);
	assert(s->state == to);
}

enum source_state source_state(const struct source *s)
{
	return s->state;
}

/* --- the line --------------------------------------------------------------- */

void source_close(struct source *s)
{
	void *line = s->line;

	loop_forget(&s->settling);
	deadline_clear(&s->retry);
	s->retry_at_ms = 0;
	s->is_lost = false;
	s->becomes = NULL;
	s->line = NULL; /* from here on its facts are nobody's; its runs may still end */
	s->is_hushed = false;
	if (line)
		s->transport->close(line);
	assert(!s->line && !s->is_lost && !s->becomes);
}

static void open_line(struct source *s)
{
	struct error why = {"it cannot be opened"};

	assert(!s->line);
	s->retry_at_ms = 0;
	s->line = s->transport->open(s, &why);
	if (!s->line)
		source_enter(s, SOURCE_ERROR, why.words);
}

static void try_again(struct deadline *deadline)
{
	open_line(list_of(deadline, struct source, retry));
}

static double chance(void)
{
	uint32_t n;

	random_bytes(&n, sizeof(n));
	return n / 4294967296.0;
}

static void retry_later(struct source *s, const char *why, unsigned asked_ms)
{
	const struct backoff_rule *rule;
	struct error words;
	unsigned wait_ms;
	bool is_over;

	assert(!s->line && s->transport);
	rule = s->transport->retry ? s->transport->retry : &backoff_usual;
	is_over = !backoff_next(&s->backoff, rule, chance(), asked_ms, &wait_ms);
	if (is_over)
		error_set(&words, "given up after %u tries: %s", rule->tries_max, why);
	if (wait_ms) {
		s->retry_at_ms = clock_wall_ms() + wait_ms;
		deadline_set(s->all->options.loop, &s->retry, wait_ms);
	}
	source_enter(s, is_over ? SOURCE_ERROR : SOURCE_CONNECTING, is_over ? words.words : why);
	sources_mark(s); /* when it is tried again is news, even if why is not */
}

static void source_lose(struct source *s)
{
	struct loss loss = s->loss;
	char *why = s->loss_words;

	s->loss_words = NULL;
	source_close(s);
	if (s->live_ms && loop_now_ms(s->all->options.loop) - s->live_ms >= SETTLED_MS)
		s->backoff.tries = 0;
	s->live_ms = 0;
	if (!loss.for_good) {
		retry_later(s, why ? why : "the other end closed the connection",
		            loss.retry_after_ms);
	} else if (why) {
		source_enter(s, SOURCE_ERROR, why);
	} else {
		s->is_wanted = false;
		source_enter(s, SOURCE_DISCONNECTED, NULL);
	}
	free(why);
}

static void forget_memory(struct source *s)
{
	if (s->memory && s->transport && s->transport->forget)
		s->transport->forget(s->memory);
	s->memory = NULL;
}

void source_set_protocol(struct source *s, struct text protocol)
{
	forget_memory(s);
	source_replace(&s->protocol, protocol);
	s->transport = transport_find(text_of(s->protocol));
}

static void source_settle(struct later *later)
{
	struct source *s = list_of(later, struct source, settling);
	const struct transport *becomes = s->becomes;

	assert(s->is_lost || s->becomes);
	if (s->is_lost) {
		source_lose(s);
	} else if (becomes) {
		source_close(s);
		source_set_protocol(s, text_of(becomes->protocol));
		sources_mark(s);
		open_line(s);
	}
}

void source_begin(struct source *s)
{
	source_close(s);
	s->backoff.tries = 0;
	s->is_wanted = true;
	if (s->is_guessed)
		source_set_protocol(s, text_of(source_detect(text_of(s->url))));
	if (!s->transport) {
		source_enter(s, SOURCE_ERROR, "this protocol is not spoken here");
		return;
	}
	source_enter(s, SOURCE_CONNECTING, NULL);
	open_line(s);
}

void source_end(struct source *s)
{
	source_close(s);
	s->is_wanted = false;
	source_enter(s, SOURCE_DISCONNECTED, NULL);
}

/* One whose line is open finds out by itself. */
void source_set_available(struct source *s, bool is_available)
{
	if (s->line || s->state == SOURCE_CONNECTED || s->state == SOURCE_CONNECTING)
		return;
	if (!is_available)
		source_enter(s, SOURCE_UNAVAILABLE, NULL);
	else if (s->is_wanted && s->state == SOURCE_UNAVAILABLE && !s->all->is_stopped)
		source_begin(s);
	else
		source_enter(s, SOURCE_DISCONNECTED, NULL);
}

void source_set_coming(struct source *s, bool comes, bool is_available)
{
	enum source_state absent = is_available ? SOURCE_DISCONNECTED : SOURCE_UNAVAILABLE;

	source_enter(s, comes ? SOURCE_CONNECTED : absent, NULL);
}

/* --- facts ------------------------------------------------------------------- */

static bool source_is_over(const struct source *s)
{
	return !s->line || s->is_lost || s->becomes;
}

void source_live(struct source *s)
{
	if (source_is_over(s))
		return;
	if (s->state != SOURCE_CONNECTED) {
		s->live_ms = loop_now_ms(s->all->options.loop);
		s->is_untried = false;
		s->counts.connects++;
	}
	source_enter(s, SOURCE_CONNECTED, NULL);
}

void source_gone(struct source *s, const char *why)
{
	if (source_is_over(s))
		return;
	s->live_ms = 0;
	source_enter(s, SOURCE_UNAVAILABLE, why);
}

void source_received(struct source *s, struct text envelope)
{
	struct source_counts *n = &s->counts;
	uint64_t second = loop_now_ms(s->all->options.loop) / 1000;

	if (second != n->second) {
		n->before = second == n->second + 1 ? n->here : 0;
		n->here = 0;
		n->second = second;
	}
	n->here++;
	n->signals++;
	n->bytes += envelope.len;
	n->last_ms = clock_wall_ms();
	sources_stir(s);
	intake_take(s, envelope);
}

void source_lost(struct source *s, const struct loss *loss)
{
	if (source_is_over(s))
		return;
	assert(s->line && s->transport);
	s->is_lost = true;
	s->loss = *loss;
	source_replace(&s->loss_words, text_of(loss->why));
	fault_hide(s->loss_words, s->credential);
	s->settling.run = source_settle;
	loop_later(s->all->options.loop, &s->settling);
}

void source_become(struct source *s, const char *protocol)
{
	const struct transport *other = transport_find(
		text_of(protocol ? protocol : source_detect_by_scheme(text_of(s->url))));

	if (source_is_over(s) || !other)
		return;
	s->becomes = other;
	s->settling.run = source_settle;
	loop_later(s->all->options.loop, &s->settling);
}

void source_erred(struct source *s, const char *why)
{
	source_replace(&s->last_error, text_of(why));
	fault_hide(s->last_error, s->credential);
	sources_stir(s);
}

void source_bad(struct source *s, const char *why)
{
	s->counts.bad++;
	source_erred(s, why);
}

void source_dropped(struct source *s, const char *why)
{
	s->counts.dropped++;
	source_erred(s, why);
}

/* --- remarks ----------------------------------------------------------------- */

static void clear_models(struct source *s)
{
	for (size_t i = 0; i < s->model_count; i++)
		free(s->models[i]);
	free(s->models);
	s->models = NULL;
	s->model_count = 0;
}

static bool has_models(const struct source *s, const struct text *models, size_t n)
{
	if (n != s->model_count)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!text_is(models[i], s->models[i]))
			return false;
	return true;
}

void source_set_models(struct source *s, const struct text *models, size_t n)
{
	if (n > SOURCE_MODELS_MAX)
		n = SOURCE_MODELS_MAX;
	if (has_models(s, models, n))
		return;
	clear_models(s);
	s->models = must_zero(n, sizeof(*s->models));
	for (size_t i = 0; i < n; i++)
		if (models[i].len && models[i].len <= SOURCE_MODEL_MAX)
			s->models[s->model_count++] = text_dup(models[i]);
	sources_mark(s);
	assert(s->model_count <= SOURCE_MODELS_MAX);
}

void source_set_meta(struct source *s, struct text frame)
{
	if (frame.len > SOURCE_META_MAX || (s->meta && text_is(frame, s->meta)))
		return;
	source_replace(&s->meta, frame);
	sources_mark(s);
}

/* --- life -------------------------------------------------------------------- */

struct source *source_create(struct sources *all, const struct source_wish *wish)
{
	struct source *s = must_zero(1, sizeof(*s));

	s->all = all;
	list_init(&s->in_all);
	list_init(&s->in_changed);
	list_init(&s->in_waiting);
	intake_join(s, wish->id);
	buf_init(&s->backlog, SOURCE_BACKLOG_MAX);
	s->retry.fire = try_again;
	s->is_local = wish->is_local;
	s->is_configured = wish->is_configured;
	s->id = text_dup(wish->id);
	s->name = text_dup(wish->name);
	s->color = text_dup(wish->color);
	return s;
}

static void free_source(struct grave *grave)
{
	struct source *s = list_of(grave, struct source, grave);

	clear_models(s);
	buf_finish(&s->backlog);
	if (s->credential)
		explicit_bzero(s->credential, strlen(s->credential));
	free(s->id);
	free(s->name);
	free(s->url);
	free(s->protocol);
	free(s->color);
	free(s->credential);
	free(s->model);
	free(s->error);
	free(s->last_error);
	free(s->meta);
	free(s->loss_words);
	free(s);
}

void source_destroy(struct source *s)
{
	source_close(s);
	forget_memory(s);
	intake_part(s);
	list_remove(&s->in_all);
	list_remove(&s->in_changed);
	s->grave.free = free_source;
	loop_bury(s->all->options.loop, &s->grave);
}
