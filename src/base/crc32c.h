/* crc32c.h - the checksum of the journal (Castagnoli, as in iSCSI and ext4). */
#ifndef BASE_CRC32C_H
#define BASE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Continue from the checksum of what came before; 0 at the start. */
uint32_t crc32c(uint32_t before, const void *bytes, size_t n);

/* The same where the processor has no instruction for it; the test compares. */
uint32_t crc32c_by_tables(uint32_t before, const void *bytes, size_t n);

#endif
