/* gate.c - see gate.h. */
#include "voice/gate.h"

#include <assert.h>

#define WINDOW_MS 1500 /* the quietest moment is looked for in the last one or two of these */

/* Powers: 8 times is 9 dB.  Whatever is weaker than the least is silence in any room. */
#define LOUDER 8
#define LEAST_SPEECH ((uint64_t)150 * 150)

void gate_init(struct gate *gate, unsigned silence_ms)
{
	*gate = (struct gate){.silence_ms = silence_ms, .least = UINT64_MAX, .older = UINT64_MAX};
}

/* The mean square, without what is the same in all samples. */
static uint64_t power_of(struct text pcm)
{
	size_t count = pcm.len / 2;
	int64_t sum = 0, squares = 0;

	if (!count)
		return 0;
	for (size_t i = 0; i < count; i++) {
		int16_t sample = (int16_t)((unsigned char)pcm.at[2 * i] |
		                           (unsigned char)pcm.at[2 * i + 1] << 8);

		sum += sample;
		squares += (int64_t)sample * sample;
	}
	sum /= (int64_t)count;
	squares /= (int64_t)count;
	return squares > sum * sum ? (uint64_t)(squares - sum * sum) : 0;
}

static uint64_t noise_with(struct gate *gate, uint64_t power)
{
	gate->least = power < gate->least ? power : gate->least;
	gate->window_ms += GATE_FRAME_MS;
	if (gate->window_ms >= WINDOW_MS) {
		gate->older = gate->least;
		gate->least = power;
		gate->window_ms = 0;
	}
	return gate->least < gate->older ? gate->least : gate->older;
}

/* Between two syllables it is quiet for a moment, which takes from what was loud and does not
 * end it; so does a click make nobody speak. */
static void weigh(struct gate *gate, bool is_loud)
{
	if (is_loud) {
		gate->loud_ms += GATE_FRAME_MS;
		gate->quiet_ms = 0;
	} else {
		gate->quiet_ms += GATE_FRAME_MS;
		gate->loud_ms -= gate->loud_ms ? GATE_FRAME_MS / 2 : 0;
	}
}

enum gate_found gate_feed(struct gate *gate, struct text pcm)
{
	uint64_t power = power_of(pcm), noise = noise_with(gate, power);

	assert(gate->silence_ms > 0);
	weigh(gate, power >= LEAST_SPEECH && power / LOUDER >= noise);
	if (!gate->speaks && gate->loud_ms >= GATE_SPEECH_MS) {
		gate->speaks = true;
		return GATE_STARTED;
	}
	if (gate->speaks && gate->quiet_ms >= gate->silence_ms) {
		gate->speaks = false;
		gate->loud_ms = 0;
		return GATE_STOPPED;
	}
	return GATE_NOTHING;
}

bool gate_is_loud(const struct gate *gate)
{
	return gate->loud_ms && gate->quiet_ms <= GATE_PAUSE_MS;
}
