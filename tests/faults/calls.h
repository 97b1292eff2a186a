/*
 * Calls of libraries that fail when a test says so: malloc() and its family, and what writes to
 * files. The program's own definitions take the place of libc's for all libraries it is linked
 * with. Blocks in use are counted on the way.
 * A build with sanitizers keeps its own malloc(), which never fails and counts nothing.
 */
#ifndef ASSAY_CALLS_H
#define ASSAY_CALLS_H

#include <stdbool.h>
#include <stddef.h>

enum call_kind { CALL_NONE, CALL_MALLOC, CALL_WRITE };

/* The n-th call of this kind from now fails, as if memory or the disk were used up. CALL_NONE ends
 * that. */
void calls_fail(enum call_kind kind, size_t n);

/* Whether the call that was to fail has come. */
bool calls_failed(void);

/* Blocks of malloc() in use by this process. Not bytes: malloc() rounds the same request up
 * differently from one time to the next. */
size_t calls_blocks(void);

#endif
