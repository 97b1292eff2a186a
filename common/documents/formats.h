/*
 * Private to common/documents: formats that are parsed by libraries, to be called in a
 * confined child only. Each writes plain text with Markdown's headings and list items to `out`.
 */
#ifndef ASSAY_DOCUMENTS_FORMATS_H
#define ASSAY_DOCUMENTS_FORMATS_H

#include <stdint.h>
#include <stdio.h>

/* Also the exit code of the child. */
enum format_result {
    FORMAT_READ,
    FORMAT_DAMAGED,
    FORMAT_TOO_LARGE = 4,
    FORMAT_TOO_MANY_ATTRIBUTES = 5,
    FORMAT_CHARSET = 16 /* and the enum charset_result */
};

enum format_result format_read_html(const char *path, FILE *out);

/* `most` bounds the unpacked document. */
enum format_result format_read_docx(const char *path, int64_t most, FILE *out);

#endif
