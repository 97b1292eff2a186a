/*
 * Table rows in a Markdown text: lines with at least two vertical bars, of which the first is the
 * header and the second may be the delimiter row.
 */
#ifndef ASSAY_SUPPORT_DOCUMENTS_TABLES_H
#define ASSAY_SUPPORT_DOCUMENTS_TABLES_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a line is a row; the delimiter row is one as well. */
bool table_is_row(const char *line, size_t length);

/* "|---|:--:|" */
bool table_is_rule(const char *line, size_t length);

#endif
