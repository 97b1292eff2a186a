/*
 * Pages of a PDF being filled from top to bottom, by cairo and pango. Private to
 * common/report/pdf_*.c.
 */
#ifndef ASSAY_REPORT_PDF_PAPER_H
#define ASSAY_REPORT_PDF_PAPER_H

#include "report/folio.h"

#include <cairo-pdf.h>
#include <pango/pangocairo.h>

enum { PAPER_HEADINGS_MAX = 200, PAPER_COLUMNS_MAX = 12 };

#define PAPER_WIDTH 595.28
#define PAPER_HEIGHT 841.89
#define PAPER_MARGIN 47.0
#define PAPER_TOP 62.0
#define PAPER_BOTTOM (PAPER_HEIGHT - 60.0)
#define PAPER_INNER (PAPER_WIDTH - 2 * PAPER_MARGIN)

/* Where a heading came to stand. */
struct paper_heading {
    const char *text;
    int level;
    int page;
    double y;
};

struct paper {
    const struct folio *document;
    const struct folio_limits *limits;
    int64_t deadline;
    cairo_surface_t *surface;
    cairo_t *cairo;
    PangoContext *context;
    double y;
    int page;  /* the current one, from 1 on */
    int pages; /* as many as an earlier pass came to; 0 = not known yet */
    bool full; /* too many pages, or too late: nothing more is laid out */
    bool late;
    struct paper_heading headings[PAPER_HEADINGS_MAX];
    size_t heading_count;
};

struct paper_font {
    double size;
    bool bold;
    enum colour colour;
};

/* Text laid out in `width` points; the caller gives it back by g_object_unref(). */
PangoLayout *paper_layout(struct paper *paper, const char *text, const struct paper_font *font,
                          double width);

/* Its size in points. */
void paper_measure(PangoLayout *layout, double *width, double *height);

void paper_colour(struct paper *paper, enum colour colour);
void paper_end_page(struct paper *paper);
void paper_new_page(struct paper *paper);

/* Begins a page when less than `height` is left. */
void paper_need(struct paper *paper, double height);

/* Marks what is drawn between the two for screen readers; not over the end of a page. */
void paper_begin(struct paper *paper, const char *tag);
void paper_end(struct paper *paper, const char *tag);

/* A paragraph over as many pages as it takes. */
void paper_paragraph(struct paper *paper, const char *text, const struct paper_font *font,
                     double indent, const char *tag);
void paper_rule(struct paper *paper, double x, double y, double width);

void paper_table(struct paper *paper, const struct block *block);
void paper_drawing(struct paper *paper, const struct drawing *drawing);

#endif
