/* issue.c - keys and certificates, by OpenSSL. */
#include "net/issue.h"

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdio.h>

#include "base/random.h"
#include "base/whole.h"
#include "net/cert.h"

#define DAY_S (24 * 3600L)
#define VALID_S (820 * DAY_S) /* iOS takes 825 days at most */
#define LEFT_S (30 * DAY_S)   /* one that ends sooner is made anew */
#define FILE_MAX (64 * KIB)
#define SERIAL_LEN 16
#define WORDS_MAX (2 * ISSUE_NAMES * ISSUE_NAME_MAX)

struct pair {
	EVP_PKEY *key;
	X509 *cert;
};

static void pair_finish(struct pair *pair)
{
	EVP_PKEY_free(pair->key);
	X509_free(pair->cert);
}

static bool set_serial(X509 *cert)
{
	unsigned char bytes[SERIAL_LEN];
	BIGNUM *number;
	bool good;

	random_bytes(bytes, sizeof(bytes));
	bytes[0] &= 0x7f; /* positive */
	number = BN_bin2bn(bytes, sizeof(bytes), NULL);
	good = number && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(cert));
	BN_free(number);
	return good;
}

static bool set_name(X509 *cert, const char *words)
{
	return X509_NAME_add_entry_by_txt(X509_get_subject_name(cert), "CN", MBSTRING_UTF8,
	                                  (const unsigned char *)words, -1, -1, 0);
}

static bool add_extension(X509 *cert, X509V3_CTX *context, int which, const char *words)
{
	X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, context, which, words);
	bool good = extension && X509_add_ext(cert, extension, -1);

	X509_EXTENSION_free(extension);
	return good;
}

/* A key and a certificate of nothing yet. */
static bool begin_pair(struct pair *pair, const char *words)
{
	pair->key = EVP_EC_gen("P-256");
	pair->cert = X509_new();
	return pair->key && pair->cert && X509_set_version(pair->cert, X509_VERSION_3) &&
	       set_serial(pair->cert) && set_name(pair->cert, words) &&
	       X509_gmtime_adj(X509_getm_notBefore(pair->cert), -DAY_S) &&
	       X509_gmtime_adj(X509_getm_notAfter(pair->cert), VALID_S) &&
	       X509_set_pubkey(pair->cert, pair->key);
}

static bool make_voucher(struct pair *pair)
{
	char words[40], serial[9];
	X509V3_CTX context;

	random_hex(serial, 4); /* a phone lists all that it trusts by this */
	snprintf(words, sizeof(words), "signalbox %s", serial);
	if (!begin_pair(pair, words))
		return false;
	X509V3_set_ctx(&context, pair->cert, pair->cert, NULL, NULL, 0);
	return X509_set_issuer_name(pair->cert, X509_get_subject_name(pair->cert)) &&
	       add_extension(pair->cert, &context, NID_basic_constraints,
	                     "critical,CA:TRUE,pathlen:0") &&
	       add_extension(pair->cert, &context, NID_key_usage, "critical,keyCertSign") &&
	       add_extension(pair->cert, &context, NID_subject_key_identifier, "hash") &&
	       X509_sign(pair->cert, pair->key, EVP_sha256()) > 0;
}

static bool is_ip(const char *name)
{
	unsigned char bytes[16];

	return inet_pton(AF_INET, name, bytes) == 1 || inet_pton(AF_INET6, name, bytes) == 1;
}

static bool is_host(const char *name)
{
	return *name && strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	                             "0123456789.-_:") == strlen(name);
}

static bool write_names(const struct issue_names *names, struct buf *out, struct error *why)
{
	for (size_t i = 0; i < names->count; i++) {
		const char *name = names->all[i];

		if (!is_host(name))
			return error_set(why, "'%.100s' is no name for a certificate", name);
		buf_print(out, "%s%s:%s", i ? "," : "", is_ip(name) ? "IP" : "DNS", name);
	}
	buf_add_char(out, '\0');
	return !out->full || error_set(why, "these are too many names for a certificate");
}

static bool make_leaf(struct pair *pair, const struct pair *voucher, const char *first,
                      const char *names)
{
	X509V3_CTX context;

	if (!begin_pair(pair, first))
		return false;
	X509V3_set_ctx(&context, voucher->cert, pair->cert, NULL, NULL, 0);
	return X509_set_issuer_name(pair->cert, X509_get_subject_name(voucher->cert)) &&
	       add_extension(pair->cert, &context, NID_basic_constraints, "critical,CA:FALSE") &&
	       add_extension(pair->cert, &context, NID_key_usage, "critical,digitalSignature") &&
	       add_extension(pair->cert, &context, NID_ext_key_usage, "serverAuth") &&
	       add_extension(pair->cert, &context, NID_subject_key_identifier, "hash") &&
	       add_extension(pair->cert, &context, NID_authority_key_identifier, "keyid") &&
	       add_extension(pair->cert, &context, NID_subject_alt_name, names) &&
	       X509_sign(pair->cert, voucher->key, EVP_sha256()) > 0;
}

static bool write_pem(const struct pair *leaf, const struct pair *voucher, struct buf *out)
{
	BIO *bio = BIO_new(BIO_s_secmem());
	char *bytes;
	long n;
	bool good = bio && PEM_write_bio_PrivateKey(bio, leaf->key, NULL, NULL, 0, NULL, NULL) &&
	            PEM_write_bio_X509(bio, leaf->cert) && PEM_write_bio_X509(bio, voucher->cert);

	n = good ? BIO_get_mem_data(bio, &bytes) : 0;
	if (n > 0)
		buf_add(out, (struct text){bytes, (size_t)n});
	BIO_free(bio);
	return n > 0 && !out->full;
}

bool issue_make(const struct issue_names *names, struct buf *out, struct error *why)
{
	struct pair voucher = {0}, leaf = {0};
	struct buf words;
	bool good;

	buf_init(&words, WORDS_MAX);
	good = names->count > 0 && write_names(names, &words, why);
	if (good &&
	    !(make_voucher(&voucher) && make_leaf(&leaf, &voucher, names->all[0], words.at) &&
	      write_pem(&leaf, &voucher, out)))
		good = error_set(why, "OpenSSL made no certificate: %s",
		                 ERR_reason_error_string(ERR_peek_error()));
	ERR_clear_error();
	pair_finish(&leaf);
	pair_finish(&voucher);
	buf_finish(&words);
	return good;
}

/* The first of a file, or the last. */
static X509 *read_cert(const char *path, bool last, struct error *why)
{
	FILE *in = fopen(path, "re");
	X509 *found = NULL, *next;

	if (!in) {
		error_errno(why, "%s", path);
		return NULL;
	}
	while ((last || !found) && (next = PEM_read_X509(in, NULL, NULL, NULL))) {
		X509_free(found);
		found = next;
	}
	ERR_clear_error();
	fclose(in);
	if (!found)
		error_set(why, "%s: not a certificate in PEM", path);
	return found;
}

bool issue_is_good(const char *path, const char *name)
{
	struct error why;
	X509 *cert = read_cert(path, false, &why);
	struct cert_span span;
	bool good = cert && cert_read(path, &span, &why) && span.begins_s <= 0 &&
	            span.ends_s > LEFT_S &&
	            (is_ip(name) ? X509_check_ip_asc(cert, name, 0)
	                         : X509_check_host(cert, name, 0, 0, NULL)) == 1;

	X509_free(cert);
	return good;
}

bool issue_lasts(const char *path)
{
	struct cert_span span;
	struct error why;

	/* A clock that was not set yet says that it has not begun. */
	return cert_read(path, &span, &why) && span.ends_s > 0;
}

static bool read_name(const GENERAL_NAME *name, char out[ISSUE_NAME_MAX])
{
	int type;
	const ASN1_STRING *value = GENERAL_NAME_get0_value(name, &type);
	const unsigned char *bytes;
	size_t len;

	if (type != GEN_DNS && type != GEN_IPADD)
		return false;
	bytes = ASN1_STRING_get0_data(value);
	len = (size_t)ASN1_STRING_length(value);
	if (type == GEN_IPADD)
		return (len == 4 || len == 16) &&
		       inet_ntop(len == 4 ? AF_INET : AF_INET6, bytes, out, ISSUE_NAME_MAX);
	snprintf(out, ISSUE_NAME_MAX, "%.*s", (int)len, (const char *)bytes);
	return strlen(out) == len && is_host(out);
}

void issue_read_names(const char *path, struct issue_kept *out)
{
	struct error why;
	X509 *cert = read_cert(path, false, &why);
	GENERAL_NAMES *names =
		cert ? X509_get_ext_d2i(cert, NID_subject_alt_name, NULL, NULL) : NULL;

	out->count = 0;
	for (int i = 0; i < sk_GENERAL_NAME_num(names) && out->count < ISSUE_NAMES; i++)
		if (read_name(sk_GENERAL_NAME_value(names, i), out->all[out->count]))
			out->count++;
	GENERAL_NAMES_free(names);
	X509_free(cert);
}

bool issue_voucher(const char *path, struct buf *pem, char print[ISSUE_PRINT_LEN + 1],
                   struct error *why)
{
	X509 *cert = read_cert(path, true, why);
	BIO *bio = BIO_new(BIO_s_mem());
	unsigned char digest[32];
	char *bytes;
	bool good = cert && bio && PEM_write_bio_X509(bio, cert) &&
	            X509_digest(cert, EVP_sha256(), digest, NULL);

	if (good) {
		long n = BIO_get_mem_data(bio, &bytes);

		buf_add(pem, (struct text){bytes, (size_t)n});
		for (size_t i = 0; i < sizeof(digest); i++)
			snprintf(print + 3 * i, 4, "%02X%s", digest[i],
			         i + 1 < sizeof(digest) ? ":" : "");
	}
	BIO_free(bio);
	X509_free(cert);
	return good;
}
