/* doctor.c - `signalbox doctor`: the table of checks, and their findings. */
#include "cli/doctor.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "cli/command.h"

extern const struct command command_doctor;

#define WORDS_MAX 1024
#define JSON_MAX (4 * MIB)

static const struct doctor_check {
	const char *name;
	void (*look)(struct doctor *doctor);
	bool needs_config;
} checks[] = {
	{"config", doctor_config, false},
	{"show", doctor_show, true},
	{"permissions", doctor_permissions, true},
	{"disk", doctor_disk, true},
	{"clock", doctor_clock, true},
	{"limits", doctor_limits, true},
	{"journal", doctor_journal, true},
	{"port", doctor_port, true},
	{"trust", doctor_trust, true},
	{"sockets", doctor_sockets, true},
	{"tls", doctor_tls, true},
	{"phone", doctor_phone, true},
	{"claude", doctor_claude, false},
	{"hooks", doctor_hooks, true},
	{"service", doctor_service, false},
	{"start", doctor_start, true},
};

/* ---- for checks ---- */

void doctor_say(struct doctor *d, enum health health, const char *format, ...)
{
	char words[WORDS_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(words, sizeof(words), format, args);
	va_end(args);
	d->findings = must_grow(d->findings, (d->count + 1) * sizeof(*d->findings));
	d->findings[d->count++] = (struct finding){d->check, health, must_dup(words), NULL};
}

void doctor_advise(struct doctor *d, const char *format, ...)
{
	char words[WORDS_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(words, sizeof(words), format, args);
	va_end(args);
	free(d->findings[d->count - 1].advice);
	d->findings[d->count - 1].advice = must_dup(words);
}

bool doctor_is_well(const struct doctor *d)
{
	for (size_t i = 0; i < d->count; i++)
		if (d->findings[i].health == HEALTH_BAD)
			return false;
	return true;
}

/* ---- what is said ---- */

static const char *const health_names[] = {"ok", "warn", "bad"};

static void show_findings(struct out *out, const struct doctor *d)
{
	static const char *const colors[] = {"\033[32m", "\033[33m", "\033[31m"};

	for (size_t i = 0; i < d->count; i++) {
		const struct finding *f = &d->findings[i];

		out_paint(out, colors[f->health]);
		out_print(out, "%-4s", health_names[f->health]);
		out_paint(out, "\033[0m");
		out_print(out, "  %-11s  ", f->check);
		out_add_shown(out, text_of(f->words));
		if (f->advice) {
			out_print(out, "\n%*s-> ", 19, "");
			out_add_shown(out, text_of(f->advice));
		}
		out_print(out, "\n");
	}
}

static void show_findings_json(struct out *out, const struct doctor *d, bool is_well)
{
	struct buf json;

	buf_init(&json, JSON_MAX);
	put_object(&json, NULL);
	put_bool(&json, "ok", is_well);
	put_list(&json, "findings");
	for (size_t i = 0; i < d->count; i++) {
		const struct finding *f = &d->findings[i];

		put_object(&json, NULL);
		put_word(&json, "check", f->check);
		put_word(&json, "health", health_names[f->health]);
		put_word(&json, "words", f->words);
		if (f->advice) {
			put_word(&json, "do", f->advice);
		}
		buf_add_char(&json, '}');
	}
	buf_add(&json, TEXT("]}\n"));
	out_add(out, buf_text(&json));
	buf_finish(&json);
}

/* ---- the verb ---- */

static void look_around(struct doctor *d)
{
	for (size_t i = 0; i < sizeof(checks) / sizeof(*checks); i++) {
		d->check = checks[i].name;
		if (d->config || !checks[i].needs_config)
			checks[i].look(d);
	}
}

static int doctor(struct command_context *context, const struct options *options)
{
	struct error fault;
	struct config config;
	struct doctor d = {.context = context, .fault = &fault};
	bool well;

	if (options->word_count > 0)
		return command_misused(&command_doctor, "unexpected argument '%s'",
		                       options->words[0]);
	if (command_load(context, options, &config, &fault)) {
		d.config = &config;
		d.box = doctor_find_box(config.data);
	}
	look_around(&d);
	well = doctor_is_well(&d);
	if (options_has(options, "json"))
		show_findings_json(&context->out, &d, well);
	else
		show_findings(&context->out, &d);
	for (size_t i = 0; i < d.count; i++) {
		free(d.findings[i].words);
		free(d.findings[i].advice);
	}
	free(d.findings);
	if (d.config)
		config_finish(&config);
	return well ? STATUS_DONE : STATUS_FAILED;
}

static const struct option own[] = {{"json", 'j', .help = "as one JSON object"}, {0}};
static const struct option_group own_group = {"Options", own};
static const struct option_group *const groups[] = {&own_group, &options_where, &options_common,
                                                    NULL};

const struct command command_doctor = {
	.name = "doctor",
	.summary = "find problems and say how to fix them",
	.usage = "[--json]",
	.examples = "  signalbox doctor\n"
		    "  signalbox doctor --config ~/box.yaml\n"
		    "  signalbox doctor --json | jq '.findings[] | select(.health == \"bad\")'\n",
	.about = "Looks at the configuration, permissions, the disk, the clock, limits, the\n"
		 "journal's newest files, who holds the ports, certificates, the settings of\n"
		 "Claude Code and the systemd unit. Each finding is ok, warn or bad, with what\n"
		 "to do. It changes nothing, and the box may be running or not. Ends with 1\n"
		 "when something is bad.\n",
	.groups = groups,
	.run = doctor,
};
