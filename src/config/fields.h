/* fields.h - every key of the configuration: the table that describes a struct
 * config. */
#ifndef CONFIG_FIELDS_H
#define CONFIG_FIELDS_H

#include "config/field.h"

struct config;

extern const struct field *const config_fields;

/* The keys of a room that config/ does not know: a group, whose values are a struct of the room's
 * within a struct config. */
struct config_group {
	const char *name, *help;
	const struct field *fields;
	size_t size; /* of the struct */
};

/* Before anything is loaded; the group lives as long as the program. */
void config_add_group(const struct config_group *group);
const void *config_group(const struct config *config, const struct config_group *group);

#endif
