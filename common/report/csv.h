/* Comma-separated values (RFC 4180), safe to open in a spreadsheet. */
#ifndef ASSAY_REPORT_CSV_H
#define ASSAY_REPORT_CSV_H

#include "base/text.h"

/* Appends one cell, quoted if needed, with a comma before it unless it is the first of its line.
 * Text that a spreadsheet would interpret as a formula (it begins with = + - @, tab or carriage
 * return) gets an apostrophe. NULL is an empty cell. */
void csv_append_cell(struct text *out, bool first, const char *value);

/* Whether a spreadsheet would interpret the text as a formula. */
bool csv_is_formula(const char *value);

/* Ends the line. */
void csv_end_line(struct text *out);

#endif
