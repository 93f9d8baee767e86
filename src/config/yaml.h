/* yaml.h - a YAML file into the struct that a table of fields describes. */
#ifndef CONFIG_YAML_H
#define CONFIG_YAML_H

#include "config/field.h"

/* Reads all of the bytes.  `name` is how the file is called in the words of a
 * fault, which begin with NAME:LINE:COLUMN. */
bool yaml_read(const struct field *fields, void *base, struct text bytes, const char *name,
               struct error *why);

#endif
