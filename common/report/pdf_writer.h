/*
 * Fills the pages of a PDF from top to bottom, by cairo and pango. Private to
 * common/report/pdf_*.c.
 */
#ifndef ASSAY_REPORT_PDF_WRITER_H
#define ASSAY_REPORT_PDF_WRITER_H

#include "report/document.h"

#include <cairo-pdf.h>
#include <pango/pangocairo.h>

enum { PAGE_HEADINGS_MAX = 200, PAGE_COLUMNS_MAX = 12 };

#define PAGE_WIDTH 595.28
#define PAGE_HEIGHT 841.89
#define PAGE_MARGIN 47.0
#define PAGE_TOP 62.0
#define PAGE_BOTTOM (PAGE_HEIGHT - 60.0)
#define PAGE_INNER (PAGE_WIDTH - 2 * PAGE_MARGIN)

/* Where a heading came to stand. */
struct pdf_heading {
    const char *text;
    int level;
    int page;
    double y;
};

struct pdf {
    const struct report_document *document;
    const struct report_limits *limits;
    int64_t deadline;
    cairo_surface_t *surface;
    cairo_t *cairo;
    PangoContext *context;
    double y;
    int page;  /* the current one, from 1 on */
    int pages; /* as many as an earlier pass came to; 0 = not known yet */
    bool full; /* too many pages, or too late: nothing more is laid out */
    bool late;
    struct pdf_heading headings[PAGE_HEADINGS_MAX];
    size_t heading_count;
};

struct pdf_font {
    double size;
    bool bold;
    enum colour colour;
};

/* Text laid out in `width` points; the caller gives it back by g_object_unref(). */
PangoLayout *pdf_layout(struct pdf *pdf, const char *text, const struct pdf_font *font,
                        double width);

/* Its size in points. */
void pdf_measure(PangoLayout *layout, double *width, double *height);

void pdf_colour(struct pdf *pdf, enum colour colour);
void pdf_end_page(struct pdf *pdf);
void pdf_new_page(struct pdf *pdf);

/* Begins a page when less than `height` is left. */
void pdf_need(struct pdf *pdf, double height);

/* Marks what is drawn between the two for screen readers; not over the end of a page. */
void pdf_begin(struct pdf *pdf, const char *tag);
void pdf_end(struct pdf *pdf, const char *tag);

/* A paragraph over as many pages as it takes. */
void pdf_paragraph(struct pdf *pdf, const char *text, const struct pdf_font *font, double indent,
                   const char *tag);
void pdf_rule(struct pdf *pdf, double x, double y, double width);

void pdf_table(struct pdf *pdf, const struct block *block);
void pdf_drawing(struct pdf *pdf, const struct drawing *drawing);

#endif
