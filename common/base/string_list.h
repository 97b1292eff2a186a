/*
 * Lists of strings: search, add, sort.
 */
#ifndef ASSAY_BASE_STRING_LIST_H
#define ASSAY_BASE_STRING_LIST_H

#include "base/optional.h"

#include <stdbool.h>

/* False for NULL. Compares all; sort and search a long list that is used often. */
bool string_list_has(const struct string_list *list, const char *string);

/* Adds a string that is not in the list yet. The list must have room for it, and keeps the
 * pointer. */
void string_list_add_new(struct string_list *list, const char *string);

/* Byte order, for qsort() and bsearch() over the items of a list. */
int string_list_order(const void *left, const void *right);

#endif
