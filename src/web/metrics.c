/* metrics.c - the text format of Prometheus, version 0.0.4. */
#include "web/metrics.h"

#include "signal/json.h"

static const char *const type_names[] = {
	[METRIC_COUNTER] = "counter",
	[METRIC_GAUGE] = "gauge",
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

static void add_escaped(struct buf *out, struct text value)
{
	for (size_t i = 0; i < value.len; i++) {
		char c = value.at[i];

		if (c == '\n') {
			buf_add(out, TEXT("\\n"));
			continue;
		}
		if (c == '"' || c == '\\')
			buf_add_char(out, '\\');
		buf_add_char(out, c);
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
