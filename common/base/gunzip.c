/* zlib with memory of an arena: nothing leaks when a request ends early. */
#include "base/gunzip.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

enum { GZIP_WINDOW = 15 + 16 }; /* the largest window; gzip format only */

struct gunzip {
    struct arena *arena;
    z_stream stream;
    size_t left; /* output bytes that are still allowed */
    bool ended;  /* at the end of a member, and of the input */
};

static voidpf take(voidpf arena, uInt count, uInt size)
{
    return arena_alloc_array(arena, count, size);
}

static void leave(voidpf arena, voidpf memory)
{
    (void)arena;
    (void)memory;
}

struct gunzip *gunzip_start(struct arena *arena, const char *bytes, size_t length, size_t most)
{
    struct gunzip *gunzip = ARENA_NEW(arena, struct gunzip);

    *gunzip = (struct gunzip){.arena = arena, .left = most};
    gunzip->stream.zalloc = take;
    gunzip->stream.zfree = leave;
    gunzip->stream.opaque = arena;
    gunzip->stream.next_in = (z_const Bytef *)bytes;
    gunzip->stream.avail_in = (uInt)length;
    if (length > UINT32_MAX || inflateInit2(&gunzip->stream, GZIP_WINDOW) != Z_OK)
        abort(); /* bodies are far smaller, and the arena never returns NULL */
    return gunzip;
}

static enum error damaged(struct problem *problem)
{
    return problem_set(problem, ERROR_MALFORMED, "gzip_damaged",
                       "the body is no gzip, or is damaged or cut off");
}

/* Reads until the piece is full or the input ends. */
static enum error fill(struct gunzip *gunzip, struct problem *problem)
{
    z_stream *stream = &gunzip->stream;

    while (stream->avail_out > 0 && !gunzip->ended) {
        int result = inflate(stream, Z_NO_FLUSH);

        if (result == Z_STREAM_END && stream->avail_in > 0)
            result = inflateReset(stream); /* another member follows */
        else if (result == Z_STREAM_END)
            gunzip->ended = true;
        if (result != Z_OK && result != Z_STREAM_END)
            return damaged(problem);
    }
    return ERROR_NONE;
}

enum error gunzip_read(struct gunzip *gunzip, char *piece, size_t size, size_t *count,
                       struct problem *problem)
{
    enum error error;

    gunzip->stream.next_out = (Bytef *)piece;
    gunzip->stream.avail_out = (uInt)size;
    error = fill(gunzip, problem);
    *count = size - gunzip->stream.avail_out;
    if (error)
        return error;
    if (*count > gunzip->left)
        return problem_set(problem, ERROR_TOO_LARGE, "unpacked_too_large",
                           "the body is larger than it may be when it is unpacked");
    gunzip->left -= *count;
    return ERROR_NONE;
}
