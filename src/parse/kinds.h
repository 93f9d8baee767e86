/* kinds.h - the tables of the protocols, one file each. */
#ifndef PARSE_KINDS_H
#define PARSE_KINDS_H

#include "parse/parse.h"

#endif
