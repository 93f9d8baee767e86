/* pointer.h - where in a JSON document a fault is, as a JSON pointer (RFC 6901).
 *
 * Whoever finds the fault writes what is wrong with a colon before it, and on the
 * way up each puts in front the name of the part that it had passed down:
 *
 *	if (!read_step(step, why))
 *		return pointer_item(why, i);         "/steps/3/delay: a number is wanted"
 *
 * All return false.  Long names are cut.
 */
#ifndef SIGNAL_POINTER_H
#define SIGNAL_POINTER_H

#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

/* ": " and the words, for the value at hand. */
bool pointer_fault(struct error *why, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

bool pointer_member(struct error *why, struct text name);
bool pointer_item(struct error *why, size_t index);

#endif
