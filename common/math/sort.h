/*
 * Numbers in ascending order. Made for doubles: no comparison function, no branch per value beyond
 * a few dozen. Values must not be NaN; zeros of either sign are equal.
 */
#ifndef ASSAY_MATH_SORT_H
#define ASSAY_MATH_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Doubles as integers in the same order, and back. */
int64_t sort_key(double value);
double sort_value(int64_t key);

/* By insertion: for a few dozen values, or nearly sorted ones. Equal values stay as they stood. */
void sort_few(double *values, size_t count);

/* Any number of values; `scratch` has room for as many. */
void sort_doubles(double *values, double *scratch, size_t count);

#endif
