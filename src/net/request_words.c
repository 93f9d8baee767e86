/* request_words.c - one sentence for each way in which a request fails. */
#include "net/request_words.h"

#include <openssl/x509_vfy.h>
#include <string.h>

#define TOO_LARGE 100 /* CURLE_TOO_LARGE, where libcurl has it: from 8.6 on */

static void tell_certificate(struct error *why, CURL *easy, const char *host, const char *detail)
{
	long code = X509_V_OK;

	curl_easy_getinfo(easy, CURLINFO_SSL_VERIFYRESULT, &code);
	/* Libcurl compares the name itself, and then leaves the verdict unspecified. */
	if (code != X509_V_OK && code != X509_V_ERR_UNSPECIFIED)
		error_set(why, "the certificate of %.100s is not trusted: %s", host,
		          X509_verify_cert_error_string(code));
	else
		error_set(why, "the certificate is not %.100s's: %s", host, detail);
}

static void tell_connect(struct error *why, CURL *easy, const struct url *url, const char *detail)
{
	long code = 0;

	curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &code);
	error_set(why, "%.100s port %u cannot be reached: %s", url->host, url->port,
	          code ? strerror((int)code) : detail);
}

static void tell_timeout(struct error *why, CURL *easy, const struct url *url)
{
	curl_off_t connected = 0;

	curl_easy_getinfo(easy, CURLINFO_PRETRANSFER_TIME_T, &connected);
	if (connected)
		error_set(why, "the response of %.100s timed out", url->host);
	else
		error_set(why, "the connection to %.100s port %u timed out", url->host, url->port);
}

void request_words(struct error *why, CURL *easy, CURLcode code, const struct url *url,
                   const char *detail)
{
	const char *host = url->host;

	switch ((int)code) {
	case CURLE_COULDNT_RESOLVE_HOST:
		error_set(why, "the name %.100s is not known", host);
		break;
	case CURLE_COULDNT_CONNECT:
		tell_connect(why, easy, url, detail);
		break;
	case CURLE_OPERATION_TIMEDOUT:
		tell_timeout(why, easy, url);
		break;
	case CURLE_PEER_FAILED_VERIFICATION:
		tell_certificate(why, easy, host, detail);
		break;
	case CURLE_SSL_CONNECT_ERROR:
		error_set(why, "TLS with %.100s failed: %s", host, detail);
		break;
	case CURLE_GOT_NOTHING:
		error_set(why, "%.100s closed the connection without a response", host);
		break;
	case CURLE_PARTIAL_FILE:
	case CURLE_RECV_ERROR:
	case CURLE_SEND_ERROR:
		error_set(why, "the connection to %.100s broke: %s", host, detail);
		break;
	case CURLE_UNSUPPORTED_PROTOCOL:
	case CURLE_WEIRD_SERVER_REPLY:
		error_set(why, "the response of %.100s is not HTTP", host);
		break;
	case CURLE_OUT_OF_MEMORY: /* is what older libcurls say of it */
	case TOO_LARGE:
		error_set(why, "a header of %.100s is too long", host);
		break;
	default:
		error_set(why, "the request to %.100s failed: %s", host,
		          detail[0] ? detail : curl_easy_strerror(code));
	}
}
