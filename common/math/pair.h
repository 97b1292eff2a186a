/* Two doubles in one SIMD register: every 64-bit processor computes with both at the price of one.
 * All operators work element by element; pair[0] and pair[1] are the elements. */
#ifndef ASSAY_MATH_PAIR_H
#define ASSAY_MATH_PAIR_H

#include <stdint.h>
#include <string.h>

typedef double pair __attribute__((vector_size(16)));
typedef uint64_t pair_bits __attribute__((vector_size(16))); /* a cast keeps all bits */

static inline pair load_pair(const double *values)
{
    pair loaded;

    memcpy(&loaded, values, sizeof loaded);
    return loaded;
}

#endif
