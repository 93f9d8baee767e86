/* upgrade.c - hostile answers to the upgrade of a WebSocket that we open: nothing but
 * the right one is a yes. */
#include <stdlib.h>

#include "base/must.h"
#include "net/ws_upgrade.h"

static void must(bool holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *own = must_alloc(n);
	struct error why = {""};
	int status = -1;

	memcpy(own, data, n);
	if (ws_upgrade_check((struct text){own, n}, "dGhlIHNhbXBsZSBub25jZQ==", &status, &why))
		must(status == 101 && memmem(own, n, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", 28));
	else
		must(why.words[0] && status >= 0);
	free(own);
	return 0;
}
