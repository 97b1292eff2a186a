/* Any bytes as gzip: unpacked in small pieces and in large ones they give the same, never more than
 * is allowed, or the same refusal. */
#include "fuzz.h"

#include "base/gunzip.h"

#include <string.h>

enum { MOST = 4096 };

struct outcome {
    enum error error;
    size_t length;
    char bytes[MOST];
};

static void unpack(const uint8_t *data, size_t size, size_t piece, struct outcome *outcome)
{
    struct arena *arena = arena_create((size_t)1 << 22);
    struct gunzip *gunzip = gunzip_start(arena, (const char *)data, size, MOST);
    char bytes[MOST + 1];
    size_t count = 1;
    struct problem problem;

    *outcome = (struct outcome){0};
    while (!outcome->error && count > 0) {
        outcome->error = gunzip_read(gunzip, bytes, piece, &count, &problem);
        if (outcome->error)
            break;
        PROMISE(outcome->length + count <= MOST, "no more comes out than is allowed");
        memcpy(outcome->bytes + outcome->length, bytes, count);
        outcome->length += count;
    }
    arena_destroy(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct outcome small, large;

    unpack(data, size, 7, &small);
    unpack(data, size, MOST, &large);
    /* Of what is both damaged and too large, one or the other shows first. */
    PROMISE(!small.error == !large.error, "pieces of any size are taken or refused alike");
    PROMISE(small.error || (small.length == large.length &&
                            memcmp(small.bytes, large.bytes, small.length) == 0),
            "pieces of any size hold the same");
    return 0;
}
