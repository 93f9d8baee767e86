/* request_words.h - why a request failed, in words for people in place of libcurl's code. */
#ifndef NET_REQUEST_WORDS_H
#define NET_REQUEST_WORDS_H

#include "base/error.h"
#include "net/curl.h"
#include "net/url.h"

/* detail: what libcurl wrote into its error buffer, perhaps nothing. */
void request_words(struct error *why, CURL *easy, CURLcode code, const struct url *url,
                   const char *detail);

#endif
