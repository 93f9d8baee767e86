/* test_tls.c - keys and certificates, signed and written down. */
#include "net/test_tls.h"

#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void extend(X509 *cert, int nid, const char *value)
{
	X509V3_CTX context;
	X509_EXTENSION *extension;

	X509V3_set_ctx(&context, cert, cert, NULL, NULL, 0);
	extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
	X509_add_ext(cert, extension, -1);
	X509_EXTENSION_free(extension);
}

/* Valid from two hours ago until `until` seconds from now. */
static X509 *make_cert(EVP_PKEY *key, const char *name, long until)
{
	static long serial = 1;
	X509 *cert = X509_new();
	X509_NAME *subject = X509_get_subject_name(cert);

	X509_set_version(cert, 2);
	ASN1_INTEGER_set(X509_get_serialNumber(cert), serial++);
	X509_gmtime_adj(X509_getm_notBefore(cert), -7200);
	X509_gmtime_adj(X509_getm_notAfter(cert), until);
	X509_set_pubkey(cert, key);
	X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, (const unsigned char *)name, -1, -1,
	                           0);
	return cert;
}

void authority_init(struct authority *a)
{
	FILE *file;
	int fd;

	a->key = EVP_EC_gen("P-256");
	a->cert = make_cert(a->key, "test authority", 86400);
	X509_set_issuer_name(a->cert, X509_get_subject_name(a->cert));
	extend(a->cert, NID_basic_constraints, "critical,CA:TRUE");
	extend(a->cert, NID_key_usage, "critical,keyCertSign");
	X509_sign(a->cert, a->key, EVP_sha256());
	snprintf(a->file, sizeof(a->file), "/tmp/signalbox-authority-XXXXXX");
	fd = mkstemp(a->file);
	file = fdopen(fd, "w");
	PEM_write_X509(file, a->cert);
	fclose(file);
	setenv("SSL_CERT_FILE", a->file, 1);
}

void authority_finish(struct authority *a)
{
	unlink(a->file);
	unsetenv("SSL_CERT_FILE");
	X509_free(a->cert);
	EVP_PKEY_free(a->key);
}

SSL_CTX *authority_serve(struct authority *a, enum test_fault fault)
{
	SSL_CTX *context = SSL_CTX_new(TLS_server_method());
	EVP_PKEY *key = EVP_EC_gen("P-256");
	X509 *cert = make_cert(key, "server", fault == EXPIRED ? -3600 : 3600);
	X509 *issuer = fault == SELF_SIGNED ? cert : a->cert;

	X509_set_issuer_name(cert, X509_get_subject_name(issuer));
	extend(cert, NID_subject_alt_name,
	       fault == WRONG_HOST ? "DNS:elsewhere.example,IP:10.1.1.1"
	                           : "DNS:localhost,IP:127.0.0.1");
	X509_sign(cert, fault == SELF_SIGNED ? key : a->key, EVP_sha256());
	SSL_CTX_use_certificate(context, cert);
	SSL_CTX_use_PrivateKey(context, key);
	X509_free(cert);
	EVP_PKEY_free(key);
	return context;
}
