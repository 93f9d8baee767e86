/* loss.h - what a power loss would take away.
 *
 * Every change to a file or a directory is remembered with what was there before
 * it, until a sync of that file or directory makes it last.  loss_happen puts
 * things as a disk might hold them after the power went: what was not synced is
 * as before, or garbled, or there after all.
 *
 * All of it is called with the one mutex of faults.c held.
 */
#ifndef PRELOAD_LOSS_H
#define PRELOAD_LOSS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum loss_manner {
	LOSS_ALL,    /* nothing that was not synced is there */
	LOSS_GARBLE, /* of each unsynced 512 bytes: old, new, zeros or rubbish */
	LOSS_MIXED,  /* each file by lot: lost, garbled or kept */
	LOSS_NONE,   /* only the process ends */
};

/* limbo is a directory beside the data, for files that are unlinked. */
void loss_begin(const char *limbo, enum loss_manner manner, unsigned seed);

/* Before fd is written to, cut or lengthened there. */
void loss_note_write(int fd, uint64_t offset, size_t len);
void loss_note_cut(int fd, uint64_t size);

/* After a sync of a file or a directory that worked.  One that failed dooms what
 * it should have written: as in the kernel, no later sync makes up for it. */
void loss_note_sync(int fd);
void loss_note_failed_sync(int fd);

/* Before the name changes; paths are absolute. */
void loss_note_create(const char *path);
void loss_note_unlink(const char *path);
void loss_note_rename(const char *from, const char *to);

void loss_happen(void);

#endif
