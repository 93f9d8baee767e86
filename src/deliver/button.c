/* button.c - values and codes of buttons. */
#include "deliver/button.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>

#include "signal/json.h"

#define MAC_BYTES 32

static void write_mac(struct text value, const unsigned char *key, char mac[BUTTON_MAC_LEN + 1])
{
	unsigned char bytes[MAC_BYTES];
	char said[BUTTON_VALUE_MAX + 16];
	unsigned len = 0;
	int n = snprintf(said, sizeof(said), "press\n%.*s", TEXT_ARG(value));

	HMAC(EVP_sha256(), key, BUTTON_KEY, (const unsigned char *)said, (size_t)n, bytes, &len);
	for (unsigned i = 0; i < BUTTON_MAC_LEN / 2; i++)
		snprintf(mac + 2 * i, 3, "%02x", bytes[i]);
}

static void write_code(struct text value, const unsigned char *key, char code[BUTTON_CODE_MAX + 1])
{
	char mac[BUTTON_MAC_LEN + 1];

	write_mac(value, key, mac);
	snprintf(code, BUTTON_CODE_MAX + 1, "%.*s.%s", TEXT_ARG(value), mac);
}

static bool has_code(const struct letter *l, yyjson_val *choice)
{
	struct text codes = letter_word(l, LETTER_CODES);

	return text_is(codes, "all") ||
	       (text_is(codes, "safe") && yyjson_is_true(yyjson_obj_get(choice, "safe")));
}

static yyjson_doc *choices_of(const struct letter *l)
{
	struct text choices = letter_word(l, LETTER_CHOICES);

	return l->words[LETTER_BUTTONS] ? yyjson_read(choices.at, choices.len, 0) : NULL;
}

void buttons_init(struct buttons *b, const struct letter *l, const struct button_codes *codes)
{
	yyjson_val *one;
	size_t at, count;

	b->count = 0;
	b->doc = choices_of(l);
	yyjson_arr_foreach(yyjson_doc_get_root(b->doc), at, count, one)
	{
		if (at >= BUTTONS_MAX)
			break;
		snprintf(b->values[at], sizeof(b->values[at]), "%.50s:%zu", l->words[LETTER_ID],
		         at);
		b->at[at] = (struct channel_button){.label = json_text_at(one, "label"),
		                                    .value = text_of(b->values[at])};
		b->count++;
		if (!codes->key || !has_code(l, one))
			continue;
		write_code(b->at[at].value, codes->key, b->codes[at]);
		b->at[at].code = text_of(b->codes[at]);
	}
}

void buttons_finish(struct buttons *b)
{
	yyjson_doc_free(b->doc);
}

bool button_read(struct text value, struct text *delivery, unsigned *index)
{
	struct text digits;
	uint64_t n;

	*delivery = text_cut(value, ':', &digits);
	if (!delivery->len || !text_to_u64(digits, &n) || n >= BUTTONS_MAX)
		return false;
	*index = (unsigned)n;
	return true;
}

bool button_read_code(const struct button_codes *codes, struct text code, struct text *value)
{
	char mac[BUTTON_MAC_LEN + 1];
	struct text given;

	*value = text_cut(code, '.', &given);
	if (!codes->key || given.len != BUTTON_MAC_LEN || value->len > BUTTON_VALUE_MAX)
		return false;
	write_mac(*value, codes->key, mac);
	return CRYPTO_memcmp(mac, given.at, BUTTON_MAC_LEN) == 0;
}

bool button_has_code(const struct letter *l, unsigned index)
{
	yyjson_doc *doc = choices_of(l);
	yyjson_val *one = yyjson_arr_get(yyjson_doc_get_root(doc), index);
	bool has = one && has_code(l, one);

	yyjson_doc_free(doc);
	return has;
}
