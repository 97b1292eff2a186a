/*
 * Vectors of texts in eight bits: a component is `values[i] * scale`, and all of them together have
 * the length 1. A quarter of the size of floats, and their products are sums of small integers.
 */
#ifndef ASSAY_EMBEDDING_VECTOR_H
#define ASSAY_EMBEDDING_VECTOR_H

#include <stdbool.h>
#include <stdint.h>

enum { VECTOR_DIMENSION_MAX = 8192, VECTOR_MODEL_MAX = 64 };

struct vector8 {
    const int8_t *values; /* between -127 and 127 */
    uint32_t dimension;
    float scale; /* above 0 */
};

/* Rounds `dimension` floats to `values` (the caller's). False when they are all 0 or not finite. */
bool vector8_round(const float *floats, uint32_t dimension, int8_t *values, float *scale);

/* The cosine of the angle between two vectors of one dimension. */
double vector8_cosine(const struct vector8 *a, const struct vector8 *b);

#endif
