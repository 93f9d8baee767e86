/* resample.c - see resample.h.
 *
 * The sample at time t of the output is the sum of the input's samples around t, each weighted
 * by a sinc at its distance.  The weights are looked up in one half of the kernel, which is
 * sampled densely enough that the line between two of its points is below 16 bits.
 */
#include "sound/resample.h"

#include <math.h>
#include <stdlib.h>

#include "base/must.h"

#define CHANNELS_MAX 8
#define FRAME_MAX (2 * CHANNELS_MAX)
#define LOBES 12    /* of the sinc, on each side */
#define POINTS 256  /* of the kernel, for each lobe */
#define PASSED 0.92 /* of the lower rate's half; the rest is where the filter falls */
#define PAST_MAX (32 * 1024)

struct resample {
	int rate, channels, rate_out;
	double scale; /* how much narrower than the input's the band is */
	size_t reach; /* samples of the input on each side */
	size_t at;    /* of the next output, counted from past[0], */
	int phase;    /* and so many parts of rate_out behind it */
	float *past;  /* mono */
	size_t count;
	char half[FRAME_MAX]; /* a frame that is not whole */
	size_t half_len;
	float kernel[LOBES * POINTS + 2];
};

static void make_kernel(struct resample *resample)
{
	for (size_t i = 0; i < LOBES * POINTS + 2; i++) {
		double x = (double)i / POINTS;
		double window = x < LOBES ? 0.5 + 0.5 * cos(M_PI * x / LOBES) : 0;

		resample->kernel[i] = (float)((i ? sin(M_PI * x) / (M_PI * x) : 1) * window);
	}
}

/* As before the first sample: silence stands on its left. */
static void begin_sound(struct resample *resample)
{
	memset(resample->past, 0, resample->reach * sizeof(*resample->past));
	resample->count = resample->reach;
	resample->at = resample->reach;
	resample->phase = 0;
	resample->half_len = 0;
}

struct resample *resample_create(int rate, int channels, int rate_out)
{
	struct resample *resample = must_zero(1, sizeof(*resample));

	resample->rate = rate;
	resample->channels = channels;
	resample->rate_out = rate_out;
	resample->scale = PASSED * (rate > rate_out ? (double)rate_out / rate : 1);
	resample->reach = (size_t)ceil(LOBES / resample->scale);
	resample->past = must_zero(PAST_MAX, sizeof(*resample->past));
	make_kernel(resample);
	begin_sound(resample);
	return resample;
}

void resample_destroy(struct resample *resample)
{
	if (!resample)
		return;
	free(resample->past);
	free(resample);
}

static float kernel_at(const struct resample *resample, double distance)
{
	double x = fabs(distance) * resample->scale * POINTS;
	size_t i = (size_t)x;
	float part = (float)(x - (double)i);

	if (i >= LOBES * POINTS)
		return 0;
	return resample->kernel[i] + part * (resample->kernel[i + 1] - resample->kernel[i]);
}

static void put_sample(struct buf *out, double value)
{
	long n = lround(value);
	int16_t sample = (int16_t)(n > INT16_MAX ? INT16_MAX : n < INT16_MIN ? INT16_MIN : n);

	buf_add_char(out, (char)(sample & 0xff));
	buf_add_char(out, (char)((uint16_t)sample >> 8));
}

static double sum_around(const struct resample *resample)
{
	const float *first = resample->past + resample->at + 1 - resample->reach;
	double part = (double)resample->phase / resample->rate_out, sum = 0;

	for (size_t i = 0; i < 2 * resample->reach; i++)
		sum += (double)(first[i] *
		                kernel_at(resample,
		                          (double)i + 1 - (double)resample->reach - part));
	return sum * resample->scale;
}

static void next_output(struct resample *resample)
{
	resample->phase += resample->rate;
	resample->at += (size_t)(resample->phase / resample->rate_out);
	resample->phase %= resample->rate_out;
}

/* Says all outputs whose surroundings are there, and forgets what none needs any more. */
static void say_ready(struct resample *resample, struct buf *out)
{
	size_t gone;

	for (; resample->at + resample->reach + 1 <= resample->count; next_output(resample))
		put_sample(out, resample->rate == resample->rate_out
		                        ? (double)resample->past[resample->at]
		                        : sum_around(resample));
	gone = resample->at - resample->reach;
	if (gone > resample->count)
		gone = resample->count;
	memmove(resample->past, resample->past + gone,
	        (resample->count - gone) * sizeof(*resample->past));
	resample->count -= gone;
	resample->at -= gone;
}

static float mono_of(const struct resample *resample, const char *frame)
{
	int sum = 0;

	for (int i = 0; i < resample->channels; i++)
		sum += (int16_t)((unsigned char)frame[2 * i] | (unsigned char)frame[2 * i + 1]
		                                                       << 8);
	return (float)sum / (float)resample->channels;
}

static void add_frame(struct resample *resample, const char *frame, struct buf *out)
{
	if (resample->count == PAST_MAX)
		say_ready(resample, out);
	resample->past[resample->count++] = mono_of(resample, frame);
}

void resample_feed(struct resample *resample, struct text pcm, struct buf *out)
{
	size_t frame = 2 * (size_t)resample->channels;

	for (size_t i = 0; i < pcm.len;) {
		if (!resample->half_len && pcm.len - i >= frame) {
			add_frame(resample, pcm.at + i, out);
			i += frame;
			continue;
		}
		resample->half[resample->half_len++] = pcm.at[i++];
		if (resample->half_len == frame) {
			add_frame(resample, resample->half, out);
			resample->half_len = 0;
		}
	}
	say_ready(resample, out);
}

void resample_end(struct resample *resample, struct buf *out)
{
	static const char silence[FRAME_MAX];

	for (size_t i = 0; i < resample->reach; i++)
		add_frame(resample, silence, out);
	say_ready(resample, out);
	begin_sound(resample);
}
