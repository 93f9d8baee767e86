/* config.c - the four places a value comes from, put together. */
#include "config/config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/must.h"
#include "config/fields.h"
#include "config/keys.h"
#include "config/yaml.h"

#define FILE_MAX (256 * KIB)
#define FILE_NAME "signalbox/signalbox.yaml"
#define DATA_DIR "signalbox" /* below XDG_STATE_HOME */
#define DEMO_DIR "signalbox-demo"

struct config_loading {
	struct config *config;
	const struct config_sources *sources;
	struct error *why;
};

static const char *env_get(const char *const *env, const char *name)
{
	size_t n = strlen(name);

	for (; env && *env; env++)
		if (strncmp(*env, name, n) == 0 && (*env)[n] == '=')
			return (*env)[n + 1] ? *env + n + 1 : NULL; /* empty is as good as unset */
	return NULL;
}

/* DIR/tail for a directory of the XDG kind: the variable's, or the one below
 * HOME.  NULL without both. */
static char *xdg_path(const struct config_loading *l, const char *variable, const char *below_home,
                      const char *tail)
{
	const char *dir = env_get(l->sources->env, variable);
	const char *home = env_get(l->sources->env, "HOME");

	if (dir && dir[0] == '/') /* a relative one is to be ignored, says the standard */
		return must_print("%s/%s", dir, tail);
	return home ? must_print("%s/%s/%s", home, below_home, tail) : NULL;
}

static bool read_bytes(int fd, struct buf *out, const char *path, struct error *why)
{
	for (;;) {
		char *room = buf_reserve(out, 4 * KIB);
		ssize_t n;

		if (!room)
			return error_set(why, "%s: bigger than %zu KiB", path, FILE_MAX / KIB);
		n = read(fd, room, 4 * KIB);
		if (n < 0 && errno != EINTR)
			return error_errno(why, "%s", path);
		if (n == 0)
			return true;
		out->len += n > 0 ? (size_t)n : 0;
	}
}

/* A pipe is refused: the second time it has nothing to say, or makes us wait for ever. */
static bool is_lasting(int fd, const char *path, struct error *why)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return error_errno(why, "%s", path);
	return !S_ISFIFO(st.st_mode) ||
	       error_set(why, "%s is a pipe, which cannot be read again", path);
}

/* Takes path. */
static bool config_read_file(struct config_loading *l, char *path, bool may_be_absent)
{
	struct buf bytes;
	bool good;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0) {
		good = may_be_absent && (errno == ENOENT || errno == ENOTDIR);
		if (!good)
			error_errno(l->why, "%s", path);
		free(path);
		return good;
	}
	free(l->config->file);
	l->config->file = path;
	buf_init(&bytes, FILE_MAX + 4 * KIB);
	good = is_lasting(fd, path, l->why) && read_bytes(fd, &bytes, path, l->why) &&
	       yaml_read(config_fields, l->config, buf_text(&bytes), path, l->why);
	buf_finish(&bytes);
	close(fd);
	return good;
}

/* The named file, which must be there, or the first of the usual ones. */
static bool load_file(struct config_loading *l)
{
	const char *named = l->sources->file;
	char *path;

	if (!named)
		named = env_get(l->sources->env, "SIGNALBOX_CONFIG");
	if (named)
		return config_read_file(l, must_dup(named), false);
	path = xdg_path(l, "XDG_CONFIG_HOME", ".config", FILE_NAME);
	if (path && !config_read_file(l, path, true))
		return false;
	return l->config->file || config_read_file(l, must_dup("/etc/" FILE_NAME), true);
}

/* The file names the user's own data directory, which is not the demo's. */
static bool forget_data_of_file(struct config_loading *l)
{
	if (l->sources->is_demo) {
		free(l->config->data);
		l->config->data = NULL;
	}
	return true;
}

static bool load_env_key(void *self, const struct config_key *key)
{
	struct config_loading *l = self;
	const char *value = key->env[0] ? env_get(l->sources->env, key->env) : NULL;

	return !value || field_assign(key->field, key->base, text_of(value), l->why) ||
	       error_within(l->why, "%s", key->env);
}

static bool load_flag_key(void *self, const struct config_key *key)
{
	struct config_loading *l = self;
	bool is_first = true;

	for (size_t i = 0; i < l->sources->flag_count; i++) {
		const struct config_flag *flag = &l->sources->flags[i];
		struct text value = text_of(flag->value);

		if (strcmp(flag->key, key->path) != 0)
			continue;
		if (is_first && field_is_list(key->field))
			field_clear(key->field, key->base);
		if (!(field_is_list(key->field) ? field_add : field_set)(key->field, key->base,
		                                                         value, l->why))
			return error_within(l->why, "%s", flag->flag);
		is_first = false;
	}
	return true;
}

/* Takes path and gives the one that is meant: ~/ is HOME's, and a relative one
 * is below `dir` if there is a dir. */
static char *settle_path(const struct config_loading *l, char *path, const char *dir)
{
	const char *home = env_get(l->sources->env, "HOME");
	char *settled;

	if (strncmp(path, "~/", 2) == 0 && home)
		settled = must_print("%s/%s", home, path + 2);
	else if (path[0] != '/' && dir)
		settled = must_print("%s/%s", dir, path);
	else
		return path;
	free(path);
	return settled;
}

/* Takes path and gives the one that begins with /, so that it stays where it was meant to be
 * and has room for a socket. */
static char *settle_from_here(char *path)
{
	char *here = path[0] == '/' ? NULL : getcwd(NULL, 0), *settled;

	if (!here)
		return path;
	while (strncmp(path, "./", 2) == 0)
		memmove(path, path + 2, strlen(path + 2) + 1);
	settled = must_print("%s/%s", strcmp(here, "/") == 0 ? "" : here, path);
	free(here);
	free(path);
	return settled;
}

static void settle_listens(const struct config_loading *l)
{
	struct config *config = l->config;

	for (size_t i = 0; i < config->listen_count; i++) {
		struct config_listen *listen = &config->listen[i];

		if (!listen->cert)
			continue;
		listen->cert = settle_path(l, listen->cert, config->data);
		listen->key = settle_path(l, listen->key, config->data);
	}
}

static bool settle_tokens(const struct config_loading *l)
{
	struct config_auth *auth = &l->config->auth;

	for (size_t i = 0; i < auth->token_count; i++) {
		struct config_token *token = &auth->tokens[i];

		token->file = settle_path(l, token->file, l->config->data);
		if (token->scopes == 0)
			return error_set(l->why, "auth.tokens: '%s' has no scopes", token->name);
		for (size_t j = 0; j < i; j++)
			if (strcmp(auth->tokens[j].name, token->name) == 0)
				return error_set(l->why, "auth.tokens: duplicate name '%s'",
				                 token->name);
	}
	return true;
}

/* A credential of the configuration: what the environment says takes the place of ${NAME}, and
 * its file is found. */
static bool settle_credential(const struct config_loading *l, char **value, char **file,
                              struct error *why)
{
	const char *found;

	if (*value && *file)
		return error_set(why, "credential or credential_file, not both");
	if (*file)
		*file = settle_path(l, *file, l->config->data);
	if (!*value)
		return true;
	(*value)[strlen(*value) - 1] = '\0';
	found = env_get(l->sources->env, *value + 2);
	if (!found)
		return error_set(why, "%s is not set in the environment", *value + 2);
	free(*value);
	*value = must_dup(found);
	return true;
}

static bool config_settle_source(const struct config_loading *l, size_t at)
{
	struct config *config = l->config;
	struct config_source *source = &config->sources[at];

	for (size_t i = 0; i < at; i++)
		if (strcmp(config->sources[i].id, source->id) == 0)
			return error_set(l->why, "sources: duplicate id '%s'", source->id);
	return settle_credential(l, &source->credential, &source->credential_file, l->why) ||
	       error_within(l->why, "sources: '%s'", source->id);
}

static bool config_settle_adapter(const struct config_loading *l, struct config_adapter *a)
{
	return (settle_credential(l, &a->credential, &a->credential_file, l->why) &&
	        (settle_credential(l, &a->app_credential, &a->app_credential_file, l->why) ||
	         error_within(l->why, "app_credential"))) ||
	       error_within(l->why, "adapters: '%s'", a->name);
}

/* Whoever is written to is there. */
static bool has_adapter(const struct config_loading *l, const char *key, const char *chat)
{
	struct text peer, name = text_cut(text_of(chat), ':', &peer);

	return text_is(name, "terminal") || config_adapter_of(l->config, name) ||
	       error_set(l->why, "%s: '%s': there is no adapter '%.*s'", key, chat, TEXT_ARG(name));
}

static bool settle_chats(const struct config_loading *l)
{
	const struct config *config = l->config;

	for (size_t i = 0; i < config->prompts.to_count; i++)
		if (!has_adapter(l, "prompts.to", config->prompts.to[i].chat))
			return false;
	for (size_t i = 0; i < config->route_count; i++)
		if (!has_adapter(l, "routes", config->routes[i].to))
			return false;
	return true;
}

static bool config_settle(struct config_loading *l)
{
	struct config *config = l->config;

	if (config->data)
		config->data = settle_from_here(settle_path(l, config->data, NULL));
	else
		config->data = xdg_path(l, "XDG_STATE_HOME", ".local/state",
		                        l->sources->is_demo ? DEMO_DIR : DATA_DIR);
	if (!config->data)
		return error_set(l->why, "no data directory: HOME is not set; use --data DIR");
	for (size_t i = 0; i < config->source_count; i++)
		if (!config_settle_source(l, i))
			return false;
	for (size_t i = 0; i < config->adapter_count; i++)
		if (!config_settle_adapter(l, &config->adapters[i]))
			return false;
	settle_listens(l);
	return settle_chats(l) && config_check_identities(config, l->why) && settle_tokens(l);
}

bool config_load(struct config *config, const struct config_sources *sources, struct error *why)
{
	struct config_loading l = {config, sources, why};

	*config = (struct config){0};
	fields_init(config_fields, config);
	if (load_file(&l) && forget_data_of_file(&l) && keys_each(config, load_env_key, &l) &&
	    keys_each(config, load_flag_key, &l) && config_settle(&l))
		return true;
	config_finish(config);
	return false;
}

void config_finish(struct config *config)
{
	fields_finish(config_fields, config);
	free(config->file);
	config->file = NULL;
}
