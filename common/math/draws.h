/*
 * Fast random draws, for simulations that need hundreds of millions: words of SplitMix64 (Steele,
 * Lea and Flood 2014), normals by the ziggurat method with 256 layers (Marsaglia and Tsang 2000, J.
 * Stat. Software 5(8)), gammas from them (Marsaglia and Tsang 2000, ACM TOMS 26(3)). As exact as
 * random_normal() and random_gamma(), and ten times as fast; the values differ.
 *
 * A word is a function of the seed, the stream and its index alone. Streams start at points of one
 * sequence of 2^64 words that random_philox() scatters: two of 2000 streams with a million words
 * each overlap with probability 2e-7.
 *
 * The code of nearly every draw is in this header, so that it can be inlined.
 */
#ifndef ASSAY_MATH_DRAWS_H
#define ASSAY_MATH_DRAWS_H

#include "math/random.h"

#include <math.h>
#include <stdbool.h>

enum {
    ZIGGURAT_LAYERS = 256,
    DRAWS_SPARE_BITS = 12 /* spare bits in the word of a normal draw, for the caller */
};

/* Layer i has the width edge[i] and lies below density[i + 1]. The bottom layer has an infinite
 * tail; its width is that of a rectangle of the same area. */
struct ziggurat {
    double edge[ZIGGURAT_LAYERS + 1];
    double scale[ZIGGURAT_LAYERS];       /* edge / 2^43 */
    double density[ZIGGURAT_LAYERS + 1]; /* exp(-edge^2 / 2) */
};

/* Takes some microseconds. The result is always the same and may be shared by threads. */
void ziggurat_build(struct ziggurat *ziggurat);

struct draws {
    const struct ziggurat *ziggurat;
    uint64_t place; /* position of the last word in the sequence */
};

/* `ziggurat` must outlive the draws. */
void draws_start(struct draws *draws, const struct ziggurat *ziggurat, uint64_t seed,
                 uint64_t stream);

static inline uint64_t draws_word(struct draws *draws)
{
    uint64_t word = draws->place += 0x9E3779B97F4A7C15;

    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9;
    word = (word ^ word >> 27) * 0x94D049BB133111EB;
    return word ^ word >> 31;
}

/* Strictly between 0 and 1, 52 bits, symmetric about 1/2. */
static inline double draws_uniform(struct draws *draws)
{
    return ((double)(int64_t)(draws_word(draws) >> 12) + 0.5) * 0x1p-52;
}

/* The normal draw whose word falls outside the inner rectangle of its layer, once in a hundred
 * draws; false when the point is not under the curve. */
bool draws_normal_edge(struct draws *draws, uint64_t word, double *normal);

/* The low 8 bits of a word choose the layer, the next 12 are spare, the upper 44 are the signed
 * position in the layer: a branch on the sign would be mispredicted every other time. */
static inline double draws_normal(struct draws *draws, uint64_t *word)
{
    const struct ziggurat *ziggurat = draws->ziggurat;
    double normal;

    do {
        *word = draws_word(draws);
        unsigned layer = *word & (ZIGGURAT_LAYERS - 1);

        normal = (double)((int64_t)*word >> 20 | 1) * ziggurat->scale[layer];
        if (__builtin_expect(fabs(normal) < ziggurat->edge[layer + 1], true))
            break;
    } while (!draws_normal_edge(draws, *word, &normal));
    return normal;
}

static inline int draws_spare(uint64_t word)
{
    return (int)(word >> 8) & ((1 << DRAWS_SPARE_BITS) - 1);
}

/* Constants of a gamma draw for its shape, which must be at least 1. */
struct gamma_shape {
    double d;       /* shape - 1/3 */
    double c;       /* 1 / sqrt(9 d) */
    double squeeze; /* 2^DRAWS_SPARE_BITS / (54 d) */
};

struct gamma_shape gamma_shape_of(double shape);

/* Decides a draw that the squeeze does not accept: the spare bits of the normal's word are the
 * first bits of the uniform that decides. */
bool draws_gamma_accepts(struct draws *draws, const struct gamma_shape *shape, double normal,
                         uint64_t word);

/* A gamma of unit scale. With y = c z, the log of the probability that z is accepted, z^2 / 2 +
 * d (1 - (1 + y)^3 + 3 ln(1 + y)), is at least -z^4 / (54 d) for y >= -1/2, because the series of
 * ln(1 + y) beyond its cubic term is at least -y^4 / 2 there. So spare bits below all ones decide
 * nearly always. */
static inline double draws_gamma(struct draws *draws, const struct gamma_shape *shape)
{
    for (;;) {
        uint64_t word;
        double normal = draws_normal(draws, &word), root = 1 + shape->c * normal;
        double square = normal * normal;
        double bound = draws_spare(word) + shape->squeeze * square * square;

        if (__builtin_expect(root >= 0.5 && bound < (1 << DRAWS_SPARE_BITS) - 1, true) ||
            draws_gamma_accepts(draws, shape, normal, word))
            return shape->d * (root * root * root);
    }
}

#endif
