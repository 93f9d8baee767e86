/* doctor_hooks.c - hooks that did not reach the box, and sessions that are held. */
#include <stdlib.h>

#include "base/brake.h"
#include "base/spool.h"
#include "cli/doctor.h"
#include "config/config.h"

static void tell_held(void *self, struct text session)
{
	struct doctor *d = self;
	char *name = text_dup(session);
	char *where = command_data_words(d->context, d->config->data);

	doctor_say(d, HEALTH_OK, "the session %s is paused", name);
	doctor_advise(d, "signalbox control %s continue%s", name, where);
	free(where);
	free(name);
}

void doctor_hooks(struct doctor *d)
{
	const char *data = d->config->data;
	unsigned long long waits = spool_size(data);
	unsigned long long lost = spool_lost(data);

	if (lost) {
		doctor_say(d, HEALTH_WARN, "%llu payloads of hooks were lost: %s/spool was full",
		           lost, data);
		doctor_advise(d, "rm %s/spool.lost, when you have taken note", data);
	}
	if (waits && d->box == 0) {
		doctor_say(d, HEALTH_WARN,
		           "%llu bytes of hook payloads wait in %s/spool: no box is running", waits,
		           data);
		doctor_advise(d, "signalbox serve");
	}
	if (!lost && !(waits && d->box == 0))
		doctor_say(d, HEALTH_OK, "all their payloads were processed");
	brake_each(data, tell_held, d);
}
