/*
 * Private to common/documents: the words of pages with their positions, as `pdftotext -tsv` and
 * `tesseract tsv` write them. Everything lives until the process ends.
 */
#ifndef ASSAY_DOCUMENTS_POSITIONED_H
#define ASSAY_DOCUMENTS_POSITIONED_H

#include "text/word_order.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A word; positions in points or pixels from the top left corner of the page. */
struct word {
    float left, top, right, bottom;
    const char *text; /* UTF-8, letters in reading order */
    int block, line;  /* of the program that wrote it; lines are counted within all blocks */
};

struct word_page {
    struct word *words;
    size_t count;
    float width, height;
    int number; /* counted from 1 */
};

struct word_pages {
    struct word_page *items;
    size_t count;
};

/* Reads to the end. `is_scan`: words in which the program has little confidence are left out, and
 * the words of a skewed page are straightened. */
struct word_pages positioned_read(FILE *in, bool is_scan);

#endif
