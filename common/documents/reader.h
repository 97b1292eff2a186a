/*
 * The text of a document. Plain formats (txt, md, json, csv) are read here; HTML and DOCX by a
 * child of this process that is confined and limited in memory, time and output; PDF by pdftotext
 * as a child under the same limits. A child that dies takes nothing with it.
 */
#ifndef ASSAY_DOCUMENTS_READER_H
#define ASSAY_DOCUMENTS_READER_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum file_type {
    FILE_UNKNOWN,
    FILE_TXT,
    FILE_MD,
    FILE_HTML,
    FILE_JSON,
    FILE_CSV,
    FILE_DOCX,
    FILE_PDF,
    FILE_TYPE__MAX
};
extern const char *const file_type_names[FILE_TYPE__MAX]; /* "txt"; "" for the first */

/* By the extension, without regard to case; .htm is HTML. */
enum file_type file_type_of(const char *name);

/* Whether it needs a child process, which a confined worker cannot have. */
bool file_type_needs_child(enum file_type type);

enum { READER_UNPACKED_FACTOR = 4 /* a DOCX may unpack to so many times text_bytes */ };

struct reader_limits {
    int64_t memory_bytes; /* of a child */
    int64_t seconds;      /* of its computing; twice as long by the clock */
    int64_t text_bytes;   /* of the text that comes out */
};

struct page {
    const char *text; /* valid UTF-8 without control characters but line feeds and tabs */
    size_t length;
    int number; /* counted from 1; 0 where the format has no pages */
};

struct reading_result {
    struct page *pages; /* those that hold text */
    size_t count;
    int page_count; /* all of them; 0 where the format has none */
};

/* Reads the file. Everything is the arena's. `work_folder` is where a child may have its temporary
 * files. ERROR_MALFORMED `unreadable_file`, ERROR_TOO_LARGE `text_too_large`, ERROR_UNAVAILABLE
 * `no_reader` when a child is needed and cannot be had, ERROR_SYSTEM `file_not_read`. */
MUST_CHECK enum error reader_read(struct arena *arena, const char *path, enum file_type type,
                                  const struct reader_limits *limits, const char *work_folder,
                                  struct reading_result *result, struct problem *problem);

/* Whether the first bytes of a file fit its type. */
bool file_has_type_of(enum file_type type, const char *bytes, size_t length);

#endif
