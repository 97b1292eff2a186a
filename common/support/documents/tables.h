/*
 * Rows of tables in a text, as Markdown writes them: lines with two bars at least, of which the
 * first is the head and the second may be a rule.
 */
#ifndef ASSAY_SUPPORT_DOCUMENTS_TABLES_H
#define ASSAY_SUPPORT_DOCUMENTS_TABLES_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a line is a row; the rule is one as well. */
bool table_is_row(const char *line, size_t length);

/* "|---|:--:|" */
bool table_is_rule(const char *line, size_t length);

#endif
