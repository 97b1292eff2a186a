/*
 * Private to common/documents: pages that are pictures, read by tesseract. Each page has its own
 * child processes and limits: a rasterizer, our own that removes the lines of tables, tesseract
 * with one thread, and our own that finds columns and tables. The script of a page decides which
 * language packs read it.
 */
#ifndef ASSAY_DOCUMENTS_SCANS_H
#define ASSAY_DOCUMENTS_SCANS_H

#include "base/text.h"
#include "documents/reader.h"

struct scan_job {
    struct arena *arena;
    const char *path; /* of the document */
    enum file_type type;
    const struct reader_scans *options;
    const char *work_folder;
    const char *languages; /* packs that are installed, one a line; NULL = not asked yet */
};

/* Why a page was not read. */
enum scan_outcome {
    SCAN_READ,
    SCAN_NO_PROGRAM,  /* tesseract is not installed */
    SCAN_NO_LANGUAGE, /* no language pack for its script */
    SCAN_TOO_LONG,
    SCAN_DAMAGED
};

/* Marks which pages of a PDF, counted from 1, have a picture; other pages without text are blank.
 */
void scan_find_pictures(struct scan_job *job, bool *pages, int count);

/* Reads a page, counted from 1; images have one. `text` is "" when it has no words. For
 * SCAN_NO_LANGUAGE `missing` names the pack. */
enum scan_outcome scan_read_page(struct scan_job *job, int page, struct text *text,
                                 const char **missing);

#endif
