/* sherpa.h - sherpa-onnx, which is loaded when the program begins and not linked.
 *
 * The library and the weights are fetched by whoever wants them (`make voice`); a machine
 * without them hears nothing, and says so in words.  The library is used only at the version
 * that its structs are known of.
 *
 * One recogniser for all: whoever calls it from a second thread waits.
 */
#ifndef SPEECH_SHERPA_H
#define SPEECH_SHERPA_H

#include "base/buf.h"
#include "base/error.h"

#define SHERPA_RATE 16000
#define SHERPA_WINDOW 512 /* samples that the detector of speech wants at once */

struct sherpa;

/* directory has the library, the weights and the list of tokens.  NULL: why says what is
 * missing. */
struct sherpa *sherpa_open(const char *directory, struct error *why);
void sherpa_close(struct sherpa *sherpa);

/* Appends the words of these samples, from -1 to 1.  Without wait, false and nothing where
 * another thread is at it. */
bool sherpa_hear(struct sherpa *sherpa, const float *samples, size_t count, struct buf *words,
                 bool wait);

/* Whether somebody speaks; one for each stream of sound, and for one thread. */
struct detector;
struct detector_times {
	int speech_ms, silence_ms; /* as long before it begins, and before it ends */
};
struct detector *detector_create(struct sherpa *sherpa, const struct detector_times *times);
void detector_destroy(struct detector *detector);
bool detector_feed(struct detector *detector, const float window[SHERPA_WINDOW]);

#endif
