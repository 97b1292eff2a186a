/*
 * Fills the pages of a PDF from top to bottom, with cairo and pango. Private to
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

/* The position of a heading. */
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
    int page;  /* the current page, from 1 */
    int pages; /* page count of an earlier pass; 0 = not known yet */
    bool full; /* too many pages or too late: no further layout */
    bool late;
    struct pdf_heading headings[PAGE_HEADINGS_MAX];
    size_t heading_count;
};

struct pdf_font {
    double size;
    bool bold;
    enum colour colour;
};

/* Lays out text in `width` points; the caller releases it by g_object_unref(). */
PangoLayout *pdf_layout(struct pdf *pdf, const char *text, const struct pdf_font *font,
                        double width);

/* Its size in points. */
void pdf_measure(PangoLayout *layout, double *width, double *height);

void pdf_colour(struct pdf *pdf, enum colour colour);
void pdf_end_page(struct pdf *pdf);
void pdf_new_page(struct pdf *pdf);

/* Begins a new page when less than `height` is left. */
void pdf_need(struct pdf *pdf, double height);

/* Tags the content drawn between the two for screen readers; must not span pages. */
void pdf_begin(struct pdf *pdf, const char *tag);
void pdf_end(struct pdf *pdf, const char *tag);

/* Draws a paragraph over as many pages as needed. */
void pdf_paragraph(struct pdf *pdf, const char *text, const struct pdf_font *font, double indent,
                   const char *tag);
void pdf_rule(struct pdf *pdf, double x, double y, double width);

void pdf_table(struct pdf *pdf, const struct block *block);
void pdf_drawing(struct pdf *pdf, const struct drawing *drawing);

#endif
