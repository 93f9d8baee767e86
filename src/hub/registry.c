/* registry.c - every dialect, one line each. */
#include "hub/dialect.h"

extern const struct dialect dialect_native, dialect_signals, dialect_sse, dialect_run, dialect_echo;

const struct dialect *const dialects[] = {
	&dialect_native, &dialect_signals, &dialect_sse, &dialect_run, &dialect_echo, NULL,
};
