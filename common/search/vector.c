/* Packs vectors into 8 bits per value and compares them. */
#include "search/vector.h"

#include <math.h>
#include <string.h>

enum { VALUE_MAX = 127 };

static float scale_of(const uint8_t *row)
{
    float scale;

    memcpy(&scale, row, sizeof scale);
    return scale;
}

void search_vector_pack_none(uint32_t dimension, uint8_t *row)
{
    const float scale = 1;

    memset(row, 0, search_vector_bytes(dimension));
    memcpy(row, &scale, sizeof scale);
}

bool search_vector_present(const uint8_t *row)
{
    return scale_of(row) > 0;
}

void search_vector_pack(const float *vector, uint32_t dimension, uint8_t *row)
{
    int8_t *values = (int8_t *)row + sizeof(float);
    float most = 0, scale = 0;
    int64_t square = 0;

    memset(row, 0, search_vector_bytes(dimension));
    for (uint32_t i = 0; i < dimension; i++)
        most = fmaxf(most, fabsf(vector[i]));
    for (uint32_t i = 0; i < dimension && most > 0; i++) {
        values[i] = (int8_t)lroundf(vector[i] / most * VALUE_MAX);
        square += values[i] * values[i];
    }
    if (square)
        scale = (float)(1 / sqrt((double)square));
    memcpy(row, &scale, sizeof scale);
}

/* gcc only uses vector instructions here when it is asked to; clang does so by itself. */
#ifdef __clang__
#define VECTORIZED
#else
#define VECTORIZED __attribute__((optimize("O3")))
#endif

/* Sums of 16-bit products, which SSE2 and AVX2 add in pairs. Dimensions up to 100,000 fit. */
VECTORIZED static int32_t product(const int8_t *a, const int8_t *b, uint32_t dimension)
{
    int32_t sum = 0;

    for (uint32_t i = 0; i < dimension; i++)
        sum += (int16_t)a[i] * (int16_t)b[i];
    return sum;
}

double search_vector_cosine(const uint8_t *a, const uint8_t *b, uint32_t dimension)
{
    return (double)scale_of(a) * (double)scale_of(b) *
           product((const int8_t *)a + sizeof(float), (const int8_t *)b + sizeof(float), dimension);
}
