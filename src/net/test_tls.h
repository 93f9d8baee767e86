/* test_tls.h - certificates for the tests' servers, made on the spot: an authority
 * of our own, and leaves that are good or have one fault each. */
#ifndef NET_TEST_TLS_H
#define NET_TEST_TLS_H

#include <openssl/ssl.h>

enum test_fault { GOOD, SELF_SIGNED, WRONG_HOST, EXPIRED };

struct authority {
	EVP_PKEY *key;
	X509 *cert;
	char file[64]; /* what SSL_CERT_FILE names */
};

/* Sets SSL_CERT_FILE: before anything is made that reads it. */
void authority_init(struct authority *a);
void authority_finish(struct authority *a);
/* For a server called localhost. */
SSL_CTX *authority_serve(struct authority *a, enum test_fault fault);

#endif
