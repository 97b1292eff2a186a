/* Writes comma-separated values, one cell at a time. */
#include "report/csv.h"

#include <string.h>

bool csv_is_formula(const char *value)
{
    return *value && strchr("=+-@\t\r", *value);
}

void csv_append_cell(struct text *out, bool first, const char *value)
{
    bool quoted;

    if (!first)
        text_append_byte(out, ',');
    if (!value || !*value)
        return;
    quoted = strpbrk(value, ",\"\r\n") != NULL;
    if (quoted)
        text_append_byte(out, '"');
    if (csv_is_formula(value))
        text_append_byte(out, '\'');
    for (const char *p = value; *p; p++) {
        if (*p == '"')
            text_append_byte(out, '"');
        text_append_byte(out, *p);
    }
    if (quoted)
        text_append_byte(out, '"');
}

void csv_end_line(struct text *out)
{
    text_append(out, "\r\n", 2);
}
