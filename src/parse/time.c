/* time.c - ISO 8601 into milliseconds. */
#include "parse/time.h"

#define DAY_S 86400

/* Exactly n digits, which are taken off the text. */
static bool take_number(struct text *t, size_t n, int *out)
{
	int value = 0;

	if (t->len < n)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (t->at[i] < '0' || t->at[i] > '9')
			return false;
		value = value * 10 + (t->at[i] - '0');
	}
	*out = value;
	*t = (struct text){t->at + n, t->len - n};
	return true;
}

static bool take_char(struct text *t, char c)
{
	if (t->len == 0 || t->at[0] != c)
		return false;
	*t = (struct text){t->at + 1, t->len - 1};
	return true;
}

/* Days since 1970-01-01 in the Gregorian calendar. */
static int64_t days_of(int year, int month, int day)
{
	int64_t y = year - (month <= 2), era = y / 400, of_era = y - era * 400;
	int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static bool take_date(struct text *t, int64_t *days)
{
	int year, month, day;

	if (!take_number(t, 4, &year) || !take_char(t, '-') || !take_number(t, 2, &month) ||
	    !take_char(t, '-') || !take_number(t, 2, &day))
		return false;
	*days = days_of(year, month, day);
	return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

/* Milliseconds; further digits say nothing here. */
static void take_fraction(struct text *t, double *ms)
{
	double worth = 100;

	while (t->len && t->at[0] >= '0' && t->at[0] <= '9') {
		if (worth >= 1)
			*ms += worth * (t->at[0] - '0');
		worth /= 10;
		*t = (struct text){t->at + 1, t->len - 1};
	}
}

static bool take_clock(struct text *t, double *ms)
{
	int hour, minute, second = 0;

	if (!take_number(t, 2, &hour) || !take_char(t, ':') || !take_number(t, 2, &minute))
		return false;
	if (take_char(t, ':') && !take_number(t, 2, &second))
		return false;
	*ms = (hour * 3600.0 + minute * 60.0 + second) * 1000;
	if (take_char(t, '.') || take_char(t, ','))
		take_fraction(t, ms);
	return hour <= 24 && minute <= 59 && second <= 60;
}

/* Z, +02:00, +0200, +02, or nothing. */
static bool take_offset(struct text *t, double *ms)
{
	bool is_west = t->len && t->at[0] == '-';
	int hours, minutes = 0;

	if (t->len == 0 || take_char(t, 'Z') || take_char(t, 'z'))
		return t->len == 0;
	if ((!take_char(t, '+') && !take_char(t, '-')) || !take_number(t, 2, &hours))
		return false;
	take_char(t, ':');
	if (t->len && !take_number(t, 2, &minutes))
		return false;
	*ms -= (is_west ? -1 : 1) * (hours * 60.0 + minutes) * 60000;
	return t->len == 0 && hours <= 24 && minutes <= 59;
}

bool time_read(struct text iso, double *ms)
{
	double of_day = 0;
	int64_t days;

	if (!take_date(&iso, &days))
		return false;
	if (iso.len && !take_char(&iso, 'T') && !take_char(&iso, 't') && !take_char(&iso, ' '))
		return false;
	if (iso.len && (!take_clock(&iso, &of_day) || !take_offset(&iso, &of_day)))
		return false;
	*ms = (double)days * DAY_S * 1000 + of_day;
	return true;
}
