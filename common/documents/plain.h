/* Private to common/documents: formats that are text already. */
#ifndef ASSAY_DOCUMENTS_PLAIN_H
#define ASSAY_DOCUMENTS_PLAIN_H

#include "documents/reader.h"

/* Cleans the bytes and adds them as a page unless they are blank; the result has room for it. */
void plain_add_page(struct arena *arena, struct reading_result *result, const char *bytes,
                    size_t length, int number);

/* The pages of a text: rows of CSV, items of a JSON list, else one page. */
void plain_read(struct arena *arena, enum file_type type, const char *bytes, size_t length,
                struct reading_result *result);

#endif
