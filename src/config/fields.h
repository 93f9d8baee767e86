/* fields.h - every key of the configuration: the table that describes a struct
 * config. */
#ifndef CONFIG_FIELDS_H
#define CONFIG_FIELDS_H

#include "config/field.h"

extern const struct field config_fields[];

#endif
