/* The Mersenne twister and sampling without putting back. */
#include "support/regression/draw.h"

#include <stdbool.h>
#include <string.h>

enum { STATE = 624, SHIFT = 397, SMALL_SET = 21, GROWS_ABOVE = 5 };

struct twister {
    uint32_t words[STATE];
    int at;
};

static void start_number(struct twister *twister, uint32_t seed)
{
    twister->words[0] = seed;
    for (uint32_t i = 1; i < STATE; i++)
        twister->words[i] =
            1812433253U * (twister->words[i - 1] ^ (twister->words[i - 1] >> 30)) + i;
    twister->at = STATE;
}

static void start_array(struct twister *twister, const uint32_t *key, uint32_t length)
{
    uint32_t *words = twister->words, i = 1, j = 0;

    start_number(twister, 19650218U);
    for (uint32_t k = length > STATE ? length : STATE; k; k--) {
        words[i] = (words[i] ^ ((words[i - 1] ^ (words[i - 1] >> 30)) * 1664525U)) + key[j] + j;
        if (++i >= STATE) {
            words[0] = words[STATE - 1];
            i = 1;
        }
        if (++j >= length)
            j = 0;
    }
    for (uint32_t k = STATE - 1; k; k--) {
        words[i] = (words[i] ^ ((words[i - 1] ^ (words[i - 1] >> 30)) * 1566083941U)) - i;
        if (++i >= STATE) {
            words[0] = words[STATE - 1];
            i = 1;
        }
    }
    words[0] = 0x80000000U;
}

static void start(struct twister *twister, int64_t seed)
{
    uint64_t size = seed < 0 ? 0 - (uint64_t)seed : (uint64_t)seed;
    const uint32_t key[] = {(uint32_t)size, (uint32_t)(size >> 32)};

    start_array(twister, key, key[1] ? 2 : 1);
}

static uint32_t next_word(struct twister *twister)
{
    uint32_t *words = twister->words, word;

    if (twister->at == STATE) {
        for (int i = 0; i < STATE; i++) {
            uint32_t both = (words[i] & 0x80000000U) | (words[(i + 1) % STATE] & 0x7fffffffU);

            words[i] = words[(i + SHIFT) % STATE] ^ (both >> 1) ^ (both & 1 ? 0x9908b0dfU : 0);
        }
        twister->at = 0;
    }
    word = words[twister->at++];
    word ^= word >> 11;
    word ^= (word << 7) & 0x9d2c5680U;
    word ^= (word << 15) & 0xefc60000U;
    return word ^ (word >> 18);
}

void draw_words(int64_t seed, uint32_t *words, int count)
{
    struct twister twister;

    start(&twister, seed);
    for (int i = 0; i < count; i++)
        words[i] = next_word(&twister);
}

static int64_t below(struct twister *twister, int64_t bound)
{
    int bits = 0;
    int64_t drawn;

    for (int64_t left = bound; left; left >>= 1)
        bits++;
    do
        drawn = (int64_t)(next_word(twister) >> (32 - bits));
    while (drawn >= bound);
    return drawn;
}

/* Up to which size the whole set is laid out. */
static int64_t small_set(int64_t count)
{
    int64_t power = 1;

    if (count <= GROWS_ABOVE)
        return SMALL_SET;
    while (power < 3 * count)
        power *= 4;
    return SMALL_SET + power;
}

static bool has(const int64_t *drawn, int64_t count, int64_t number)
{
    for (int64_t i = 0; i < count; i++)
        if (drawn[i] == number)
            return true;
    return false;
}

int64_t *draw_sample(struct arena *arena, int64_t of, int64_t count, int64_t seed)
{
    int64_t *drawn = ARENA_ARRAY(arena, int64_t, (size_t)count + 1), *pool;
    struct twister twister;

    start(&twister, seed);
    if (of > small_set(count)) {
        for (int64_t i = 0; i < count; i++) {
            do
                drawn[i] = below(&twister, of);
            while (has(drawn, i, drawn[i]));
        }
        return drawn;
    }
    pool = ARENA_ARRAY(arena, int64_t, (size_t)of + 1);
    for (int64_t i = 0; i < of; i++)
        pool[i] = i;
    for (int64_t i = 0; i < count; i++) {
        int64_t place = below(&twister, of - i);

        drawn[i] = pool[place];
        pool[place] = pool[of - i - 1];
    }
    return drawn;
}
