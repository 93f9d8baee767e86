/* doctor_files.c - the configuration, the show, and who may read and write what. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/must.h"
#include "cli/check.h"
#include "cli/doctor.h"

void doctor_config(struct doctor *d)
{
	struct error why;

	if (!d->config) {
		doctor_say(d, HEALTH_BAD, "%s", d->fault->words);
		doctor_advise(d, "mend it; `signalbox check` says when it is good");
	} else if (!check_reach(d->config, &why)) {
		doctor_say(d, HEALTH_BAD, "%s", why.words);
		doctor_advise(d, "mend it; `signalbox check` says when it is good");
	} else if (d->config->file) {
		doctor_say(d, HEALTH_OK, "%s is good", d->config->file);
	} else {
		doctor_say(d, HEALTH_OK, "no file: everything has its default");
	}
}

/* What the box itself would refuse, and nobody found: else it would be said twice. */
void doctor_start(struct doctor *d)
{
	struct error why;

	if (!doctor_is_well(d) || check_config(d->context, d->config, &why))
		return;
	doctor_say(d, HEALTH_BAD, "%s", why.words);
	doctor_advise(d, "mend it; `signalbox check` says when it is good");
}

void doctor_show(struct doctor *d)
{
	struct error why;
	bool is_there;

	if (!check_show(d->config->data, &is_there, &why)) {
		doctor_say(d, HEALTH_BAD, "%s", why.words);
		doctor_advise(d, "mend it, or `signalbox show use --default`");
	} else {
		doctor_say(d, HEALTH_OK,
		           is_there ? "%s/show.json is good" : "the one in the program",
		           d->config->data);
	}
}

/* ---- permissions ---- */

struct rule {
	mode_t forbidden;
	const char *mode; /* what chmod(1) is to be told */
	bool may_be_roots;
};

static const struct rule private_dir = {077, "700", false};
static const struct rule private_file = {077, "600", false};
static const struct rule key_file = {007, "o=", true};
static const struct rule config_file = {022, "go-w", true};

/* True: it is there, and as it should be.  What is not there is no fault of this kind. */
static bool look_at(struct doctor *d, const char *path, const struct rule *rule)
{
	bool is_ours;
	struct stat st;

	if (stat(path, &st) != 0) {
		if (errno == ENOENT || errno == ENOTDIR)
			return false;
		doctor_say(d, HEALTH_BAD, "%s: %s", path, strerror(errno));
		doctor_advise(d, "mend the way there, or name another file");
		return false;
	}
	is_ours = st.st_uid == geteuid() || (rule->may_be_roots && st.st_uid == 0);
	if (!is_ours) {
		doctor_say(d, HEALTH_BAD, "%s belongs to another user, uid %u", path,
		           (unsigned)st.st_uid);
		doctor_advise(d, "chown %u %s", (unsigned)geteuid(), path);
	} else if (st.st_mode & rule->forbidden) {
		doctor_say(d, HEALTH_BAD, "%s is open to others: mode %04o", path,
		           (unsigned)(st.st_mode & 07777));
		doctor_advise(d, "chmod %s %s", rule->mode, path);
	}
	return is_ours && !(st.st_mode & rule->forbidden);
}

/* Files of DATA that only we may read. */
static unsigned look_at_data(struct doctor *d)
{
	static const char *const names[] = {"token",
	                                    "sock",
	                                    "lock",
	                                    "source-credentials.json",
	                                    "openclaw-device.json",
	                                    "devices.json",
	                                    "gateway-devices.json",
	                                    "gateway-desk.json",
	                                    "push-key",
	                                    "phone.pem"};
	unsigned good = look_at(d, d->config->data, &private_dir);

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char *path = must_print("%s/%s", d->config->data, names[i]);

		good += look_at(d, path, &private_file);
		free(path);
	}
	return good;
}

static unsigned look_at_named(struct doctor *d)
{
	const struct config *config = d->config;
	unsigned good = config->file && look_at(d, config->file, &config_file);

	for (size_t i = 0; i < config->auth.token_count; i++)
		good += look_at(d, config->auth.tokens[i].file, &private_file);
	for (size_t i = 0; i < config->source_count; i++)
		if (config->sources[i].credential_file)
			good += look_at(d, config->sources[i].credential_file, &private_file);
	for (size_t i = 0; i < config->adapter_count; i++) {
		if (config->adapters[i].credential_file)
			good += look_at(d, config->adapters[i].credential_file, &private_file);
		if (config->adapters[i].app_credential_file)
			good += look_at(d, config->adapters[i].app_credential_file, &private_file);
	}
	for (size_t i = 0; i < config->listen_count; i++)
		if (config->listen[i].key)
			good += look_at(d, config->listen[i].key, &key_file);
	return good;
}

/* A secret that the configuration names and that is not there keeps the box from starting. */
static void miss_secrets(struct doctor *d)
{
	for (size_t i = 0; i < d->config->source_count; i++) {
		const struct config_source *source = &d->config->sources[i];

		if (!source->credential_file || access(source->credential_file, F_OK) == 0)
			continue;
		doctor_say(d, HEALTH_BAD, "%s of the source '%s': %s", source->credential_file,
		           source->id, strerror(errno));
		doctor_advise(d,
		              "write its credential there and chmod 600 it, or name another file");
	}
	for (size_t i = 0; i < d->config->auth.token_count; i++) {
		const struct config_token *token = &d->config->auth.tokens[i];

		if (access(token->file, F_OK) == 0)
			continue;
		doctor_say(d, HEALTH_BAD, "%s of the token '%s': %s", token->file, token->name,
		           strerror(errno));
		doctor_advise(d, "signalbox token new %s --scopes LIST", token->name);
	}
}

void doctor_permissions(struct doctor *d)
{
	size_t before = d->count;
	unsigned good = look_at_data(d) + look_at_named(d);

	miss_secrets(d);
	if (d->count > before)
		return;
	if (good)
		doctor_say(d, HEALTH_OK, "%u files and directories have the right permissions",
		           good);
	else
		doctor_say(d, HEALTH_OK, "nothing to check yet");
}
