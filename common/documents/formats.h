/*
 * Private to common/documents: formats that are parsed by libraries, to be called in a
 * confined child only. Each writes plain text with Markdown's headings and list items to `out` and
 * says whether it could.
 */
#ifndef ASSAY_DOCUMENTS_FORMATS_H
#define ASSAY_DOCUMENTS_FORMATS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

bool format_read_html(const char *path, FILE *out);

/* `most` bounds the unpacked document. */
bool format_read_docx(const char *path, int64_t most, FILE *out);

#endif
