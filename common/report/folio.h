/*
 * A report as a list of blocks, made once and written as Markdown, as HTML or as PDF. Texts live as
 * long as the arena. A document has at most so many bytes of text as it is given room for.
 */
#ifndef ASSAY_REPORT_FOLIO_H
#define ASSAY_REPORT_FOLIO_H

#include "base/error.h"
#include "report/drawing.h"

enum block_kind {
    BLOCK_HEADING,
    BLOCK_TEXT,
    BLOCK_LIST,   /* texts; the document's word for nothing when there are none */
    BLOCK_FACTS,  /* label, value, label, value... */
    BLOCK_CARDS,  /* the same, as large figures */
    BLOCK_TABLE,  /* a head and rows of `columns` cells */
    BLOCK_NOTICE, /* a severity and a text */
    BLOCK_CHART,
    BLOCK_PAGE /* what follows begins on a page of its own, where there are pages */
};

struct block {
    enum block_kind kind;
    int level; /* of headings: 1 a section, 2 a part of it */
    size_t columns;
    struct string_list texts;
    const struct drawing *drawing;
};

struct folio {
    struct arena *arena;
    const char *language; /* its tag */
    bool right_to_left;
    const char *title;
    const char *subtitle; /* or NULL */
    const char *mark;     /* whose it is: at the foot of pages */
    const char *none;     /* what stands for an empty list */
    const char *contents; /* what the list of headings is called */
    const char *page;     /* "{{page}} / {{pages}}" */
    struct block *blocks;
    size_t count;
    size_t capacity;
};

void folio_start(struct folio *document, struct arena *arena);
void folio_heading(struct folio *document, int level, const char *text);
void folio_text(struct folio *document, const char *text);
void folio_list(struct folio *document, const struct string_list *texts);
void folio_notice(struct folio *document, const char *severity, const char *text);
void folio_chart(struct folio *document, const struct drawing *drawing);
void folio_page(struct folio *document);

/* Facts and cards grow by pairs, tables by cells; each call of the first begins a new block. */
void folio_begin(struct folio *document, enum block_kind kind, size_t columns);
void folio_add(struct folio *document, const char *text);
void folio_fact(struct folio *document, const char *label, const char *value);

void folio_write_markdown(const struct folio *document, struct text *out);
void folio_write_html(const struct folio *document, struct text *out);

struct folio_limits {
    int64_t pages;
    int64_t text_bytes;
    int64_t seconds;
};

/* Its bytes into `out`. ERROR_TOO_LARGE with report_too_large when it has more text or pages than
 * allowed, report_too_slow when laying it out takes longer. */
MUST_CHECK enum error folio_write_pdf(const struct folio *document,
                                      const struct folio_limits *limits, struct text *out,
                                      struct problem *problem);

#endif
