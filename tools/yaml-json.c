/* yaml-json.c - `yaml-json < FILE.yaml > FILE.json`: the same document as JSON.
 *
 * For schema/openapi.yaml, which people write and programs read.  A plain scalar is null, a
 * truth or a number where it looks like one, as in YAML 1.2; a quoted one is a text.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>
#include <yyjson.h>

struct reading {
	yaml_document_t yaml;
	yyjson_mut_doc *json;
};

static yyjson_mut_val *scalar(struct reading *r, const yaml_node_t *node)
{
	const char *at = (const char *)node->data.scalar.value;
	size_t n = node->data.scalar.length;
	char *end;
	long long number = strtoll(at, &end, 10);

	if (node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
		return yyjson_mut_strn(r->json, at, n);
	if (n && end == at + n)
		return yyjson_mut_sint(r->json, number);
	if (!strcmp(at, "true") || !strcmp(at, "false"))
		return yyjson_mut_bool(r->json, *at == 't');
	return strcmp(at, "null") ? yyjson_mut_strn(r->json, at, n) : yyjson_mut_null(r->json);
}

static yyjson_mut_val *convert(struct reading *r, int index)
{
	yaml_node_t *node = yaml_document_get_node(&r->yaml, index);
	yyjson_mut_val *made;

	if (node->type == YAML_SCALAR_NODE)
		return scalar(r, node);
	if (node->type == YAML_SEQUENCE_NODE) {
		made = yyjson_mut_arr(r->json);
		for (yaml_node_item_t *i = node->data.sequence.items.start;
		     i < node->data.sequence.items.top; i++)
			yyjson_mut_arr_append(made, convert(r, *i));
		return made;
	}
	made = yyjson_mut_obj(r->json);
	for (yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top;
	     p++) {
		yaml_node_t *key = yaml_document_get_node(&r->yaml, p->key);

		yyjson_mut_obj_add(made,
		                   yyjson_mut_strn(r->json, (const char *)key->data.scalar.value,
		                                   key->data.scalar.length),
		                   convert(r, p->value));
	}
	return made;
}

int main(void)
{
	struct reading r;
	yaml_parser_t parser;

	if (!yaml_parser_initialize(&parser))
		return 1;
	yaml_parser_set_input_file(&parser, stdin);
	if (!yaml_parser_load(&parser, &r.yaml)) {
		fprintf(stderr, "yaml-json: line %zu: %s\n", parser.problem_mark.line + 1,
		        parser.problem);
		return 1;
	}
	yaml_parser_delete(&parser);
	r.json = yyjson_mut_doc_new(NULL);
	yyjson_mut_doc_set_root(r.json, convert(&r, 1));
	if (!yyjson_mut_write_fp(stdout, r.json, YYJSON_WRITE_NEWLINE_AT_END, NULL, NULL))
		return 1;
	yyjson_mut_doc_free(r.json);
	yaml_document_delete(&r.yaml);
	return fflush(stdout) == 0 ? 0 : 1;
}
