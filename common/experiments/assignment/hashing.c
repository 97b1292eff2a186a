/* FNV-1a over UTF-16 units or code points. */
#include "experiments/assignment/hashing.h"

#include "base/number.h"

#include <stdbool.h>

static const uint32_t PRIME = 0x01000193;

enum { BUCKETS_1 = 1000, BUCKETS_2 = 10000 };

static uint32_t append_unit(uint32_t hash, uint32_t unit)
{
    return (hash ^ unit) * PRIME;
}

/* Reads one character of valid UTF-8 and moves on. */
static uint32_t next_character(const unsigned char **at)
{
    uint32_t lead = *(*at)++, character;
    int more = lead < 0x80 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;

    character = more == 0 ? lead : lead & (0x3fU >> more);
    for (; more > 0 && **at; more--)
        character = character << 6 | (*(*at)++ & 0x3fU);
    return character;
}

uint32_t hash_append(uint32_t hash, enum hash_text by, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;

    while (*at) {
        uint32_t character = next_character(&at);

        if (by == HASH_CODE_POINTS || character < 0x10000) {
            hash = append_unit(hash, character);
        } else {
            hash = append_unit(hash, 0xd800 + ((character - 0x10000) >> 10));
            hash = append_unit(hash, 0xdc00 + (character & 0x3ff));
        }
    }
    return hash;
}

double hash_unit(enum hash_version version, enum hash_text by, const char *seed, const char *value)
{
    bool reversed = version == HASH_VERSION_1;
    uint32_t first = hash_append(HASH_START, by, reversed ? value : seed);
    uint32_t hash = hash_append(first, by, reversed ? seed : value);
    char decimal[NUMBER_TEXT_MAX];

    if (reversed)
        return hash % BUCKETS_1 / (double)BUCKETS_1;
    integer_format(hash, decimal);
    return hash_append(HASH_START, by, decimal) % BUCKETS_2 / (double)BUCKETS_2;
}
