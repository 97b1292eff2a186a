/*
 * Doubles in ascending order, each with a label that goes with it: for ranks over several groups,
 * or times with what happened at them.
 */
#ifndef ASSAY_MATH_SORT_LABELLED_H
#define ASSAY_MATH_SORT_LABELLED_H

#include <stddef.h>
#include <stdint.h>

/* Equal values, and zeros of either sign, have the same key. */
struct sort_item {
    uint64_t key;
    uint32_t label;
};

/* `value` must not be NaN. */
struct sort_item sort_item_of(double value, uint32_t label);

/* The value again; a zero is positive. */
double sort_item_value(const struct sort_item *item);

/* Ascending by key, equal ones as they stood; `scratch` has room for as many. About 10 steps an
 * item, whatever the values. */
void sort_labelled(struct sort_item *items, struct sort_item *scratch, size_t count);

#endif
