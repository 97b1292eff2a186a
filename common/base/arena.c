/* The arena: a list of memory blocks. Allocation advances through them; a reset frees all of them
 * together. */
#include "base/arena.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define ARENA_PLAIN_MALLOC 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define ARENA_PLAIN_MALLOC 1
#endif
#endif

enum {
    FIRST_BLOCK_BYTES = 8 * 1024, /* kept between requests; each further block doubles the arena */
    BLOCK_BYTES = 64 * 1024,      /* up to this; larger requests get separate blocks */
    ALIGNMENT = 16
};

struct block {
    struct block *next;
    size_t capacity;
    size_t used;
    _Alignas(ALIGNMENT) unsigned char bytes[];
};

struct arena {
    struct block *blocks; /* the newest first */
    size_t limit;
    size_t used;
    size_t fail_after;
    bool full;
    jmp_buf *recovery;
    struct arena_guard *guards; /* the newest first */
    struct arena *parent;       /* NULL = none */
    struct arena_guard *place;  /* its guard in the list of the parent */
};

/* Of the process: what all arenas take, and the most that they may. */
static struct {
    size_t used, limit;
    bool full;
} process;

void arena_limit_process(size_t limit)
{
    process.limit = limit;
}

size_t arena_process_used(void)
{
    return process.used;
}

bool arena_process_is_full(void)
{
    return process.full;
}

struct arena *arena_create(size_t limit)
{
    struct arena *arena = calloc(1, sizeof *arena);

    if (arena)
        arena->limit = limit;
    return arena;
}

static void free_block(struct block *block)
{
    process.used -= block->capacity;
    free(block);
}

static void free_blocks(struct block *block)
{
    while (block) {
        struct block *next = block->next;

        free_block(block);
        block = next;
    }
}

struct arena_guard *arena_guard(struct arena *arena, void (*release)(void *thing))
{
    struct arena_guard *guard = ARENA_NEW(arena, struct arena_guard);

    guard->release = release;
    guard->next = arena->guards;
    arena->guards = guard;
    return guard;
}

void arena_guard_end(struct arena_guard *guard)
{
    if (guard->thing)
        guard->release(guard->thing);
    guard->thing = NULL;
}

static void release_all(struct arena *arena)
{
    for (struct arena_guard *guard = arena->guards; guard; guard = guard->next)
        arena_guard_end(guard);
    arena->guards = NULL;
}

void arena_close_file(void *file)
{
    (void)fclose(file);
}

void arena_close_directory(void *directory)
{
    (void)closedir(directory);
}

static void destroy_below(void *arena)
{
    arena_destroy(arena);
}

void arena_destroy(struct arena *arena)
{
    if (!arena)
        return;
    if (arena->place)
        arena->place->thing = NULL;
    release_all(arena);
    free_blocks(arena->blocks);
    free(arena);
}

void arena_reset(struct arena *arena)
{
    struct block *keep = NULL;
    struct block *block = arena->blocks;

    release_all(arena);
#ifndef ARENA_PLAIN_MALLOC
    while (block) {
        struct block *next = block->next;

        if (!keep && block->capacity >= FIRST_BLOCK_BYTES && block->capacity <= BLOCK_BYTES) {
            keep = block;
            keep->next = NULL;
            keep->used = 0;
        } else {
            free_block(block);
        }
        block = next;
    }
#else
    free_blocks(block);
#endif
    arena->blocks = keep;
    arena->used = 0;
    arena->fail_after = 0;
    arena->full = false;
}

void arena_on_exhausted(struct arena *arena, jmp_buf *recovery)
{
    arena->recovery = recovery;
}

/* Only who can jump is refused memory of the process: who answers after a jump needs a little. */
static bool can_jump(const struct arena *arena)
{
    while (!arena->recovery && arena->parent)
        arena = arena->parent;
    return arena->recovery != NULL;
}

static struct block *block_add(struct arena *arena, size_t size)
{
    size_t capacity = size;
    struct block *block;

#ifndef ARENA_PLAIN_MALLOC
    size_t usual = arena->used > FIRST_BLOCK_BYTES ? arena->used : FIRST_BLOCK_BYTES;

    if (usual > BLOCK_BYTES)
        usual = BLOCK_BYTES;
    if (capacity < usual)
        capacity = usual;
#endif
    process.full = process.limit && process.used + capacity > process.limit && can_jump(arena);
    if (process.full)
        return NULL;
    block = malloc(sizeof *block + capacity);
    if (!block)
        return NULL;
    process.used += capacity;
    block->capacity = capacity;
    block->used = 0;
    block->next = arena->blocks;
    arena->blocks = block;
    return block;
}

void *arena_try_alloc(struct arena *arena, size_t size)
{
    size_t rounded;
    struct block *block = arena->blocks;
    void *memory;

    if (arena->fail_after && --arena->fail_after == 0)
        return NULL;
    if (size > SIZE_MAX - ALIGNMENT)
        return NULL;
    rounded = size ? (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : ALIGNMENT;
    if (rounded > arena->limit - arena->used) {
        arena->full = true;
        return NULL;
    }
    if (!block || rounded > block->capacity - block->used)
        block = block_add(arena, rounded);
    if (!block)
        return NULL;
    memory = block->bytes + block->used;
    block->used += rounded;
    arena->used += rounded;
    memset(memory, 0, rounded);
    return memory;
}

static void exhausted(struct arena *arena, size_t size)
{
    while (!arena->recovery && arena->parent)
        arena = arena->parent;
    if (arena->recovery)
        longjmp(*arena->recovery, 1);
    fprintf(stderr, "arena exhausted: wanted %zu bytes with %zu of %zu in use\n", size, arena->used,
            arena->limit);
    abort();
}

struct arena *arena_create_below(struct arena *parent, size_t limit)
{
    struct arena_guard *place = arena_guard(parent, destroy_below);
    struct arena *arena = arena_create(limit);

    if (!arena)
        exhausted(parent, limit);
    arena->parent = parent;
    arena->place = place;
    place->thing = arena;
    return arena;
}

void *arena_alloc(struct arena *arena, size_t size)
{
    void *memory = arena_try_alloc(arena, size);

    if (!memory)
        exhausted(arena, size);
    return memory;
}

void *arena_alloc_array(struct arena *arena, size_t count, size_t size)
{
    size_t total;

    if (__builtin_mul_overflow(count, size, &total))
        exhausted(arena, SIZE_MAX);
    return arena_alloc(arena, total);
}

char *arena_copy(struct arena *arena, const char *bytes, size_t length)
{
    char *copy = arena_alloc(arena, length + 1);

    memcpy(copy, bytes, length);
    return copy;
}

char *arena_copy_string(struct arena *arena, const char *string)
{
    return arena_copy(arena, string, strlen(string));
}

char *arena_print(struct arena *arena, const char *format, ...)
{
    va_list arguments;
    char small[256];
    char *large;
    int length;

    va_start(arguments, format);
    length = vsnprintf(small, sizeof small, format, arguments);
    va_end(arguments);
    if (length < 0)
        exhausted(arena, 0);
    if ((size_t)length < sizeof small)
        return arena_copy(arena, small, (size_t)length);
    large = arena_alloc(arena, (size_t)length + 1);
    va_start(arguments, format);
    vsnprintf(large, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return large;
}

bool arena_is_full(const struct arena *arena)
{
    return arena->full;
}

size_t arena_used(const struct arena *arena)
{
    return arena->used;
}

void arena_fail_after(struct arena *arena, size_t n)
{
    arena->fail_after = n;
}
