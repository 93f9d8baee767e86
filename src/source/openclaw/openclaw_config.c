/* openclaw_config.c - finding the file, and what is wanted of it. */
#include "source/openclaw/openclaw_config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/must.h"
#include "base/whole.h"
#include "source/openclaw/json5.h"

#define CONFIG_MAX (1 * MIB)
#define TOKEN_MAX (4 * KIB)

typedef const char *env_fn(const char *name);

const char *openclaw_env(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

/* ---- the text ---- */

static yyjson_val *openclaw_config_member(yyjson_val *object, const char *name)
{
	return yyjson_obj_get(object, name); /* NULL for what is no object */
}

/* A token is a text with ${NAME}s in it, or {"source":"env","id":"NAME"}; secrets
 * that are kept elsewhere are not for us. */
static char *read_token(yyjson_val *token, env_fn *env)
{
	yyjson_val *id = openclaw_config_member(token, "id");
	char *found = NULL;
	struct buf out;

	buf_init(&out, TOKEN_MAX);
	if (yyjson_is_str(token) &&
	    json5_expand((struct text){yyjson_get_str(token), yyjson_get_len(token)}, env, &out) &&
	    out.len)
		found = text_dup(buf_text(&out));
	else if (yyjson_equals_str(openclaw_config_member(token, "source"), "env") &&
	         yyjson_is_str(id))
		found = must_dup(env(yyjson_get_str(id)));
	buf_finish(&out);
	return found;
}

static bool openclaw_config_read_port(struct text words, unsigned *port)
{
	uint64_t n;

	if (!text_to_u64(words, &n) || n == 0 || n > 65535)
		return false;
	*port = (unsigned)n;
	return true;
}

bool openclaw_config_parse(struct openclaw_config *config, struct text raw, env_fn *env,
                           struct error *why)
{
	yyjson_doc *doc = json5_read(raw, why);
	yyjson_val *gateway = openclaw_config_member(yyjson_doc_get_root(doc), "gateway");
	yyjson_val *auth = openclaw_config_member(gateway, "auth");
	uint64_t port = yyjson_get_uint(openclaw_config_member(gateway, "port"));

	*config = (struct openclaw_config){.port = OPENCLAW_PORT};
	if (!doc)
		return false;
	if (port > 0 && port <= 65535)
		config->port = (unsigned)port;
	if (!yyjson_equals_str(openclaw_config_member(auth, "mode"), "none"))
		config->token = read_token(openclaw_config_member(auth, "token"), env);
	yyjson_doc_free(doc);
	return true;
}

/* ---- the file ---- */

static char *find_file(env_fn *env)
{
	if (env("OPENCLAW_CONFIG_PATH"))
		return must_dup(env("OPENCLAW_CONFIG_PATH"));
	if (env("OPENCLAW_STATE_DIR"))
		return must_print("%s/openclaw.json", env("OPENCLAW_STATE_DIR"));
	return env("HOME") ? must_print("%s/.openclaw/openclaw.json", env("HOME")) : NULL;
}

/* False when it is not a file of ours or too much of one. */
static bool openclaw_config_read_all(int fd, struct buf *out)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	       whole_read(fd, out);
}

static void openclaw_config_read_file(struct openclaw_config *config, const char *path, env_fn *env)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct error why;
	struct buf raw;

	if (fd < 0)
		return;
	buf_init(&raw, CONFIG_MAX + 4 * KIB);
	if (!openclaw_config_read_all(fd, &raw))
		log_debug("openclaw", "%s is no file of ours, or too big", path);
	else if (!openclaw_config_parse(config, buf_text(&raw), env, &why))
		log_debug("openclaw", "%s: %s", path, why.words);
	close(fd);
	buf_finish(&raw);
}

void openclaw_config_read(struct openclaw_config *config, env_fn *env)
{
	char *path = find_file(env);
	const char *port = env("OPENCLAW_GATEWAY_PORT");

	*config = (struct openclaw_config){.port = OPENCLAW_PORT};
	if (path)
		openclaw_config_read_file(config, path, env);
	if (!config->token)
		config->token = must_dup(env("OPENCLAW_GATEWAY_TOKEN"));
	if (port)
		openclaw_config_read_port(text_of(port), &config->port);
	free(path);
}

void openclaw_config_finish(struct openclaw_config *config)
{
	if (config->token)
		explicit_bzero(config->token, strlen(config->token));
	free(config->token);
	*config = (struct openclaw_config){0};
}

char *openclaw_own_token(void)
{
	struct openclaw_config config;

	openclaw_config_read(&config, openclaw_env);
	return config.token;
}
