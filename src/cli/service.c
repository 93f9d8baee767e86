/* service.c - `signalbox service`: a box that systemd keeps running for this user.
 *
 * The unit is a file of ours in the user's systemd directory; systemctl(1) does the rest.  A
 * file of that name that we did not write is left alone.
 */
#include "cli/service.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/must.h"
#include "base/put.h"
#include "base/whole.h"
#include "cli/command.h"

extern const struct command command_service;

#define UNIT "signalbox.service"
#define WANTED_BY "default.target"
#define MARK "# Written by `signalbox service install`; it is replaced by the next one.\n"
#define UNIT_MAX (16 * KIB)

/* ---- the unit ---- */

/* The directories of a user's units and where ours is in them.  NULL: there is no home. */
static char *unit_path(const struct command_context *context)
{
	const char *config = command_env(context, "XDG_CONFIG_HOME");
	const char *home = command_env(context, "HOME");

	if (config && config[0] == '/')
		return must_print("%s/systemd/user/" UNIT, config);
	return home ? must_print("%s/.config/systemd/user/" UNIT, home) : NULL;
}

/* As one word of a command line in a unit: quotes, and no specifier or variable in it. */
static void add_word(struct buf *out, const char *word)
{
	buf_add_char(out, '"');
	for (; *word; word++) {
		if (*word == '%' || *word == '$')
			buf_add_char(out, *word);
		else if (*word == '"' || *word == '\\')
			buf_add_char(out, '\\');
		buf_add_char(out, *word);
	}
	buf_add_char(out, '"');
}

static bool add_path(struct buf *out, const char *flag, const char *path, struct error *why)
{
	char whole[PATH_MAX];

	if (!path)
		return true;
	if (!realpath(path, whole))
		return error_errno(why, "%s", path);
	buf_add_char(out, ' ');
	buf_add(out, text_of(flag));
	buf_add_char(out, ' ');
	add_word(out, whole);
	return true;
}

static bool write_unit(const struct options *options, struct buf *out, struct error *why)
{
	char program[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);

	if (n <= 0)
		return error_errno(why, "/proc/self/exe");
	program[n] = '\0';
	buf_add(out, TEXT(MARK "[Unit]\n"
	                       "Description=signalbox, every agent's signals in one place\n"
	                       "Documentation=man:signalbox(1)\n\n"
	                       "[Service]\n"
	                       "Type=notify\n"
	                       "ExecStart="));
	add_word(out, program);
	buf_add(out, TEXT(" serve"));
	if (!add_path(out, "--config", options_value(options, "config"), why) ||
	    !add_path(out, "--data", options_value(options, "data"), why))
		return false;
	buf_add(out, TEXT("\n"
	                  "ExecReload=/bin/kill -HUP $MAINPID\n"
	                  "Restart=on-failure\n"
	                  "RestartSec=1\n"
	                  "RestartPreventExitStatus=78\n"
	                  "WatchdogSec=30\n"
	                  "UMask=0077\n"
	                  "NoNewPrivileges=yes\n"
	                  "LimitNOFILE=65536\n\n"
	                  "[Install]\n"
	                  "WantedBy=" WANTED_BY "\n"));
	return true;
}

/* ---- the file ---- */

static enum service_state look_at_unit(const char *path)
{
	char head[sizeof(MARK)] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR ? SERVICE_ABSENT : SERVICE_FOREIGN;
	n = read(fd, head, sizeof(head) - 1);
	close(fd);
	return n == (ssize_t)sizeof(head) - 1 && strcmp(head, MARK) == 0 ? SERVICE_OURS
	                                                                 : SERVICE_FOREIGN;
}

static bool refuse_foreign(const char *path, struct error *why)
{
	return look_at_unit(path) != SERVICE_FOREIGN ||
	       error_set(why, "%s was not written by `signalbox service`: it is left unchanged",
	                 path);
}

static void make_parents(const char *path)
{
	char *part = must_dup(path);

	for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(part, 0755);
		*slash = '/';
	}
	free(part);
}

static bool put_file(const char *path, struct text content, struct error *why)
{
	make_parents(path);
	return whole_replace(path, 0644, content, why);
}

/* ---- systemctl ---- */

/* Its exit status; -1 when there is none. */
static int systemctl(const struct command_context *context, const char *verb, const char *flag)
{
	char program[] = "systemctl", user[] = "--user", unit[] = UNIT;
	char *words[] = {program, user, must_dup(verb), NULL, NULL, NULL};
	posix_spawn_file_actions_t quiet;
	size_t n = 3;
	int status = -1, failure;
	pid_t pid;

	if (flag)
		words[n++] = must_dup(flag);
	if (strcmp(verb, "daemon-reload") != 0)
		words[n++] = unit;
	posix_spawn_file_actions_init(&quiet);
	if (strncmp(verb, "is-", 3) == 0) /* a question; no answer is one, too */
		posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	failure = posix_spawnp(&pid, program, &quiet, NULL, words, (char *const *)context->env);
	posix_spawn_file_actions_destroy(&quiet);
	while (failure == 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	free(words[2]);
	if (flag)
		free(words[3]);
	return failure == 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool must_do(const struct command_context *context, const char *verb, const char *flag,
                    struct error *why)
{
	int status = systemctl(context, verb, flag);

	if (status < 0 || status == 127)
		return error_set(why, "systemctl cannot be run: is this machine's system systemd?");
	return status == 0 || error_set(why, "`systemctl --user %s` failed", verb);
}

/* ---- the verbs ---- */

static bool install(struct command_context *context, const struct options *options,
                    const char *path, struct error *why)
{
	bool was_there = look_at_unit(path) != SERVICE_ABSENT;
	struct buf unit;
	bool good;

	buf_init(&unit, UNIT_MAX);
	good = write_unit(options, &unit, why);
	if (good && options_has(options, "dry-run")) {
		out_add(&context->out, buf_text(&unit));
		buf_finish(&unit);
		return true;
	}
	good = good && refuse_foreign(path, why) && put_file(path, buf_text(&unit), why);
	buf_finish(&unit);
	if (good && !must_do(context, "daemon-reload", NULL, why)) {
		if (!was_there) /* nobody knows of it: as if we had never come */
			unlink(path);
		return false;
	}
	good = good && must_do(context, "enable", "--now", why);
	if (good) {
		out_say("the box runs, and will whenever you are logged in: %s", path);
		out_say("`loginctl enable-linger` has it run without that; "
		        "`signalbox open` shows it");
	}
	return good;
}

/* What `systemctl enable` made, where there is none to take it away: UNIT's link of WANTED_BY
 * beside it. */
static void forget_wish(const char *path)
{
	const char *name = strrchr(path, '/');
	char *wish = must_print("%.*s/" WANTED_BY ".wants/" UNIT, (int)(name - path), path);
	struct stat st;

	if (lstat(wish, &st) == 0 && S_ISLNK(st.st_mode))
		unlink(wish);
	free(wish);
}

/* The unit is ours to remove, whether or not a systemd is there to be told. */
static bool uninstall(struct command_context *context, const char *path, struct error *why)
{
	struct error untold;
	bool told;

	if (look_at_unit(path) == SERVICE_ABSENT) {
		out_say("nothing to uninstall: %s does not exist", path);
		return true;
	}
	if (!refuse_foreign(path, why))
		return false;
	told = must_do(context, "disable", "--now", &untold);
	if (unlink(path) != 0)
		return error_errno(why, "%s", path);
	if (!told)
		forget_wish(path);
	told = told && must_do(context, "daemon-reload", NULL, &untold);
	if (told) {
		out_say("the service is uninstalled; its data is still there");
	} else {
		out_say("%s", untold.words);
		out_say("%s is removed, but your systemd could not be told: a box that it started "
		        "may still run, until it is stopped or you log out",
		        path);
	}
	return true;
}

static bool is(const struct command_context *context, const struct service *service,
               const char *question)
{
	return service->state != SERVICE_ABSENT && systemctl(context, question, "--quiet") == 0;
}

bool service_look(const struct command_context *context, struct service *service)
{
	*service = (struct service){.path = unit_path(context)};
	if (!service->path)
		return false;
	service->state = look_at_unit(service->path);
	service->is_enabled = is(context, service, "is-enabled");
	service->is_active = is(context, service, "is-active");
	service->is_failed = !service->is_active && is(context, service, "is-failed");
	return true;
}

static int tell_service(struct command_context *context, const struct options *options)
{
	static const char *const states[] = {[SERVICE_ABSENT] = "absent",
	                                     [SERVICE_OURS] = "installed",
	                                     [SERVICE_FOREIGN] = "foreign"};
	struct service service;
	struct buf name;

	service_look(context, &service);
	buf_init(&name, 4 * PATH_MAX);
	buf_add_json(&name, text_of(service.path));
	if (options_has(options, "json")) {
		put_object(&context->out.bytes, NULL);
		put_word(&context->out.bytes, "state", states[service.state]);
		put_bool(&context->out.bytes, "enabled", service.is_enabled);
		put_bool(&context->out.bytes, "active", service.is_active);
		put_json(&context->out.bytes, "unit", buf_text(&name));
		put_end(&context->out.bytes);
		buf_add_char(&context->out.bytes, '\n');
	} else
		out_print(&context->out, "%s, %s, %s\n%s\n", states[service.state],
		          service.is_enabled ? "enabled" : "not enabled",
		          service.is_active ? "running" : "not running", service.path);
	buf_finish(&name);
	free(service.path);
	return service.is_active ? STATUS_DONE : STATUS_FAILED;
}

static int service(struct command_context *context, const struct options *options)
{
	const char *verb = options->word_count == 1 ? options->words[0] : "";
	struct error why = {0};
	bool good = false;
	int status = STATUS_USAGE;
	char *path = unit_path(context);

	if (!path) {
		out_say("HOME is not set");
		return STATUS_FAILED;
	}
	if (strcmp(verb, "status") == 0)
		status = tell_service(context, options);
	else if (strcmp(verb, "install") == 0)
		good = install(context, options, path, &why);
	else if (strcmp(verb, "uninstall") == 0)
		good = uninstall(context, path, &why);
	else
		command_misworded(&command_service, options);
	if (why.words[0])
		out_say("%s", why.words);
	if (good || why.words[0])
		status = good ? STATUS_DONE : STATUS_FAILED;
	free(path);
	return status;
}

static const struct option own[] = {
	{"dry-run", 'n', .help = "install: show the unit, change nothing"},
	{"json", 'j', .help = "status: as one JSON object"},
	{0},
};
static const struct option_group own_group = {"Options", own};
static const struct option_group *const groups[] = {&own_group, &options_where, &options_common,
                                                    NULL};

static const char *const words[] = {"install", "uninstall", "status", NULL};

const struct command command_service = {
	.name = "service",
	.summary = "let systemd keep a box running for this user",
	.usage = "install | uninstall | status",
	.examples = "  signalbox service install\n"
		    "  signalbox service install --config ~/box.yaml --dry-run\n"
		    "  signalbox service status\n",
	.about = "The unit is ~/.config/systemd/user/signalbox.service. It starts this very\n"
		 "program, again when it fails but not when its configuration is bad, and is\n"
		 "told when the box is ready, reloads and stops. `systemctl --user reload\n"
		 "signalbox` has the configuration read again; `journalctl --user -u signalbox`\n"
		 "shows the log. What is in DATA stays when the service is taken away.\n",
	.words = words,
	.groups = groups,
	.run = service,
};
