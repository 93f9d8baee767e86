/* show.c - hostile shows: a fault with its place, or a show that can be played. */
#include <math.h>
#include <stdlib.h>

#include "play/play.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void look(void *self, const struct command *command, uint64_t version)
{
	if (command->params.len && command->params.at[command->params.len - 1] != '}')
		abort();
}

/* A signal of the type that each choreography names. */
static void play_all(struct play *play, const struct show *show)
{
	static const char payload[] =
		"{\"agentId\":\"ada\",\"toolName\":\"read\",\"to\":\"desk\",\"from\":\"home\","
		"\"content\":\"words\",\"n\":3,\"success\":true,\"x\":1,\"y\":2}";
	yyjson_doc *doc = yyjson_read(payload, sizeof(payload) - 1, 0);
	struct cue cue = {TEXT(""), TEXT("demo"), TEXT("run"), yyjson_doc_get_root(doc)};
	yyjson_val *one;
	size_t i, max;

	yyjson_arr_foreach(show->choreographies, i, max, one)
	{
		cue.type = show_text(one, "on");
		play_signal(play, &cue, 50.0 * (double)i);
		if (i == 20)
			break;
	}
	yyjson_doc_free(doc);
}

static void play_show(const struct show *show, struct error *why)
{
	const struct play_options options = {.command = look};
	struct play *play = play_create(show, &options, why);
	struct buf stage;

	if (!play)
		return;
	buf_init(&stage, 64 * MIB);
	play_all(play, show);
	play_look(play, 500, &stage);
	play_look(play, play_end(play), &stage);
	buf_finish(&stage);
	play_destroy(play);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct error why = {""};
	struct show *show = show_read((struct text){(const char *)bytes, size}, &why);

	if (show)
		play_show(show, &why);
	if (why.words[0] && why.words[0] != '/' && why.words[0] != ':' &&
	    strncmp(why.words, "not JSON", 8) != 0)
		abort(); /* a fault without its place */
	show_destroy(show);
	return 0;
}
