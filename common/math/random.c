/* Philox 4x64-10 and the distributions drawn from it. */
#include "math/random.h"

#include "math/normal.h"

#include <math.h>

/* The multipliers and key increments of the paper (table 2 and section 3.2). */
static const uint64_t MULTIPLIER_0 = 0xD2E7470EE14C6C93, MULTIPLIER_1 = 0xCA5A826395121157;
static const uint64_t WEYL_0 = 0x9E3779B97F4A7C15, WEYL_1 = 0xBB67AE8584CAA73B;

enum { ROUNDS = 10, BLOCK_WORDS = 4 };

void random_philox(const uint64_t counter[4], const uint64_t key[2], uint64_t words[4])
{
    uint64_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint64_t k0 = key[0], k1 = key[1];

    for (int round = 0; round < ROUNDS; round++) {
        unsigned __int128 even = (unsigned __int128)MULTIPLIER_0 * c0;
        unsigned __int128 odd = (unsigned __int128)MULTIPLIER_1 * c2;

        c0 = (uint64_t)(odd >> 64) ^ c1 ^ k0;
        c1 = (uint64_t)odd;
        c2 = (uint64_t)(even >> 64) ^ c3 ^ k1;
        c3 = (uint64_t)even;
        k0 += WEYL_0;
        k1 += WEYL_1;
    }
    words[0] = c0;
    words[1] = c1;
    words[2] = c2;
    words[3] = c3;
}

struct random random_start(uint64_t seed, uint64_t stream)
{
    return (struct random){.key = {seed, stream}, .used = BLOCK_WORDS};
}

static void next_block(struct random *random)
{
    for (int i = 0; i < 4 && ++random->counter[i] == 0; i++)
        ;
    random_philox(random->counter, random->key, random->words);
    random->used = 0;
}

uint64_t random_u64(struct random *random)
{
    if (random->used == BLOCK_WORDS)
        next_block(random);
    return random->words[random->used++];
}

double random_uniform(struct random *random)
{
    return ((double)(random_u64(random) >> 12) + 0.5) * 0x1p-52;
}

/* The high half of word x bound is the result. Words whose low half is below 2^64 mod bound would
 * make some results likelier, so they are drawn again. */
uint64_t random_below(struct random *random, uint64_t bound)
{
    if (bound == 0)
        return 0;

    unsigned __int128 product = (unsigned __int128)random_u64(random) * bound;

    if ((uint64_t)product < bound) {
        uint64_t threshold = -bound % bound;

        while ((uint64_t)product < threshold)
            product = (unsigned __int128)random_u64(random) * bound;
    }
    return (uint64_t)(product >> 64);
}

/* The lowest bit is the sign, the other 63 the tail probability. */
double random_normal(struct random *random)
{
    uint64_t word = random_u64(random);
    double z = normal_upper_quantile(((double)(word >> 1) + 0.5) * 0x1p-64);

    return word & 1 ? z : -z;
}

/* Marsaglia and Tsang's method for shape >= 1. */
static double gamma_by_cubes(struct random *random, double shape)
{
    double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);

    for (;;) {
        double z = random_normal(random), root = 1 + c * z, cube = root * root * root;

        if (root <= 0)
            continue;
        if (log(random_uniform(random)) < 0.5 * z * z + d * (1 - cube + log(cube)))
            return d * cube;
    }
}

double random_gamma(struct random *random, double shape)
{
    if (!(shape > 0) || isinf(shape))
        return NAN;
    if (shape >= 1)
        return gamma_by_cubes(random, shape);

    double larger = gamma_by_cubes(random, shape + 1);

    return larger * exp(log(random_uniform(random)) / shape);
}

double random_beta(struct random *random, double a, double b)
{
    double x = random_gamma(random, a), y = random_gamma(random, b);

    if (x + y == 0)
        return random_uniform(random) * (a + b) < a ? 1 : 0;
    return x / (x + y);
}
