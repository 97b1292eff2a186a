/*
 * Random numbers that are the same on every host: Philox 4x64 with ten rounds (Salmon, Moraes,
 * Dror and Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3"). A generator is a key (seed
 * and stream) and a counter, so any number of streams of one seed are independent, and each can be
 * started without running the others. The words are those of numpy.random.Philox(key=[seed,
 * stream]). Not for secrets.
 */
#ifndef ASSAY_MATH_RANDOM_H
#define ASSAY_MATH_RANDOM_H

#include <stdint.h>

struct random {
    uint64_t key[2];     /* seed, stream */
    uint64_t counter[4]; /* of the block in `words`, least significant word first */
    uint64_t words[4];
    int used; /* how many of `words` have been handed out */
};

/* The function of the paper: one block of four words for a counter and a key. */
void random_philox(const uint64_t counter[4], const uint64_t key[2], uint64_t words[4]);

struct random random_start(uint64_t seed, uint64_t stream);

uint64_t random_u64(struct random *random);

/* Strictly between 0 and 1, 52 bits, symmetric about 1/2. */
double random_uniform(struct random *random);

/* 0 .. bound - 1, each exactly equally likely (Lemire 2019); 0 when bound is 0. */
uint64_t random_below(struct random *random, uint64_t bound);

/* One word gives one standard normal, by inversion; the largest values are at 9.1 sd. */
double random_normal(struct random *random);

/* Gamma with unit scale (Marsaglia and Tsang 2000) and beta from two of them; NaN unless the
 * parameters are positive and finite. They use a varying number of words. */
double random_gamma(struct random *random, double shape);
double random_beta(struct random *random, double a, double b);

#endif
