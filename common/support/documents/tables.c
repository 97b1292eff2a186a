/* Recognizes the rows of a Markdown table, and its header. Does not depend on documents. */
#include "support/documents/tables.h"

#include <string.h>

bool table_is_row(const char *line, size_t length)
{
    const char *bar = length > 2 ? memchr(line, '|', length) : NULL;

    return bar && memchr(bar + 1, '|', (size_t)(line + length - bar - 1));
}

bool table_is_rule(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (!strchr("|-: \t\r\n", line[i]))
            return false;
    }
    return length > 0;
}
