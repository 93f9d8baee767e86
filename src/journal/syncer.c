/* syncer.c - a thread that does nothing but fdatasync. */
#include "journal/syncer.h"

#include <assert.h>
#include <errno.h>
#include <unistd.h>

#include "journal/inside.h"

static void *syncer_run(void *self)
{
	struct syncer *s = self;

	pthread_mutex_lock(&s->mutex);
	while (s->state != SYNCER_STOPPING) {
		int failed;

		if (s->state == SYNCER_IDLE) {
			pthread_cond_wait(&s->changed, &s->mutex);
			continue;
		}
		pthread_mutex_unlock(&s->mutex);
		failed = fdatasync(s->fd) == 0 ? 0 : errno;
		pthread_mutex_lock(&s->mutex);
		s->failed = failed;
		s->state = SYNCER_IDLE;
		pthread_cond_signal(&s->changed);
	}
	pthread_mutex_unlock(&s->mutex);
	return NULL;
}

static void syncer_set_state(struct syncer *s, enum syncer_state state)
{
	pthread_mutex_lock(&s->mutex);
	s->state = state;
	pthread_cond_signal(&s->changed);
	pthread_mutex_unlock(&s->mutex);
}

void syncer_start(struct syncer *s)
{
	pthread_mutex_init(&s->mutex, NULL);
	pthread_cond_init(&s->changed, NULL);
	s->state = SYNCER_IDLE;
	journal_spawn(&s->thread, "journal-sync", syncer_run, s);
}

void syncer_stop(struct syncer *s)
{
	syncer_set_state(s, SYNCER_STOPPING);
	pthread_join(s->thread, NULL);
	pthread_cond_destroy(&s->changed);
	pthread_mutex_destroy(&s->mutex);
}

void syncer_begin(struct syncer *s, int fd)
{
	assert(fd >= 0);
	s->fd = fd;
	syncer_set_state(s, SYNCER_BUSY);
}

int syncer_end(struct syncer *s)
{
	int failed;

	pthread_mutex_lock(&s->mutex);
	while (s->state == SYNCER_BUSY)
		pthread_cond_wait(&s->changed, &s->mutex);
	failed = s->failed;
	pthread_mutex_unlock(&s->mutex);
	return failed;
}
