/* config.c - hostile configuration files: a fault or a value, never a crash. */
#include <stdlib.h>

#include "config/config.h"
#include "config/fields.h"
#include "config/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct config config = {0};
	struct error why = {""};

	fields_init(config_fields, &config);
	if (!yaml_read(config_fields, &config, (struct text){(const char *)bytes, size}, "f",
	               &why) &&
	    strncmp(why.words, "f:", 2) != 0)
		abort(); /* a fault without its place */
	config_finish(&config);
	return 0;
}
