/* secret.c - stars and zeros. */
#include "deliver/secret.h"

#include <stdlib.h>
#include <string.h>

void secret_hide(char *words, const char *secret)
{
	size_t len = secret ? strlen(secret) : 0;

	for (char *at = len ? strstr(words, secret) : NULL; at; at = strstr(at + len, secret))
		memset(at, '*', len);
	for (; *words; words++)
		if ((unsigned char)*words < ' ')
			*words = ' ';
}

void secret_forget(char *secret)
{
	if (secret)
		explicit_bzero(secret, strlen(secret));
	free(secret);
}
