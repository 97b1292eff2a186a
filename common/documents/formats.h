/*
 * Private to common/documents: formats that libraries parse; call them only in a confined child
 * process. Each writes plain text with Markdown's headings and list items to `out`.
 */
#ifndef ASSAY_DOCUMENTS_FORMATS_H
#define ASSAY_DOCUMENTS_FORMATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Also the exit code of the child process. */
enum format_result {
    FORMAT_READ,
    FORMAT_DAMAGED,
    FORMAT_TOO_LARGE = 4,
    FORMAT_TOO_MANY_ATTRIBUTES = 5,
    FORMAT_CHARSET = 16 /* plus the enum charset_result */
};

/* `in`: the words of pages as positioned_read() takes them. */
enum format_result format_read_words(FILE *in, FILE *out, bool is_scan);

enum format_result format_read_html(const char *path, FILE *out);

/* The same of bytes in memory, which are changed. */
enum format_result format_write_html(char *bytes, size_t length, FILE *out);

/* Workbooks: a heading for each visible sheet, and its tables and lines. */
enum format_result format_read_xlsx(const char *path, int64_t most, FILE *out);

/* Presentations: a form feed after each slide. */
enum format_result format_read_pptx(const char *path, int64_t most, FILE *out);

/* OpenDocument: texts, sheets, and presentations with a form feed after each page. */
enum format_result format_read_odf(const char *path, int64_t most, FILE *out);

/* The chapters of a book. */
enum format_result format_read_epub(const char *path, int64_t most, FILE *out);

/* An e-mail: subject, people, date, names of attachments, text. */
enum format_result format_read_eml(const char *path, FILE *out);

/* `most` limits the size of the unpacked document in bytes. */
enum format_result format_read_docx(const char *path, int64_t most, FILE *out);

#endif
