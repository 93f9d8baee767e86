/* lookup.c - getaddrinfo(3) on a thread that nobody waits for; for a literal there is none. */
#include "net/lookup.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "net/loop.h"

/* Whoever of the two comes last frees it: the thread, or the loop's side. */
struct lookup {
	char *host;
	char port[8];
	struct wake *wake;
	pthread_mutex_t lock; /* of the two below, and of waking */
	bool is_done, is_left;
	int code;
	struct addrinfo *addresses;
	void *self;
	void (*found)(void *self, const struct addrinfo *addresses, const char *why);
};

static void free_lookup(struct lookup *lookup)
{
	if (lookup->addresses)
		freeaddrinfo(lookup->addresses);
	pthread_mutex_destroy(&lookup->lock);
	free(lookup->host);
	free(lookup);
}

static int find_addresses(struct lookup *lookup, int flags)
{
	const struct addrinfo hints = {
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_NUMERICSERV | flags,
	};

	return getaddrinfo(lookup->host, lookup->port, &hints, &lookup->addresses);
}

static void *lookup_look(void *self)
{
	struct lookup *lookup = self;
	bool is_left;

	lookup->code = find_addresses(lookup, 0);
	pthread_mutex_lock(&lookup->lock);
	lookup->is_done = true;
	is_left = lookup->is_left;
	if (!is_left)
		wake_up(lookup->wake);
	pthread_mutex_unlock(&lookup->lock);
	if (is_left)
		free_lookup(lookup);
	return NULL;
}

static void lookup_tell(void *self)
{
	struct lookup *lookup = self;

	if (lookup->code == 0)
		lookup->found(lookup->self, lookup->addresses, NULL);
	else
		lookup->found(lookup->self, NULL, gai_strerror(lookup->code));
}

static bool start_thread(struct lookup *lookup)
{
	pthread_attr_t attributes;
	pthread_t thread;
	bool runs;

	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	runs = pthread_create(&thread, &attributes, lookup_look, lookup) == 0;
	pthread_attr_destroy(&attributes);
	return runs;
}

struct lookup *lookup_start(struct loop *loop, const struct lookup_question *question)
{
	struct lookup *lookup = must_zero(1, sizeof(*lookup));

	lookup->host = must_dup(question->host);
	snprintf(lookup->port, sizeof(lookup->port), "%u", question->port);
	lookup->self = question->self;
	lookup->found = question->found;
	lookup->wake = wake_create(loop, lookup_tell, lookup);
	pthread_mutex_init(&lookup->lock, NULL);
	lookup->code = find_addresses(lookup, AI_NUMERICHOST);
	if (lookup->code == 0) {
		lookup->is_done = true; /* a literal: nobody has to be asked */
		wake_up(lookup->wake);
	} else if (!start_thread(lookup)) {
		lookup->code = EAI_AGAIN;
		lookup->is_done = true;
		wake_up(lookup->wake);
	}
	return lookup;
}

void lookup_stop(struct lookup *lookup)
{
	struct wake *wake;
	bool is_done;

	if (!lookup)
		return;
	wake = lookup->wake;
	pthread_mutex_lock(&lookup->lock);
	lookup->is_left = true;
	is_done = lookup->is_done;
	pthread_mutex_unlock(&lookup->lock);
	/* Not a look at it now unless it is ours: the thread may have freed it. */
	wake_destroy(wake);
	if (is_done)
		free_lookup(lookup);
}
