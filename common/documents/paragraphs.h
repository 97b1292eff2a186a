/*
 * Private to common/documents: the text of a document whose elements are read one after the other:
 * paragraphs, headings, items of lists and tables. Everything lives until the process ends.
 */
#ifndef ASSAY_DOCUMENTS_PARAGRAPHS_H
#define ASSAY_DOCUMENTS_PARAGRAPHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct paragraphs;

struct paragraphs *paragraphs_create(FILE *out);

/* Adds to the open paragraph. */
void paragraphs_text(struct paragraphs *to, const char *text);

/* Writes the open paragraph; into the cell, if one is open. `heading`: its level, or 0. */
void paragraphs_end(struct paragraphs *to, int heading, bool is_item);

/* Tables in cells become text of these. */
void paragraphs_begin_table(struct paragraphs *to);
void paragraphs_begin_row(struct paragraphs *to, bool is_head);
void paragraphs_begin_cell(struct paragraphs *to, size_t columns, size_t rows);
void paragraphs_end_cell(struct paragraphs *to);
void paragraphs_end_table(struct paragraphs *to);

#endif
