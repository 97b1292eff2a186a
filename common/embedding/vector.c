/* Rounds vectors to eight bits, and compares them. */
#include "embedding/vector.h"

#include <math.h>

enum { HIGHEST = 127 };

bool vector8_round(const float *floats, uint32_t dimension, int8_t *values, float *scale)
{
    double largest = 0, squares = 0, length = 0;

    for (uint32_t i = 0; i < dimension; i++) {
        if (!isfinite(floats[i]))
            return false;
        largest = fmax(largest, fabs((double)floats[i]));
    }
    if (!(largest > 0))
        return false;
    for (uint32_t i = 0; i < dimension; i++) {
        values[i] = (int8_t)lrint((double)floats[i] / largest * HIGHEST);
        squares += (double)values[i] * (double)values[i];
    }
    length = sqrt(squares);
    *scale = (float)(1 / length);
    return true;
}

double vector8_cosine(const struct vector8 *a, const struct vector8 *b)
{
    int32_t sum = 0;

    for (uint32_t i = 0; i < a->dimension; i++)
        sum += a->values[i] * b->values[i];
    return (double)sum * (double)a->scale * (double)b->scale;
}
