/* Compression by zlib, whose memory is the arena's. */
#include "base/gzip.h"

#include <stdlib.h>
#include <zlib.h>

enum { GZIP_WINDOW = 15 + 16 /* the largest window; gzip format */, MEMORY_LEVEL = 8 };
enum { PIECE_BYTES = 1 << 20 };

static voidpf take(voidpf arena, uInt count, uInt size)
{
    return arena_alloc_array(arena, count, size);
}

static void leave(voidpf arena, voidpf memory)
{
    (void)arena;
    (void)memory;
}

void gzip_append(struct text *out, const char *bytes, size_t length)
{
    z_stream stream = {.zalloc = take, .zfree = leave, .opaque = out->arena};
    size_t put = 0;
    int result = Z_OK;

    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, MEMORY_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        abort(); /* the arena never returns NULL */
    while (result != Z_STREAM_END) {
        size_t piece = length - put < PIECE_BYTES ? length - put : PIECE_BYTES;
        char *room = text_extend(out, PIECE_BYTES);

        if (!room) {
            out->overflowed = true;
            return;
        }
        if (!stream.avail_in) {
            stream.next_in = (z_const Bytef *)bytes + put;
            stream.avail_in = (uInt)piece;
            put += piece;
        }
        stream.next_out = (Bytef *)room;
        stream.avail_out = PIECE_BYTES;
        result = deflate(&stream, put == length ? Z_FINISH : Z_NO_FLUSH);
        text_extend_to(out, (char *)stream.next_out);
    }
}
