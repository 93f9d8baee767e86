/* festival.c - a voice of festival: the program is started once, because that is most of what a
 * sentence costs.
 *
 * It reads Scheme, in which anything can be said, so the sentence has no quote and no backslash
 * when it gets there.  The sound comes in a file of ours without a name, which it opens as
 * /dev/fd/3. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/must.h"
#include "sound/wav.h"
#include "speech/interrupt.h"
#include "speech/mouth.h"

#define SAY_MS 30000
#define SOUND_FD 3
#define DONE "\"signalbox\"\n" /* what it prints when it has done what it was told */
#define SAY_DONE "(print \"signalbox\")\n(fflush nil)\n"
#define SOUND_MAX (32 * MIB)

struct festival {
	struct mouth mouth;
	pthread_mutex_t busy;
	pid_t pid;    /* 0: it does not run */
	int to, from; /* its standard input and output */
	int sound;    /* the file */
};

static void stop(struct festival *festival)
{
	if (festival->pid <= 0)
		return;
	interrupts_end(festival->pid);
	close(festival->to);
	close(festival->from);
	festival->pid = 0;
}

/* In the child: only what is safe between fork and exec. */
static void become_festival(int input, int output, int sound)
{
	int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);

	dup2(nothing, STDERR_FILENO);
	dup2(input, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	if (sound == SOUND_FD)
		fcntl(sound, F_SETFD, 0);
	else
		dup2(sound, SOUND_FD);
	execlp("festival", "festival", "--pipe", (char *)NULL);
	_exit(127);
}

static bool write_all(int fd, struct text bytes)
{
	while (bytes.len) {
		ssize_t n = write(fd, bytes.at, bytes.len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		bytes = (struct text){bytes.at + n, bytes.len - (size_t)n};
	}
	return true;
}

/* Tells it something, and waits until it says that it is done. */
static bool command(struct festival *festival, struct text scheme)
{
	uint64_t deadline = clock_mono_ns() + (uint64_t)SAY_MS * 1000000;
	char said[256];
	size_t len = 0;

	if (!write_all(festival->to, scheme))
		return false;
	while (len < sizeof(said)) {
		struct pollfd poll_fd = {.fd = festival->from, .events = POLLIN};
		uint64_t now = clock_mono_ns();
		ssize_t n;

		if (now >= deadline ||
		    poll(&poll_fd, 1, (int)((deadline - now) / 1000000) + 1) <= 0)
			return false;
		n = read(festival->from, said + len, sizeof(said) - len);
		if (n <= 0)
			return false;
		len += (size_t)n;
		if (memmem(said, len, DONE, sizeof(DONE) - 1))
			return true;
	}
	return false;
}

static bool start(struct festival *festival, struct error *why)
{
	int input[2], output[2];
	char *voice;
	bool is_good;

	if (festival->pid > 0)
		return true;
	if (pipe2(input, O_CLOEXEC) < 0)
		return error_errno(why, "a pipe");
	if (pipe2(output, O_CLOEXEC) < 0) {
		close(input[0]);
		close(input[1]);
		return error_errno(why, "a pipe");
	}
	festival->pid = fork();
	if (festival->pid == 0)
		become_festival(input[0], output[1], festival->sound);
	close(input[0]);
	close(output[1]);
	festival->to = input[1];
	festival->from = output[0];
	voice = must_print("(%s)\n" SAY_DONE, festival->mouth.voice->detail);
	is_good = festival->pid > 0 && command(festival, text_of(voice));
	free(voice);
	if (!is_good)
		stop(festival);
	return is_good || error_set(why,
	                            "festival with the voice %s is not there: Debian's packages "
	                            "are festival and festvox-us-slt-hts",
	                            festival->mouth.voice->detail);
}

struct mouth *festival_open(const struct mouth_voice *voice, struct error *why)
{
	struct festival *festival = must_zero(1, sizeof(*festival));

	festival->mouth.voice = voice;
	pthread_mutex_init(&festival->busy, NULL);
	festival->sound = memfd_create("sentence", MFD_CLOEXEC);
	if (festival->sound >= 0 && start(festival, why))
		return &festival->mouth;
	festival_close(&festival->mouth);
	return NULL;
}

void festival_close(struct mouth *mouth)
{
	struct festival *festival = (struct festival *)mouth;

	stop(festival);
	if (festival->sound >= 0)
		close(festival->sound);
	pthread_mutex_destroy(&festival->busy);
	free(festival);
}

/* ---- a sentence ---- */

static void put_sentence(const char *plain, struct buf *out)
{
	buf_add(out, TEXT("(utt.save.wave (utt.synth (Utterance Text \""));
	for (; *plain; plain++)
		buf_add_char(out, *plain == '"' || *plain == '\\' ? ' ' : *plain);
	buf_print(out, "\")) \"/dev/fd/%d\" 'riff)\n" SAY_DONE, SOUND_FD);
}

static bool take_sound(int fd, struct buf *pcm, int *rate, struct error *why)
{
	off_t size = lseek(fd, 0, SEEK_END);
	struct buf file;
	struct wav wav;
	bool is_good = false;
	char *at;

	buf_init(&file, SOUND_MAX);
	at = size > 0 ? buf_reserve(&file, (size_t)size) : NULL;
	if (at && pread(fd, at, (size_t)size, 0) == size) {
		file.len = (size_t)size;
		is_good = wav_read_plain(buf_text(&file), &wav, why) && wav.channels == 1 &&
		          buf_add(pcm, wav.sound);
		*rate = wav.rate;
	}
	buf_finish(&file);
	return is_good || error_set(why, "festival says it too long, or not at all");
}

bool festival_say(struct mouth *mouth, const char *plain, struct buf *pcm, int *rate,
                  struct error *why)
{
	struct festival *festival = (struct festival *)mouth;
	struct buf scheme;
	bool is_good;

	buf_init(&scheme, 2 * MOUTH_SENTENCE_MAX);
	put_sentence(plain, &scheme);
	pthread_mutex_lock(&festival->busy);
	is_good = ftruncate(festival->sound, 0) == 0 && start(festival, why);
	if (is_good && !command(festival, buf_text(&scheme))) {
		stop(festival); /* it is started again for the next */
		is_good = error_set(why, "festival hangs, or ended");
	}
	is_good = is_good && take_sound(festival->sound, pcm, rate, why);
	pthread_mutex_unlock(&festival->busy);
	buf_finish(&scheme);
	return is_good;
}
