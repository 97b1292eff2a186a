/*
 * Private to common/documents: the text of pages from the positions of their words. Columns are
 * read one after the other, tables become Markdown tables, fields of forms become `field: value`,
 * lines that repeat at the edges of pages and page numbers are left out.
 */
#ifndef ASSAY_DOCUMENTS_LAYOUT_H
#define ASSAY_DOCUMENTS_LAYOUT_H

#include "documents/positioned.h"

/* Writes the pages with a form feed after each. */
void layout_write(struct word_pages *pages, FILE *out);

#endif
