/*
 * Draws random cases reproducibly from a seed; published runs depend on it. The generator is
 * MT19937 (Matsumoto and Nishimura 1998), seeded by an array.
 */
#ifndef ASSAY_SUPPORT_REGRESSION_DRAW_H
#define ASSAY_SUPPORT_REGRESSION_DRAW_H

#include "base/arena.h"

#include <stdint.h>

/* `count` different numbers below `of`, in drawing order. From the arena. */
int64_t *draw_sample(struct arena *arena, int64_t of, int64_t count, int64_t seed);

/* The first numbers of a seed, for tests. */
void draw_words(int64_t seed, uint32_t *words, int count);

#endif
