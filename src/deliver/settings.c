/* settings.c - how a reply goes to a chat: the account's words over the general ones over the
 * channel's own. */
#include "config/config.h"
#include "deliver/desk_inside.h"

const struct config_adapter *desk_config(const struct desk_account *account)
{
	const struct config *config = account->desk->config;

	for (size_t i = 0; i < config->adapter_count; i++)
		if (text_is(text_of(config->adapters[i].name), account->line.account))
			return &config->adapters[i];
	return NULL;
}

static enum chunk_switch switch_of(enum config_switch word)
{
	return word == CONFIG_TRUE ? CHUNK_ON : word == CONFIG_FALSE ? CHUNK_OFF : CHUNK_AS_ABOVE;
}

static enum chunk_break break_of(enum config_break word)
{
	static const enum chunk_break breaks[] = {
		[CONFIG_BREAK_AUTO] = CHUNK_UNSET,
		[CONFIG_BREAK_PARAGRAPH] = CHUNK_PARAGRAPH,
		[CONFIG_BREAK_NEWLINE] = CHUNK_NEWLINE,
		[CONFIG_BREAK_SENTENCE] = CHUNK_SENTENCE,
	};

	return breaks[word];
}

static struct chunk_wish chunk_of(const struct config_chunking *c)
{
	return (struct chunk_wish){
		.min_chars = c->min_chars,
		.max_chars = c->max_chars,
		.break_preference = break_of(c->break_preference),
		.flush_on_paragraph = switch_of(c->flush_on_paragraph),
	};
}

static struct gather_wish gather_of(const struct config_coalescing *c)
{
	static const enum gather_idle idles[] = {
		[CONFIG_IDLE_AUTO] = GATHER_IDLE_UNSET,
		[CONFIG_IDLE_SENDS] = GATHER_IDLE_SENDS,
		[CONFIG_IDLE_GATED] = GATHER_IDLE_GATED,
	};

	return (struct gather_wish){
		.min_chars = c->min_chars,
		.max_chars = c->max_chars,
		.idle_ms = c->idle_ms,
		.joiner = text_of(c->joiner),
		.flush_on_enqueue = switch_of(c->flush_on_enqueue),
		.idle = idles[c->idle],
	};
}

static struct dispatch_delay delay_of(const struct config_delay *c)
{
	static const enum dispatch_pace paces[] = {
		[CONFIG_PACE_AUTO] = DISPATCH_PACE_UNSET,
		[CONFIG_PACE_OFF] = DISPATCH_PACE_OFF,
		[CONFIG_PACE_NATURAL] = DISPATCH_PACE_NATURAL,
		[CONFIG_PACE_CUSTOM] = DISPATCH_PACE_CUSTOM,
		[CONFIG_PACE_ON] = DISPATCH_PACE_NATURAL,
	};

	return (struct dispatch_delay){paces[c->mode], c->min_ms, c->max_ms};
}

/* Of the agent that is asked; unset where it says nothing. */
static struct dispatch_delay delay_of_agent(const struct nexus *x)
{
	const struct config *config = x->desk->config;
	struct text agent = nexus_word(&x->request, NEXUS_AGENT);

	for (size_t i = 0; i < config->source_count; i++)
		if (text_is(agent, config->sources[i].id))
			return delay_of(&config->sources[i].human_delay);
	return (struct dispatch_delay){0};
}

/* The agent's own setting goes before the chat's. */
static enum reply_tells tells_of(const struct nexus *x, const struct config_streaming *general,
                                 const struct config_streaming *own)
{
	static const enum reply_tells tells[] = {
		[CONFIG_TOOLS_AUTO] = REPLY_TELLS_NOTHING,
		[CONFIG_TOOLS_OFF] = REPLY_TELLS_NOTHING,
		[CONFIG_TOOLS_ON] = REPLY_TELLS_NAMES,
		[CONFIG_TOOLS_FULL] = REPLY_TELLS_RESULTS,
	};
	const struct config *config = x->desk->config;
	struct text agent = nexus_word(&x->request, NEXUS_AGENT);
	enum config_tools wish = own->tool_results ? own->tool_results : general->tool_results;

	for (size_t i = 0; i < config->source_count; i++)
		if (text_is(agent, config->sources[i].id) && config->sources[i].tool_results)
			wish = config->sources[i].tool_results;
	return tells[wish];
}

static enum channel_mode mode_of(const struct nexus *x, const struct config_streaming *general,
                                 const struct config_streaming *own)
{
	static const enum channel_mode modes[] = {
		[CONFIG_MODE_ACCUMULATE] = CHANNEL_ACCUMULATES,
		[CONFIG_MODE_BLOCKS] = CHANNEL_BLOCKS,
		[CONFIG_MODE_DRAFT_EDIT] = CHANNEL_DRAFTS,
		[CONFIG_MODE_PROGRESS] = CHANNEL_PROGRESS,
	};
	enum config_switch enabled = own->enabled ? own->enabled : general->enabled;
	enum config_mode wish = own->mode ? own->mode : general->mode;
	const struct channel_traits *traits = &x->account->line.kind->traits;
	enum channel_mode mode = wish == CONFIG_MODE_AUTO ? traits->mode : modes[wish];

	if (enabled == CONFIG_FALSE || x->request.disables_streaming)
		return CHANNEL_ACCUMULATES;
	if (mode == CHANNEL_DRAFTS && !traits->can_edit && traits->can_stream)
		return CHANNEL_STREAMS;
	if ((mode == CHANNEL_DRAFTS || mode == CHANNEL_PROGRESS) && !traits->can_edit)
		return CHANNEL_ACCUMULATES;
	return mode;
}

static void resolve_typing(const struct nexus *x, const struct config_streaming *general,
                           const struct config_streaming *own, struct typing_signaler *typing)
{
	static const enum typing_mode modes[] = {
		[CONFIG_TYPING_AUTO] = TYPING_UNSET,
		[CONFIG_TYPING_INSTANT] = TYPING_INSTANT,
		[CONFIG_TYPING_MESSAGE] = TYPING_MESSAGE,
		[CONFIG_TYPING_THINKING] = TYPING_THINKING,
		[CONFIG_TYPING_NEVER] = TYPING_NEVER,
	};
	const struct channel_kind *kind = x->account->line.kind;
	const struct typing_channel *channel = typing_channel(text_of(kind->name));
	enum config_typing wish = own->typing ? own->typing : general->typing;
	struct typing_turn turn = {
		.is_direct = x->request.peer_kind == CHANNEL_DM,
		.is_mentioned = x->request.is_mentioned,
		.is_in_thread = x->request.words[NEXUS_THREAD] != NULL,
	};
	unsigned interval =
		own->typing_interval_ms ? own->typing_interval_ms : general->typing_interval_ms;
	enum typing_mode mode = typing_resolve(modes[wish], &turn, channel);

	typing_init(typing, kind->traits.can_type ? mode : TYPING_NEVER,
	            interval ? interval : channel->interval_ms);
}

void desk_resolve(const struct nexus *x, struct reply_options *options,
                  struct typing_signaler *typing)
{
	static const struct config_streaming none = {0};
	const struct config_adapter *adapter = desk_config(x->account);
	const struct config_streaming *general = &x->desk->config->streaming;
	const struct config_streaming *own = adapter ? &adapter->streaming : &none;
	struct chunk_wish chunks[2] = {chunk_of(&general->chunking), chunk_of(&own->chunking)};
	struct gather_wish gathers[2] = {gather_of(&general->coalescing),
	                                 gather_of(&own->coalescing)};
	struct dispatch_delay delays[3] = {delay_of(&general->human_delay),
	                                   delay_of(&own->human_delay), delay_of_agent(x)};
	struct gather_levels levels = {&gathers[0], NULL, &gathers[1]};
	struct normal_options *normal = &options->dispatch.normal;
	struct chunk_limit limit;

	normal->limit = outbox_limit(x->desk->outbox, &x->account->line); /* a block is one piece */
	normal->response_prefix = text_of(x->prefix);
	normal->names = (struct normal_names){
		.identity_name = nexus_word(&x->request, NEXUS_AGENT),
		.model = text_of(x->names[0]),
		.provider = text_of(x->names[1]),
		.model_full = text_of(x->names[2]),
	};
	limit = normal_limit(normal);
	chunk_resolve(&options->chunking, &limit, &chunks[0], NULL, &chunks[1]);
	gather_resolve(&options->coalescing, &levels, &limit, &options->chunking);
	options->dispatch.delay = dispatch_resolve(&delays[0], &delays[1], &delays[2]);
	options->dispatch.seed = (uint64_t)x->request.created_at;
	options->tells_tools = tells_of(x, general, own);
	options->mode = mode_of(x, general, own);
	/* A message that grows would stand above what the tools did, and go on after it. */
	if (options->tells_tools &&
	    (options->mode == CHANNEL_DRAFTS || options->mode == CHANNEL_STREAMS))
		options->mode = CHANNEL_BLOCKS;
	options->draft = (struct draft_options){
		outbox_limit(x->desk->outbox, &x->account->line),
		x->account->line.kind->traits.draft_ms,
		x->account->line.kind->traits.draft_chars,
	};
	options->failed = x->failed;
	options->takes_media = x->desk->config->media.send;
	resolve_typing(x, general, own, typing);
}
