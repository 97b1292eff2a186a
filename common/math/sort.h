/*
 * Sorts doubles in ascending order, alone or each with a label. No comparison function; some 10 ns
 * per value for any data. Values must not be NaN; zeros of either sign are equal. The sort is
 * stable.
 */
#ifndef ASSAY_MATH_SORT_H
#define ASSAY_MATH_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Doubles as integers in the same order, and the reverse. */
int64_t sort_key(double value);
double sort_value(int64_t key);

/* Insertion sort: for a few dozen values, or nearly sorted ones. */
void sort_few(double *values, size_t count);

/* Any number of values; `scratch` has room for as many. */
void sort_doubles(double *values, double *scratch, size_t count);

/* The label identifies the origin of a value: its group, or its index. */
struct sort_item {
    double value;
    uint32_t label;
};

/* Any number of items; `scratch` has room for as many. */
void sort_labelled(struct sort_item *items, struct sort_item *scratch, size_t count);

#endif
