/* Decimal rounding, by way of the C library's exact conversion. */
#include "math/rounding.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

double round_decimal(double x, int digits)
{
    char text[400]; /* 309 digits before the point, at most 30 after it */

    if (!isfinite(x))
        return x;
    if (digits < 0 || digits > 30)
        return NAN;
    snprintf(text, sizeof text, "%.*f", digits, x);

    double rounded = strtod(text, NULL);

    return rounded == 0 ? 0 : rounded;
}
