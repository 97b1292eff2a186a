/*
 * A report document: a list of blocks that is built once and written as Markdown, HTML or PDF.
 * Texts live as long as the arena. The size of a document's text is limited.
 */
#ifndef ASSAY_REPORT_DOCUMENT_H
#define ASSAY_REPORT_DOCUMENT_H

#include "base/error.h"
#include "report/drawing.h"

enum block_kind {
    BLOCK_HEADING,
    BLOCK_TEXT,
    BLOCK_LIST,   /* texts; the document's text `none` when there are none */
    BLOCK_FACTS,  /* label, value, label, value... */
    BLOCK_CARDS,  /* the same, as large numbers */
    BLOCK_TABLE,  /* a head and rows of `columns` cells */
    BLOCK_NOTICE, /* a severity and a text */
    BLOCK_CHART,
    BLOCK_PAGE /* the next block begins on a new page, in formats with pages */
};

struct block {
    enum block_kind kind;
    int level; /* of headings: 1 = section, 2 = subsection */
    size_t columns;
    struct string_list texts;
    const struct drawing *drawing;
};

struct report_document {
    struct arena *arena;
    const char *language; /* its language tag */
    bool right_to_left;
    const char *title;
    const char *subtitle; /* or NULL */
    const char *mark;     /* the owner, in the footer of pages */
    const char *none;     /* the text of an empty list */
    const char *contents; /* title of the table of contents */
    const char *page;     /* "{{page}} / {{pages}}" */
    const char *link;     /* of HTML: where a button above the report leads, NULL = no button */
    const char *link_title;
    struct block *blocks;
    size_t count;
};

void document_start(struct report_document *document, struct arena *arena);
void document_heading(struct report_document *document, int level, const char *text);
void document_text(struct report_document *document, const char *text);
void document_bullets(struct report_document *document, const struct string_list *texts);
void document_notice(struct report_document *document, const char *severity, const char *text);
void document_chart(struct report_document *document, const struct drawing *drawing);
void document_page(struct report_document *document);

/* Facts and cards grow by pairs, tables by cells; document_begin() begins a new block. */
void document_begin(struct report_document *document, enum block_kind kind, size_t columns);
void document_add(struct report_document *document, const char *text);
void document_fact(struct report_document *document, const char *label, const char *value);

void document_write_markdown(const struct report_document *document, struct text *out);
void document_write_html(const struct report_document *document, struct text *out);

/* The style element of the HTML, for a content policy that names it by its hash. */
extern const char document_html_style[];

struct report_limits {
    int64_t pages;
    int64_t text_bytes;
    int64_t seconds;
};

/* Appends the PDF to `out`. ERROR_TOO_LARGE with report_too_large when the text or the number of
 * pages exceeds the limit, report_too_slow when the layout takes too long. */
MUST_CHECK enum error document_write_pdf(const struct report_document *document,
                                         const struct report_limits *limits, struct text *out,
                                         struct problem *problem);

#endif
