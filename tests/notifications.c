/* notifications.c - a server of org.freedesktop.Notifications, for tests: it prints a line of what
 * it is told, and gives numbers from 7 on.
 *
 *	notifications [markup] [late MS]
 *
 * late: so long after a notification is printed its number is told, and nothing else is done. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <systemd/sd-bus.h>

#define PLACE "org.freedesktop.Notifications"
#define OBJECT "/org/freedesktop/Notifications"

static uint32_t last = 6;
static int has_markup;
static long late_ms;

/* Words with a bar between them; a test has none in its texts. */
static int on_notify(sd_bus_message *m, void *self, sd_bus_error *why)
{
	const char *name, *icon, *title, *body;
	uint32_t replaces;
	int32_t expires;
	int failed;

	(void)self;
	(void)why;
	failed = sd_bus_message_read(m, "susss", &name, &replaces, &icon, &title, &body);
	if (failed >= 0)
		failed = sd_bus_message_skip(m, "asa{sv}");
	if (failed >= 0)
		failed = sd_bus_message_read(m, "i", &expires);
	if (failed < 0)
		return failed;
	if (!replaces)
		replaces = ++last;
	printf("show|%u|%s|%s|%s|%d\n", replaces, name, title, body, expires);
	nanosleep(&(struct timespec){late_ms / 1000, late_ms % 1000 * 1000000}, NULL);
	return sd_bus_reply_method_return(m, "u", replaces);
}

static int on_close(sd_bus_message *m, void *self, sd_bus_error *why)
{
	uint32_t number = 0;
	int failed = sd_bus_message_read(m, "u", &number);

	(void)self;
	(void)why;
	if (failed < 0)
		return failed;
	printf("close|%u\n", number);
	return sd_bus_reply_method_return(m, "");
}

static int on_capabilities(sd_bus_message *m, void *self, sd_bus_error *why)
{
	(void)self;
	(void)why;
	return has_markup ? sd_bus_reply_method_return(m, "as", 2, "body", "body-markup")
	                  : sd_bus_reply_method_return(m, "as", 1, "body");
}

static const sd_bus_vtable table[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_METHOD("Notify", "susssasa{sv}i", "u", on_notify, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD("CloseNotification", "u", "", on_close, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD("GetCapabilities", "", "as", on_capabilities, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_VTABLE_END,
};

int main(int argc, char **argv)
{
	sd_bus *bus = NULL;

	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "markup") == 0)
			has_markup = 1;
		else if (strcmp(argv[i], "late") == 0 && i + 1 < argc)
			late_ms = strtol(argv[++i], NULL, 10);
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (sd_bus_open_user(&bus) < 0 ||
	    sd_bus_add_object_vtable(bus, NULL, OBJECT, PLACE, table, NULL) < 0 ||
	    sd_bus_request_name(bus, PLACE, 0) < 0)
		return 1;
	printf("ready\n");
	while (sd_bus_process(bus, NULL) > 0 || sd_bus_wait(bus, UINT64_MAX) >= 0)
		;
	sd_bus_unref(bus);
	return 0;
}
