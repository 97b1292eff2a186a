/*
 * Decimal rounding of binary numbers, the one way the suite does it.
 */
#ifndef ASSAY_MATH_ROUNDING_H
#define ASSAY_MATH_ROUNDING_H

/* The double nearest to x rounded to `digits` decimals. The exact binary value of x is rounded
 * correctly, exact halves to even: round_decimal(2.675, 2) is 2.67, because the double lies below
 * 2.675. Negative zero becomes 0. NaN and infinities come back as they are; digits outside 0..30
 * give NaN. */
double round_decimal(double x, int digits);

#endif
