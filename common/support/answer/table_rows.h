/*
 * Table rows as quotes: which rows of a table answer a question, and how they are shown. A question
 * about one thing gets its row, a list or a comparison gets the rows of everything it names, or
 * all.
 */
#ifndef ASSAY_SUPPORT_ANSWER_TABLE_ROWS_H
#define ASSAY_SUPPORT_ANSWER_TABLE_ROWS_H

#include "base/text.h"
#include "support/answer/select.h"
#include "support/questions/asks.h"

enum { TABLE_ROWS_MAX = 12 };

/* Whether a passage is a row below the head of its table. */
bool table_rows_is_row(const struct passage *passage);

/* Whether two rows belong to the same table. */
bool table_rows_are_of_one(const struct selected *a, const struct selected *b);

/* Puts rows in the place of the selection where a table answers. */
void table_rows_select(const struct question *question, struct arena *arena,
                       const struct asks *asks, const struct found_chunk *chunks, size_t count,
                       struct selection *selection);

/* Writes a Markdown table of `count` rows of one table, each with its marker at the end. */
void table_rows_write(struct text *text, struct arena *arena, const struct selected *rows,
                      size_t count, int number);

#endif
