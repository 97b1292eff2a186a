/*
 * Lists of strings: looking one up, adding one, sorting.
 */
#ifndef ASSAY_BASE_STRING_LIST_H
#define ASSAY_BASE_STRING_LIST_H

#include "base/optional.h"

#include <stdbool.h>

/* False for NULL. Compares all; a long list that is asked often is sorted and searched instead. */
bool string_list_has(const struct string_list *list, const char *string);

/* Adds what is not there yet; the list has room for it, and refers to it. */
void string_list_add_new(struct string_list *list, const char *string);

/* In order of bytes, for qsort() and bsearch() over the items of a list. */
int string_list_order(const void *left, const void *right);

#endif
