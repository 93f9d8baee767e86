/* metric.c - the text format of Prometheus, version 0.0.4. */
#include "signal/metric.h"

#include "base/utf8.h"
#include "signal/json.h"
#include "signal/tally.h"

static const char *const type_names[] = {
	[METRIC_COUNTER] = "counter",
	[METRIC_GAUGE] = "gauge",
	[METRIC_HISTOGRAM] = "histogram",
};

void metric_begin(struct buf *out, const struct metric *m)
{
	buf_print(out, "# HELP %s %s\n# TYPE %s %s\n", m->name, m->help, m->name,
	          type_names[m->type]);
}

static void end_sample(struct buf *out, double value)
{
	buf_add_char(out, ' ');
	json_add_number(out, value);
	buf_add_char(out, '\n');
}

void metric_add(struct buf *out, const struct metric *m, double value)
{
	metric_begin(out, m);
	buf_add(out, text_of(m->name));
	end_sample(out, value);
}

/* What is no text would make the whole page unreadable. */
static void add_escaped(struct buf *out, struct text value)
{
	while (value.len) {
		size_t n = utf8_length(value);

		if (n == 0)
			buf_add(out, TEXT("\xEF\xBF\xBD"));
		else if (value.at[0] == '\n')
			buf_add(out, TEXT("\\n"));
		else if (value.at[0] == '"' || value.at[0] == '\\')
			buf_print(out, "\\%c", value.at[0]);
		else
			buf_add(out, (struct text){value.at, n});
		n = n ? n : 1;
		value = (struct text){value.at + n, value.len - n};
	}
}

void metric_sample(struct buf *out, const struct metric *m, const char *label, struct text of,
                   double value)
{
	buf_print(out, "%s{%s=\"", m->name, label);
	add_escaped(out, of);
	buf_add(out, TEXT("\"}"));
	end_sample(out, value);
}

/* ---- by source and kind ---- */

static void add_row(struct buf *out, const struct metric *m, const struct tally_row *row)
{
	for (enum signal_kind kind = 0; kind < KIND_COUNT; kind++) {
		if (row->counts[kind] == 0)
			continue;
		buf_print(out, "%s{source=\"", m->name);
		add_escaped(out, (struct text){row->name, row->len});
		buf_print(out, "\",kind=\"%s\"}", kind == KIND_OTHER ? "other" : kind_name(kind));
		end_sample(out, (double)row->counts[kind]);
	}
}

void metric_tally(struct buf *out, const struct metric *m, const struct tally *tally)
{
	metric_begin(out, m);
	for (unsigned i = 0; i < tally->count; i++)
		add_row(out, m, &tally->rows[i]);
	add_row(out, m, &tally->rows[TALLY_SOURCES]);
}

/* ---- by size ---- */

void metric_histogram(struct buf *out, const struct metric *m, const struct metric_spread *s)
{
	uint64_t sum = 0;

	metric_begin(out, m);
	for (size_t i = 0; i <= s->n; i++) {
		sum += s->counts[i];
		buf_print(out, "%s_bucket{le=\"", m->name);
		if (i < s->n)
			json_add_number(out, s->bounds[i]);
		else
			buf_add(out, TEXT("+Inf"));
		buf_print(out, "\"} %llu\n", (unsigned long long)sum);
	}
	buf_print(out, "%s_sum", m->name);
	end_sample(out, s->sum);
	buf_print(out, "%s_count %llu\n", m->name, (unsigned long long)sum);
}
