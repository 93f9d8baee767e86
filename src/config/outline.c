/* outline.c - on which line of a file of the configuration a key stands.
 *
 * The file was read by yaml.c before, which refuses all that could make a document large:
 * so it may be loaded whole here. */
#include "config/outline.h"

#include <stdio.h>
#include <stdlib.h>
#include <yaml.h>

#include "base/must.h"
#include "base/text.h"

struct outline {
	yaml_document_t document;
};

struct outline *outline_read(const char *path)
{
	struct outline *outline = must_zero(1, sizeof(*outline));
	FILE *in = fopen(path, "re");
	yaml_parser_t parser;
	bool good = in && yaml_parser_initialize(&parser);

	if (good) {
		yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
		yaml_parser_set_input_file(&parser, in);
		good = yaml_parser_load(&parser, &outline->document);
		yaml_parser_delete(&parser);
	}
	if (in)
		fclose(in);
	if (good)
		return outline;
	free(outline);
	return NULL;
}

void outline_destroy(struct outline *outline)
{
	if (!outline)
		return;
	yaml_document_delete(&outline->document);
	free(outline);
}

/* The value of a key in a map, and the line of the key; NULL: there is none. */
static yaml_node_t *outline_find(yaml_document_t *document, yaml_node_t *map, struct text name,
                                 size_t *line)
{
	if (!map || map->type != YAML_MAPPING_NODE)
		return NULL;
	for (yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top;
	     p++) {
		yaml_node_t *key = yaml_document_get_node(document, p->key);
		struct text found = {(const char *)key->data.scalar.value, key->data.scalar.length};

		if (key->type != YAML_SCALAR_NODE || !text_equal(found, name))
			continue;
		*line = key->start_mark.line + 1;
		return yaml_document_get_node(document, p->value);
	}
	return NULL;
}

size_t outline_line(const struct outline *outline, const char *key)
{
	yaml_document_t *document = (yaml_document_t *)&outline->document;
	yaml_node_t *node = yaml_document_get_root_node(document);
	struct text rest = text_of(key);
	size_t line = 0;

	while (node && rest.len)
		node = outline_find(document, node, text_cut(rest, '.', &rest), &line);
	return node ? line : 0;
}
