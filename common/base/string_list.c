/* Lists of strings, searched linearly. */
#include "base/string_list.h"

#include <string.h>

bool string_list_has(const struct string_list *list, const char *string)
{
    for (size_t i = 0; string && i < list->count; i++)
        if (strcmp(list->items[i], string) == 0)
            return true;
    return false;
}

void string_list_add_new(struct string_list *list, const char *string)
{
    if (!string_list_has(list, string))
        list->items[list->count++] = string;
}

int string_list_order(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}
