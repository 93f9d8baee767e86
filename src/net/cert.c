/* cert.c - the dates in a certificate. */
#include "net/cert.h"

#include <openssl/pem.h>
#include <openssl/x509.h>
#include <stdio.h>

#define DAY_S (24 * 3600)

static bool seconds_until(const ASN1_TIME *time, int64_t *out)
{
	int days, seconds;

	if (!ASN1_TIME_diff(&days, &seconds, NULL, time))
		return false;
	*out = (int64_t)days * DAY_S + seconds;
	return true;
}

bool cert_read(const char *path, struct cert_span *span, struct error *why)
{
	FILE *in = fopen(path, "re");
	X509 *cert;
	bool good;

	if (!in)
		return error_errno(why, "%s", path);
	cert = PEM_read_X509_AUX(in, NULL, NULL, NULL); /* as OpenSSL itself takes it */
	good = cert && seconds_until(X509_get0_notBefore(cert), &span->begins_s) &&
	       seconds_until(X509_get0_notAfter(cert), &span->ends_s);
	if (!good)
		error_set(why, "%s: not a certificate in PEM", path);
	X509_free(cert);
	fclose(in);
	return good;
}
