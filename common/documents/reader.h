/*
 * Extracts the text of a document. This process reads plain formats (txt, md, json, csv). A child
 * process, confined and limited in memory, time and output, reads HTML, office formats, books and
 * e-mails; pdftotext reads PDF as a child process under the same limits, and another one finds
 * columns, tables and forms by the positions of the words. A crash of a child does not affect this
 * process.
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
    FILE_XLSX,
    FILE_PPTX,
    FILE_ODT,
    FILE_ODS,
    FILE_ODP,
    FILE_EPUB,
    FILE_EML,
    FILE_PDF,
    FILE_PNG,
    FILE_JPEG,
    FILE_TIFF,
    FILE_WEBP,
    FILE_TYPE__MAX
};
extern const char *const file_type_names[FILE_TYPE__MAX]; /* "txt"; "" for the first */

/* The type by the extension, without regard to case; .htm is HTML, .jpg JPEG, .tif TIFF. */
enum file_type file_type_of(const char *name);

/* Whether it is a picture of one page or, as TIFF, of several. */
bool file_is_image(enum file_type type);

/* The part that a zip of this type has; NULL when the type is no zip. */
const char *file_main_part(enum file_type type);

/* Whether the type needs a child process, which a confined worker cannot start. */
bool file_type_needs_child(enum file_type type);

enum { READER_UNPACKED_FACTOR = 4 /* factor of text_bytes for the unpacked size of a zip */ };

struct reader_limits {
    int64_t memory_bytes; /* of a child process */
    int64_t seconds;      /* of its CPU time; twice as much in real time */
    int64_t text_bytes;   /* of the extracted text */
};

/* How pages that are pictures are read, in documents and as images. */
struct reader_scans {
    struct reader_limits page; /* of each process that reads a page */
    int64_t pixels;            /* of the longer side of the picture of a page */
    int64_t pages;             /* so many of one document at most */
    const char *folder;        /* keeps the pages that have been read; NULL = none */
    const char *key;           /* of the document's content, in the names of these files */
    void (*progress)(void *context, int page, int count); /* before each page; may be NULL */
    void *context;
};

struct page {
    const char *text; /* valid UTF-8; the only control characters are line feeds and tabs */
    size_t length;
    int number; /* counted from 1; 0 where the format has no pages */
};

struct reading_result {
    struct page *pages; /* pages with text */
    size_t count;
    int page_count;             /* pages with and without text; 0 where the format has none */
    int scanned;                /* pages that are pictures and were read */
    int unread;                 /* pages that are pictures and were not read */
    const char *unread_because; /* NULL when there are none */
};

/* Reads the file. All memory is the arena's. `work_folder` holds temporary files of the child.
 * `scans` = NULL: pages that are pictures have no text.
 * ERROR_MALFORMED `unreadable_file`, ERROR_TOO_LARGE `text_too_large`, ERROR_UNAVAILABLE
 * `no_reader` when a child process is needed and cannot be started, ERROR_SYSTEM
 * `file_not_read`. */
MUST_CHECK enum error reader_read(struct arena *arena, const char *path, enum file_type type,
                                  const struct reader_limits *limits, const char *work_folder,
                                  const struct reader_scans *scans, struct reading_result *result,
                                  struct problem *problem);

/* Deletes the pages that are kept of a document with so many. */
void reader_forget_scans(const struct reader_scans *scans, int pages);

/* Deletes the pages in that folder that were kept before that time: of documents that were never
 * stored. */
void reader_forget_old_scans(const char *folder, int64_t before);

/* Whether the first bytes of a file match its type. */
bool file_has_type_of(enum file_type type, const char *bytes, size_t length);

#endif
