/* midi_line.c - JACK, kept at arm's length.
 *
 *   JACK's threads   process: the port's messages into the ring
 *                    registered, shutdown: note it and wake the worker
 *   the worker       opens, connects, lists, closes: whatever may block
 *   the loop         hears of it all by one eventfd
 *
 * The memory belongs to the worker and the loop together: the last of the two to
 * leave frees it.  So the loop never waits for JACK.
 */
#include "source/midi/midi_line.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#include "base/must.h"
#include "net/loop.h"
#include "source/midi/midi_jack.h"
#include "source/midi/midi_server.h"

#define CLIENT "signalbox"
#define RETRY_S 5 /* between two looks for a server */
#define LOOK_S 1  /* between two at its ports: whoever closes its client is not announced */
#define SETTLE_MS 100

/* ---- a line ---- */

struct port_list {
	size_t n;
	struct midi_port ports[MIDI_PORTS_MAX];
};

struct midi_line {
	struct midi_line_options options; /* the loop's */
	char *port;
	struct midi_ring ring;
	_Atomic unsigned users;            /* the loop and the worker */
	_Atomic(struct port_list *) ports; /* news for the loop, which takes it */
	_Atomic(const char *) state; /* is_read, or why it is not: a literal; NULL: not known */
	atomic_bool stops, shut, changed, asked;
	sem_t work; /* something for the worker */
	int news;   /* eventfd: something for the loop */

	uv_poll_t *poll;  /* the loop's; NULL once it left */
	const char *told; /* likewise: the state that it was told last */

	jack_client_t *client; /* the worker's */
	jack_port_t *in;
	struct port_list *seen; /* what was published last */
	bool reads;             /* it is connected to its port */
};

static const char is_read[] = "it is read";

/* Lines whose worker is not through yet. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t left;
	unsigned workers;
} living = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};

static void free_list(struct port_list *list)
{
	for (size_t i = 0; list && i < list->n; i++)
		free(list->ports[i].name);
	free(list);
}

static void unref(struct midi_line *line)
{
	if (atomic_fetch_sub(&line->users, 1) != 1)
		return;
	free_list(atomic_load(&line->ports));
	free_list(line->seen);
	sem_destroy(&line->work);
	close(line->news);
	free(line->port);
	free(line);
}

static void tell_loop(struct midi_line *line)
{
	uint64_t one = 1;

	/* It fails only when the counter is full, and then the loop knows. */
	if (write(line->news, &one, sizeof(one)) < 0)
		return;
}

/* ---- on JACK's threads ---- */

static int process(jack_nframes_t frames, void *self)
{
	struct midi_line *line = self;
	void *buffer = jack.port_get_buffer(line->in, frames);
	uint32_t n = jack.midi_get_event_count(buffer);
	jack_midi_event_t event;

	for (uint32_t i = 0; i < n; i++)
		if (jack.midi_event_get(&event, buffer, i) == 0)
			midi_ring_put(&line->ring, event.buffer, event.size);
	if (n)
		tell_loop(line);
	return 0;
}

static void registered(jack_port_id_t port, int is_there, void *self)
{
	struct midi_line *line = self;

	(void)port, (void)is_there;
	atomic_store(&line->changed, true);
	sem_post(&line->work);
}

static void shut_down(jack_status_t code, const char *reason, void *self)
{
	struct midi_line *line = self;

	(void)code, (void)reason;
	atomic_store(&line->shut, true);
	sem_post(&line->work);
}

/* ---- the worker ---- */

static bool midi_line_goes_on(const struct midi_line *line)
{
	return !atomic_load(&line->stops) && !atomic_load(&line->shut);
}

static struct port_list *list_ports(struct midi_line *line)
{
	struct port_list *list = must_zero(1, sizeof(*list));
	const char **names = NULL;

	if (line->client && !atomic_load(&line->shut))
		names = jack.get_ports(line->client, NULL, JACK_DEFAULT_MIDI_TYPE,
		                       JackPortIsOutput);
	for (const char **name = names; name && *name && list->n < MIDI_PORTS_MAX; name++) {
		struct midi_port *port = &list->ports[list->n++];

		midi_port_id(port->id, text_of(*name));
		port->name = must_dup(*name);
	}
	if (names)
		jack.free(names);
	return list;
}

static struct port_list *copy_list(const struct port_list *list)
{
	struct port_list *copy = must_zero(1, sizeof(*copy));

	*copy = *list;
	for (size_t i = 0; i < list->n; i++)
		copy->ports[i].name = must_dup(list->ports[i].name);
	return copy;
}

static bool midi_line_is_same(const struct port_list *a, const struct port_list *b)
{
	if (!a || !b || a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->ports[i].name, b->ports[i].name) != 0)
			return false;
	return true;
}

/* What there is, if it is news or somebody asked. */
static void midi_line_publish(struct midi_line *line, bool is_asked)
{
	struct port_list *list = list_ports(line);

	if (!is_asked && midi_line_is_same(list, line->seen)) {
		free_list(list);
		return;
	}
	free_list(line->seen);
	line->seen = copy_list(list);
	free_list(atomic_exchange(&line->ports, list));
	tell_loop(line);
}

/* The name of the port that is to be read; NULL: it is not there. */
static char *find_port(struct midi_line *line)
{
	struct port_list *list = list_ports(line);
	char *found = NULL;

	for (size_t i = 0; i < list->n && !found; i++)
		if (strcmp(list->ports[i].id, line->port) == 0 ||
		    strcmp(list->ports[i].name, line->port) == 0)
			found = must_dup(list->ports[i].name);
	free_list(list);
	return found;
}

static bool open_client(struct midi_line *line)
{
	if (jack.is_second && !midi_server_answers())
		return false;
	line->client = jack.client_open(CLIENT, JackNoStartServer, NULL);
	if (!line->client)
		return false;
	atomic_store(&line->shut, false);
	jack.on_info_shutdown(line->client, shut_down, line);
	jack.set_port_registration_callback(line->client, registered, line);
	if (!line->port)
		return jack.activate(line->client) == 0;
	line->in =
		jack.port_register(line->client, "in", JACK_DEFAULT_MIDI_TYPE, JackPortIsInput, 0);
	return line->in && jack.set_process_callback(line->client, process, line) == 0 &&
	       jack.activate(line->client) == 0;
}

static void close_client(struct midi_line *line)
{
	if (line->client)
		jack.client_close(line->client);
	line->client = NULL;
	line->in = NULL;
}

/* For something to do, and no longer than so many seconds. */
static void wait_for_work(struct midi_line *line, unsigned seconds)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += seconds;
	while (sem_timedwait(&line->work, &until) != 0 && errno == EINTR)
		;
}

/* What there is, as long as the server is. */
static void watch_ports(struct midi_line *line)
{
	while (midi_line_goes_on(line)) {
		midi_line_publish(line, atomic_exchange(&line->asked, false));
		wait_for_work(line, LOOK_S);
	}
}

static void midi_line_watch(struct midi_line *line)
{
	while (!atomic_load(&line->stops)) {
		if (open_client(line))
			watch_ports(line);
		if (!atomic_load(&line->stops))
			midi_line_publish(line, atomic_exchange(&line->asked, false));
		close_client(line); /* which may take seconds where the server died */
		if (!atomic_load(&line->stops))
			wait_for_work(line, RETRY_S);
	}
}

static void say_state(struct midi_line *line, const char *state)
{
	if (atomic_exchange(&line->state, state) != state)
		tell_loop(line);
}

/* A connection is in JACK's graph with its next period, and not before. */
static bool is_connected(struct midi_line *line)
{
	static const struct timespec settle = {.tv_nsec = SETTLE_MS * 1000000L};

	if (jack.port_connected(line->in))
		return true;
	nanosleep(&settle, NULL);
	return jack.port_connected(line->in) != 0;
}

/* A port that came while nobody looked has the name of the one that went, and not its
 * connections.  One that is there and that somebody unplugged from us is left so. */
static void look_at_port(struct midi_line *line)
{
	bool has_changed = atomic_exchange(&line->changed, false);
	char *name = find_port(line);

	if (!name || (line->reads && has_changed && !is_connected(line)))
		line->reads = false;
	if (name && !line->reads) {
		jack.connect(line->client, name, jack.port_name(line->in));
		line->reads = is_connected(line);
	}
	free(name);
	if (line->reads)
		say_state(line, is_read);
	else if (atomic_load(&line->state) == is_read)
		say_state(line, "the MIDI port went away");
	else if (!atomic_load(&line->state))
		say_state(line, "the MIDI port is not there");
}

/* The port may come and go, and so may the server. */
static void midi_line_read_port(struct midi_line *line)
{
	while (!atomic_load(&line->stops)) {
		bool was_there = open_client(line);

		while (was_there && midi_line_goes_on(line)) {
			look_at_port(line);
			wait_for_work(line, LOOK_S);
		}
		line->reads = false;
		if (!atomic_load(&line->stops) && was_there)
			say_state(line, "the JACK server went away");
		else if (!atomic_load(&line->stops) && !atomic_load(&line->state))
			say_state(line, "no JACK server is running");
		close_client(line);
		if (!atomic_load(&line->stops))
			wait_for_work(line, RETRY_S);
	}
}

static void *work(void *self)
{
	struct midi_line *line = self;

	if (line->port)
		midi_line_read_port(line);
	else
		midi_line_watch(line);
	unref(line);
	pthread_mutex_lock(&living.lock);
	living.workers--;
	pthread_cond_signal(&living.left);
	pthread_mutex_unlock(&living.lock);
	return NULL;
}

static bool start_worker(struct midi_line *line)
{
	pthread_attr_t how;
	pthread_t thread;
	bool ok;

	pthread_attr_init(&how);
	pthread_attr_setdetachstate(&how, PTHREAD_CREATE_DETACHED);
	pthread_mutex_lock(&living.lock);
	ok = pthread_create(&thread, &how, work, line) == 0;
	living.workers += ok;
	pthread_mutex_unlock(&living.lock);
	pthread_attr_destroy(&how);
	return ok;
}

/* ---- on the loop ---- */

static void give_messages(struct midi_line *line)
{
	unsigned char bytes[MIDI_MESSAGE_MAX];
	unsigned long missed;
	size_t n;

	while (line->poll && (n = midi_ring_take(&line->ring, bytes)) > 0)
		line->options.message(line->options.self, (struct text){(char *)bytes, n});
	missed = atomic_exchange(&line->ring.missed, 0);
	if (line->poll && missed)
		line->options.missed(line->options.self, missed);
}

/* What was played before the port went is given before that is said. */
static void midi_line_give_state(struct midi_line *line)
{
	const char *state = atomic_load(&line->state);
	bool is_news = state && state != line->told;

	line->told = state;
	if (is_news && state == is_read)
		line->options.live(line->options.self);
	give_messages(line);
	if (line->poll && is_news && state != is_read)
		line->options.gone(line->options.self, state);
}

/* Every callback may destroy the line: then poll is NULL, and the memory is ours
 * until this is over. */
static void midi_line_heard(uv_poll_t *poll, int status, int events)
{
	struct midi_line *line = poll->data;
	struct port_list *list;
	uint64_t count;

	(void)status, (void)events;
	atomic_fetch_add(&line->users, 1);
	if (read(line->news, &count, sizeof(count)) < 0 && errno != EAGAIN)
		uv_poll_stop(poll);
	list = atomic_exchange(&line->ports, NULL);
	if (list)
		line->options.ports(line->options.self, list->ports, list->n);
	free_list(list);
	if (line->poll && line->port)
		midi_line_give_state(line);
	unref(line);
}

static void free_poll(uv_handle_t *poll)
{
	free(poll);
}

struct midi_line *midi_line_create(const struct midi_line_options *options, struct error *why)
{
	struct midi_line *line;

	if (!midi_jack_load()) {
		error_set(why, "MIDI needs JACK: install libjack-jackd2-0 or pipewire-jack");
		return NULL;
	}
	line = must_zero(1, sizeof(*line));
	line->options = *options;
	line->port = must_dup(options->port);
	line->news = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	sem_init(&line->work, 0, 0);
	atomic_store(&line->users, 2);
	atomic_store(&line->asked, true);
	if (line->news < 0 || !start_worker(line)) {
		error_set(why, "there is no thread for JACK");
		atomic_store(&line->users, 1);
		unref(line);
		return NULL;
	}
	line->poll = must_zero(1, sizeof(*line->poll));
	line->poll->data = line;
	uv_poll_init(loop_uv(options->loop), line->poll, line->news);
	uv_poll_start(line->poll, UV_READABLE, midi_line_heard);
	return line;
}

void midi_line_look(struct midi_line *line)
{
	atomic_store(&line->asked, true);
	sem_post(&line->work);
}

void midi_line_destroy(struct midi_line *line)
{
	if (!line)
		return;
	uv_close((uv_handle_t *)line->poll, free_poll);
	line->poll = NULL;
	atomic_store(&line->stops, true);
	sem_post(&line->work);
	unref(line);
}

void midi_line_farewell(unsigned ms)
{
	struct timespec until;
	int late = 0;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += ms / 1000;
	until.tv_nsec += (long)(ms % 1000) * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	pthread_mutex_lock(&living.lock);
	while (living.workers && late == 0)
		late = pthread_cond_timedwait(&living.left, &living.lock, &until);
	pthread_mutex_unlock(&living.lock);
}
