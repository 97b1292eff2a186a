/*
 * Doubles in ascending order, alone or each with a label that goes with it. No comparison function;
 * some 10 ns a value, whatever the values. They must not be NaN; zeros of either sign are equal,
 * and what is equal stays as it stood.
 */
#ifndef ASSAY_MATH_SORT_H
#define ASSAY_MATH_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Doubles as integers in the same order, and back. */
int64_t sort_key(double value);
double sort_value(int64_t key);

/* By insertion: for a few dozen values, or nearly sorted ones. */
void sort_few(double *values, size_t count);

/* Any number of values; `scratch` has room for as many. */
void sort_doubles(double *values, double *scratch, size_t count);

/* The label says where a value came from: its group, or its index. */
struct sort_item {
    double value;
    uint32_t label;
};

/* Any number of items; `scratch` has room for as many. */
void sort_labelled(struct sort_item *items, struct sort_item *scratch, size_t count);

#endif
