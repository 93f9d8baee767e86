/* tap.c - install, uninstall, look, print, preview: the same steps around the pure ones. */
#include "tap/tap.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/map.h"
#include "base/must.h"
#include "base/put.h"
#include "tap/diff.h"
#include "tap/events.h"
#include "tap/file.h"
#include "tap/settings.h"

#define VERB " hook "
#define COMMAND_MAX (64 * KIB)
#define DIFF_MAX (8 * MIB) /* the file and what becomes of it, whole */

char *tap_config_dir(const char *claude_config_dir, const char *home)
{
	if (claude_config_dir && *claude_config_dir)
		return must_dup(claude_config_dir);
	return home && *home ? must_print("%s/.claude", home) : NULL;
}

void tap_own_target(struct tap_target *target, const char *data)
{
	*target = (struct tap_target){
		.config = tap_config_dir(getenv("CLAUDE_CONFIG_DIR"), getenv("HOME")),
		.home = getenv("HOME"),
		.path = getenv("PATH"),
		.data = data,
	};
}

const char *tap_state_name(enum tap_state state)
{
	static const char *const names[] = {"absent", "installed", "outdated"};

	return names[state];
}

/* ---- what is installed ---- */

/* For a shell: in single quotes, with those of its own outside of them. */
static void add_quoted(struct buf *out, struct text word)
{
	buf_add_char(out, '\'');
	for (size_t i = 0; i < word.len; i++) {
		if (word.at[i] == '\'')
			buf_add(out, TEXT("'\\''"));
		else
			buf_add_char(out, word.at[i]);
	}
	buf_add_char(out, '\'');
}

/* The hook runs in some other directory. */
static char *absolute(const char *path)
{
	char *here, *whole;

	if (*path == '/')
		return must_dup(path);
	here = getcwd(NULL, 0);
	whole = must_print("%s/%s", here ? here : "", path);
	free(here);
	return whole;
}

static char *make_command(struct text program, const char *verb, const char *data)
{
	struct buf command;
	char *whole;

	buf_init(&command, COMMAND_MAX);
	add_quoted(&command, program);
	buf_add(&command, text_of(verb));
	add_quoted(&command, text_of(data));
	whole = text_dup(buf_text(&command));
	buf_finish(&command);
	return whole;
}

/* With all that may be wanted: who wants no deciding hook takes `decide` away. */
static bool make_wish(const struct tap_target *target, struct settings_wish *wish,
                      struct error *why)
{
	char program[4096];
	ssize_t len = readlink("/proc/self/exe", program, sizeof(program));
	char *data = absolute(target->data);

	if (len > 0 && (size_t)len < sizeof(program)) {
		struct text self = {program, (size_t)len};

		wish->command = make_command(self, VERB "--data ", data);
		wish->decide = make_command(self, VERB "--decide --data ", data);
	}
	free(data);
	return len > 0 || error_errno(why, "/proc/self/exe");
}

/* ---- where ---- */

static bool open_file(struct file *file, const struct tap_target *target, bool make,
                      struct error *why)
{
	struct file_where where = {.name = "settings.json", .dir = target->config, .make = make};
	char *dir = NULL;
	bool good;

	*file = (struct file){0};
	if (target->project) {
		if (access(target->project, F_OK) != 0)
			return error_errno(why, "%s", target->project);
		dir = must_print("%s/.claude", target->project);
		where = (struct file_where){dir, "settings.local.json", target->project, make};
	} else if (!target->config) {
		return error_set(why, "there is no home directory: set HOME or CLAUDE_CONFIG_DIR");
	}
	good = file_read(file, &where, why);
	free(dir);
	return good;
}

/* ---- the report ---- */

/* Behind the program a command says which box it leads to, whichever program it runs. */
static bool leads_alike(struct text a, struct text b)
{
	const char *in_a = memmem(a.at, a.len, VERB, sizeof(VERB) - 1);
	const char *in_b = memmem(b.at, b.len, VERB, sizeof(VERB) - 1);

	if (!in_a || !in_b)
		return false;
	return text_equal((struct text){in_a, (size_t)(a.at + a.len - in_a)},
	                  (struct text){in_b, (size_t)(b.at + b.len - in_b)});
}

/* One look at what our hooks are. */
struct survey {
	const struct settings_wish *wish;
	struct tap_report *report;
};

static void survey_hook(void *self, const struct ours_hook *hook)
{
	struct survey *survey = self;
	const struct settings_wish *wish = survey->wish;
	const struct tap_event *event = tap_event_find(hook->event);
	const char *wanted = hook->is == OURS_DECIDES ? wish->decide : wish->command;

	if (hook->is == OURS_OLD || !leads_alike(hook->where, text_of(wanted)))
		survey->report->is_here = false;
	if (event && !survey->report->unknown && !tap_event_is_known(event, wish->version))
		survey->report->unknown = event->name;
}

/* text: the file as it is now. */
static bool report_text(struct text text, const struct settings_wish *wish,
                        struct tap_report *report, struct error *why)
{
	struct settings_wish as_it_is = *wish;
	struct settings_look look;
	struct buf wanted;

	if (!settings_look(text, &look, why))
		return false;
	if (!look.approves)
		as_it_is.decide = NULL;
	report->approves = look.approves;
	report->hooks = look.hooks;
	report->disabled = look.disabled;
	report->old = look.old;
	report->state = TAP_ABSENT;
	if (look.hooks == 0)
		return true;
	report->is_here = true;
	ours_each(text, survey_hook, &(struct survey){wish, report});
	if (settings_install(text, true, &as_it_is, &wanted, NULL) &&
	    text_equal(buf_text(&wanted), text))
		report->state = TAP_INSTALLED;
	else
		report->state = TAP_OUTDATED;
	buf_finish(&wanted);
	return true;
}

const char *tap_report_warning(const struct tap_report *report)
{
	if (report->disabled)
		return "disableAllHooks is set in this file: Claude Code runs no hook";
	return NULL;
}

void tap_report_json(const struct tap_report *report, struct buf *out)
{
	const char *warning = tap_report_warning(report);

	put_word(out, "state", tap_state_name(report->state));
	put_u64(out, "hooks", report->hooks);
	put_bool(out, "approve", report->approves);
	put_word(out, "file", report->file);
	if (report->claude.where) {
		char version[VERSION_ROOM];

		put_object(out, "claude");
		if (report->claude.is_known) {
			put_word(out, "version", version_print(report->claude.version, version));
			buf_add_char(out, ',');
		}
		put_word(out, "where", report->claude.where);
		buf_add_char(out, '}');
	}
	if (report->backup) {
		put_word(out, "backup", report->backup);
	}
	if (warning) {
		put_word(out, "warning", warning);
	}
}

void tap_report_finish(struct tap_report *report)
{
	free(report->file);
	free(report->backup);
	claude_found_finish(&report->claude);
	*report = (struct tap_report){0};
}

/* ---- the five ---- */

/* One file at work. */
struct tap_job {
	struct settings_wish wish;
	struct claude_found claude;
	bool approves;
	struct file file;
	struct buf out; /* the file as it should be... */
	bool gone;      /* ...or there should be none */
};

/* end_job() is called whatever comes of it. */
static bool begin_job(struct tap_job *job, const struct tap_target *target, bool make,
                      struct error *why)
{
	const struct claude_places places = {target->path, target->home, target->config};

	*job = (struct tap_job){.approves = target->approves};
	claude_find(&places, &job->claude);
	job->wish.version = job->claude.version;
	return make_wish(target, &job->wish, why) && open_file(&job->file, target, make, why);
}

/* report may be NULL. */
static bool end_job(struct tap_job *job, bool good, struct tap_report *report, struct error *why)
{
	if (report && job->file.path) {
		report->file = must_dup(job->file.path);
		report->backup = file_backup(&job->file);
		report->claude = job->claude;
		job->claude = (struct claude_found){0};
		if (good && !report_text(buf_text(&job->out), &job->wish, report, why))
			good = error_within(why, "%s", job->file.path);
	}
	buf_finish(&job->out);
	file_finish(&job->file);
	claude_found_finish(&job->claude);
	free((char *)job->wish.command);
	free((char *)job->wish.decide);
	return good;
}

static bool make_installed(struct tap_job *job, struct error *why)
{
	struct file *file = &job->file;
	struct settings_wish wish = job->wish;

	if (!job->approves)
		wish.decide = NULL;
	return settings_install(buf_text(&file->text), file->is_there, &wish, &job->out, why) ||
	       error_within(why, "%s", file->path);
}

static bool make_uninstalled(struct tap_job *job, struct error *why)
{
	struct file *file = &job->file;

	return settings_uninstall(buf_text(&file->text), &job->out, &job->gone, why) ||
	       error_within(why, "%s", file->path);
}

/* Two numbers of the file as it is and as it would be. */
static void tap_make_tag(const struct tap_job *job, char tag[TAP_TAG_LEN + 1])
{
	static const uint64_t seeds[] = {0x9c3f1d5b74617000, 0x2e8a60c774617000};
	uint64_t sums[2];

	for (int i = 0; i < 2; i++) {
		uint64_t sum = map_hash(seeds[i] + job->file.is_there, buf_text(&job->file.text));

		sums[i] = map_hash(sum + job->gone, buf_text(&job->out));
	}
	snprintf(tag, TAP_TAG_LEN + 1, "%016llx%016llx", (unsigned long long)sums[0],
	         (unsigned long long)sums[1]);
}

static bool is_as_shown(const struct tap_job *job, const struct tap_target *target,
                        struct error *why)
{
	char tag[TAP_TAG_LEN + 1];

	tap_make_tag(job, tag);
	return !target->tag || strcmp(tag, target->tag) == 0 ||
	       error_set(why, "%s is not as it was when the change was shown: look again",
	                 job->file.path);
}

/* What is backed up is a file without hooks of ours: an install over an older one
 * keeps the older backup. */
static bool write_installed(struct tap_job *job, struct error *why)
{
	struct file *file = &job->file;
	struct settings_look look;

	if (file->is_there && text_equal(buf_text(&file->text), buf_text(&job->out)))
		return true;
	if (file->is_there && settings_look(buf_text(&file->text), &look, why) && look.hooks == 0 &&
	    !file_back_up(file, why))
		return false;
	return file_replace(file, buf_text(&job->out), why);
}

bool tap_install(const struct tap_target *target, struct tap_report *report, struct error *why)
{
	struct tap_job job;
	bool good = begin_job(&job, target, true, why) && make_installed(&job, why) &&
	            is_as_shown(&job, target, why) && write_installed(&job, why);

	*report = (struct tap_report){0};
	return end_job(&job, good, report, why);
}

static bool write_uninstalled(struct tap_job *job, struct error *why)
{
	struct file *file = &job->file;

	if (job->gone) {
		if (!file_remove(file, why))
			return false;
	} else if (!text_equal(buf_text(&file->text), buf_text(&job->out))) {
		if (!file_replace(file, buf_text(&job->out), why))
			return false;
	}
	file_drop_backup(file, buf_text(&job->out));
	return true;
}

bool tap_uninstall(const struct tap_target *target, struct tap_report *report, struct error *why)
{
	struct tap_job job;
	bool good = begin_job(&job, target, false, why) && make_uninstalled(&job, why) &&
	            is_as_shown(&job, target, why) && write_uninstalled(&job, why);

	*report = (struct tap_report){0};
	return end_job(&job, good, report, why);
}

bool tap_look(const struct tap_target *target, struct tap_report *report, struct error *why)
{
	struct tap_job job;
	bool good = begin_job(&job, target, false, why);

	*report = (struct tap_report){0};
	if (good) {
		job.out = job.file.text;
		job.file.text = (struct buf){0};
	}
	return end_job(&job, good, report, why);
}

bool tap_print(const struct tap_target *target, struct buf *out, struct error *why)
{
	struct tap_job job;
	bool good = begin_job(&job, target, false, why) && make_installed(&job, why);

	*out = job.out;
	job.out = (struct buf){0};
	return end_job(&job, good, NULL, why);
}

static void describe_change(const struct tap_job *job, struct tap_change *change)
{
	struct diff_side before = {job->file.path, buf_text(&job->file.text), job->file.is_there};
	struct diff_side after = {job->file.path, buf_text(&job->out), !job->gone};

	if (!job->file.is_there && job->out.len == 0)
		after.is_there = false;
	change->file = must_dup(job->file.path);
	tap_make_tag(job, change->tag);
	diff_add(&change->diff, &before, &after);
}

bool tap_preview(const struct tap_target *target, bool installs, struct tap_change *change,
                 struct error *why)
{
	struct tap_job job;
	bool good = begin_job(&job, target, false, why) &&
	            (installs ? make_installed(&job, why) : make_uninstalled(&job, why));

	*change = (struct tap_change){0};
	buf_init(&change->diff, DIFF_MAX);
	if (good)
		describe_change(&job, change);
	return end_job(&job, good, NULL, why);
}

void tap_change_json(const struct tap_change *change, struct buf *out)
{
	put_word(out, "file", change->file);
	put_word(out, "tag", change->tag);
	put_text(out, "diff", buf_text(&change->diff));
}

void tap_change_finish(struct tap_change *change)
{
	free(change->file);
	buf_finish(&change->diff);
}

bool tap_each_hook(const struct tap_target *target, ours_fn *fn, void *self, struct error *why)
{
	struct file file;
	bool good = open_file(&file, target, false, why);

	if (good)
		ours_each(buf_text(&file.text), fn, self);
	file_finish(&file);
	return good;
}
