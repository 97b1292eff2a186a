/* Escapes text for HTML. */
#ifndef ASSAY_REPORT_HTML_TEXT_H
#define ASSAY_REPORT_HTML_TEXT_H

#include "base/text.h"

/* With & < > " and ' escaped: for the text of elements and for quoted attributes. */
void html_append(struct text *out, const char *text);

#endif
