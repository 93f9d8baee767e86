/* test_tls.h - certificates for the tests' servers, made on the spot: an authority
 * of our own, and leaves that are good or have one fault each. */
#ifndef NET_TEST_TLS_H
#define NET_TEST_TLS_H

#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum fault { GOOD, SELF_SIGNED, WRONG_HOST, EXPIRED };

struct authority {
	EVP_PKEY *key;
	X509 *cert;
	char file[64]; /* what SSL_CERT_FILE names */
};

static inline void tls_extend(X509 *cert, int nid, const char *value)
{
	X509V3_CTX context;
	X509_EXTENSION *extension;

	X509V3_set_ctx(&context, cert, cert, NULL, NULL, 0);
	extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
	X509_add_ext(cert, extension, -1);
	X509_EXTENSION_free(extension);
}

/* Valid from two hours ago until `until` seconds from now. */
static inline X509 *tls_cert(EVP_PKEY *key, const char *name, long until)
{
	X509 *cert = X509_new();
	X509_NAME *subject = X509_get_subject_name(cert);

	X509_set_version(cert, 2);
	ASN1_INTEGER_set(X509_get_serialNumber(cert), random());
	X509_gmtime_adj(X509_getm_notBefore(cert), -7200);
	X509_gmtime_adj(X509_getm_notAfter(cert), until);
	X509_set_pubkey(cert, key);
	X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, (const unsigned char *)name, -1, -1,
	                           0);
	return cert;
}

/* Sets SSL_CERT_FILE: before anything is made that reads it. */
static inline void authority_init(struct authority *a)
{
	FILE *file;
	int fd;

	a->key = EVP_EC_gen("P-256");
	a->cert = tls_cert(a->key, "test authority", 86400);
	X509_set_issuer_name(a->cert, X509_get_subject_name(a->cert));
	tls_extend(a->cert, NID_basic_constraints, "critical,CA:TRUE");
	tls_extend(a->cert, NID_key_usage, "critical,keyCertSign");
	X509_sign(a->cert, a->key, EVP_sha256());
	snprintf(a->file, sizeof(a->file), "/tmp/signalbox-authority-XXXXXX");
	fd = mkstemp(a->file);
	file = fdopen(fd, "w");
	PEM_write_X509(file, a->cert);
	fclose(file);
	setenv("SSL_CERT_FILE", a->file, 1);
}

static inline void authority_finish(struct authority *a)
{
	unlink(a->file);
	unsetenv("SSL_CERT_FILE");
	X509_free(a->cert);
	EVP_PKEY_free(a->key);
}

/* For a server called localhost. */
static inline SSL_CTX *authority_serve(struct authority *a, enum fault fault)
{
	SSL_CTX *context = SSL_CTX_new(TLS_server_method());
	EVP_PKEY *key = EVP_EC_gen("P-256");
	X509 *cert = tls_cert(key, "server", fault == EXPIRED ? -3600 : 3600);
	X509 *issuer = fault == SELF_SIGNED ? cert : a->cert;

	X509_set_issuer_name(cert, X509_get_subject_name(issuer));
	tls_extend(cert, NID_subject_alt_name,
	           fault == WRONG_HOST ? "DNS:elsewhere.example,IP:10.1.1.1"
	                               : "DNS:localhost,IP:127.0.0.1");
	X509_sign(cert, fault == SELF_SIGNED ? key : a->key, EVP_sha256());
	SSL_CTX_use_certificate(context, cert);
	SSL_CTX_use_PrivateKey(context, key);
	X509_free(cert);
	EVP_PKEY_free(key);
	return context;
}

#endif
