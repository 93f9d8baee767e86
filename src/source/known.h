/* known.h - what a transport may know of its source. */
#ifndef SOURCE_KNOWN_H
#define SOURCE_KNOWN_H

#include "base/text.h"

struct loop;
struct requests;
struct source;
struct transport;

/* The id is what its signals are from when their bytes name nobody. */
struct text source_id(const struct source *source);
struct text source_name(const struct source *source);
const struct transport *source_transport(const struct source *source);
const char *source_url(const struct source *source);
const char *source_credential(const struct source *source); /* NULL: none.  Never logged */
bool source_is_untried(const struct source *source);    /* its credential let us in nowhere yet */
struct text source_model(const struct source *source);  /* the one chosen, or the first */
size_t source_model_count(const struct source *source); /* that it has listed */
struct text source_model_at(const struct source *source, size_t i);
struct loop *source_loop(const struct source *source);
struct requests *source_requests(const struct source *source);
const char *source_data_dir(const struct source *source); /* DATA: for keys of its own */
unsigned source_silence_ms(const struct source *source);  /* an answer may be silent for so long */

/* What outlives a connection, NULL at first: where to resume, what was said in a
 * session.  It goes, by forget(), with the source or when it gets another address
 * or protocol. */
void **source_memory(struct source *source);

#endif
