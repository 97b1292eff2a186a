/*
 * Memory that is freed at once: everything that lives as long as a request (or a job step) is
 * allocated from an arena and freed with it. Nothing is freed by hand, so early return is always
 * safe.
 *
 * Allocation never returns NULL. When the limit is reached or the system has no memory, control
 * jumps to the recovery point set by arena_on_exhausted(); without one the process prints its state
 * and aborts. Under sanitizers every allocation is a separate malloc.
 */
#ifndef ASSAY_BASE_ARENA_H
#define ASSAY_BASE_ARENA_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

struct arena;

/* A new arena that hands out at most `limit` bytes between two resets; NULL when out of memory.
 * The caller owns it. */
struct arena *arena_create(size_t limit);
void arena_destroy(struct arena *arena);

/* An arena below `parent` that is reset and destroyed separately, for the temporary memory of a
 * loop. Its exhaustion exhausts the parent. It is destroyed at the latest with the parent. */
struct arena *arena_create_below(struct arena *parent, size_t limit);

/* Frees everything at once; keeps one small block for the next request. */
void arena_reset(struct arena *arena);

/* The recovery point to jump to when memory runs out; NULL removes it. The caller keeps the buffer
 * alive for as long as it is set. */
void arena_on_exhausted(struct arena *arena, jmp_buf *recovery);

/* Zeroed memory, aligned for any type, owned by the arena. A size of 0 gives a valid pointer. */
void *arena_alloc(struct arena *arena, size_t size);

/* `count` zeroed items of `size` bytes; overflow of the product counts as exhaustion. */
void *arena_alloc_array(struct arena *arena, size_t count, size_t size);

/* As arena_alloc, but returns NULL instead of jumping: for libraries that check. */
void *arena_try_alloc(struct arena *arena, size_t size);

/* NUL-terminated copies owned by the arena. */
char *arena_copy(struct arena *arena, const char *bytes, size_t length);
char *arena_copy_string(struct arena *arena, const char *string);
char *arena_print(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Releases a resource that is not arena memory. The caller that opens the resource sets `thing`.
 * arena_guard_end() releases it; if memory runs out before that, the arena does. */
struct arena_guard {
    void *thing; /* NULL = nothing is open */
    void (*release)(void *thing);
    struct arena_guard *next;
};
struct arena_guard *arena_guard(struct arena *arena, void (*release)(void *thing));
void arena_guard_end(struct arena_guard *guard);

/* For files (FILE) and directories (DIR). */
void arena_close_file(void *file);
void arena_close_directory(void *directory);

/* The bytes that all arenas of the process take together, and a limit for them (0 = none, as at
 * first): above it allocation fails as if memory had run out. */
void arena_limit_process(size_t limit);
size_t arena_process_used(void);
/* Whether the last allocation that failed was over that limit. */
bool arena_process_is_full(void);

/* Whether the last failed allocation since the reset was over the arena's limit. False when the
 * system had no memory. */
bool arena_is_full(const struct arena *arena);

/* Bytes handed out since the last reset. */
size_t arena_used(const struct arena *arena);

/* The process behaves as if the n-th allocation from now failed (1 = the next one); 0 = off.
 * For tests of error paths. */
void arena_fail_after(struct arena *arena, size_t n);

#define ARENA_NEW(arena, type) ((type *)arena_alloc((arena), sizeof(type)))
#define ARENA_ARRAY(arena, type, count) ((type *)arena_alloc_array((arena), (count), sizeof(type)))

#endif
