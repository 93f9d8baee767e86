/* hook.c - what hooks hand over: packets, lines of a spool, JSON that ends somewhere, and
 * payloads that are too long. */
#include <stdlib.h>
#include <yyjson.h>

#include "base/must.h"
#include "base/spool.h"
#include "cli/hook_cut.h"
#include "cli/hook_read.h"
#include "net/parcel.h"
#include "source/claude/hook_stub.h"

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void read_spool(struct text lines)
{
	struct text payload;
	int64_t at_ms;

	while (spool_next(&lines, &at_ms, &payload))
		must(at_ms >= -1 && payload.len > 0);
}

/* Cut anywhere it ends at the same place. */
static void scan(struct text bytes)
{
	struct hook_scan all = {0}, cut = {0};
	size_t half = bytes.len / 2;
	bool whole = hook_scan(&all, bytes);
	bool first = hook_scan(&cut, (struct text){bytes.at, half});

	must(whole == (first || hook_scan(&cut, (struct text){bytes.at + half, bytes.len - half})));
}

/* What is JSON has a stub that is. */
static void cut(struct text bytes)
{
	yyjson_doc *doc = yyjson_read(bytes.at, bytes.len, 0), *told;
	struct hook_cut state;
	struct buf out;

	hook_cut_init(&state);
	buf_init(&out, MIB);
	hook_cut_take(&state, (struct text){bytes.at, bytes.len / 2});
	hook_cut_take(&state, (struct text){bytes.at + bytes.len / 2, bytes.len - bytes.len / 2});
	hook_cut_tell(&state, &out, bytes, bytes.len);
	told = yyjson_read(out.at, out.len, 0);
	must(!out.full && (told || !doc));
	yyjson_doc_free(told);
	yyjson_doc_free(doc);
	buf_finish(&out);
	hook_cut_finish(&state);
}

/* Whatever it is a stub of, it is JSON. */
static void stub(struct text bytes)
{
	yyjson_doc *doc;
	struct buf out;

	hook_stub(&out, bytes, 0);
	doc = yyjson_read(out.at, out.len, 0);
	must(!out.full && doc);
	yyjson_doc_free(doc);
	buf_finish(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *own = must_alloc(n);
	struct text bytes = {own, n};
	struct parcel parcel;
	struct buf room;

	memcpy(own, data, n);
	buf_init(&room, KIB);
	if (parcel_read(&parcel, bytes, -1, &room))
		must(parcel.body.len < n);
	read_spool(bytes);
	scan(bytes);
	stub(bytes);
	cut(bytes);
	buf_finish(&room);
	free(own);
	return 0;
}
