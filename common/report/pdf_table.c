/* Tables in a PDF: widths by content, rows that break over pages, the head repeated on each page.
 */
#include "base/clock.h"
#include "report/pdf_writer.h"

#include <math.h>
#include <string.h>

#define PADDING 5.0
#define NARROWEST 42.0
#define WIDEST 260.0
#define LINE_MIN 12.0

enum { ROWS_MEASURED = 60, WORD_MAX = 48 };

struct table {
    struct pdf *pdf;
    const struct block *block;
    size_t columns;
    bool has_head; /* else the first column is the head */
    double widths[PAGE_COLUMNS_MAX];
    double places[PAGE_COLUMNS_MAX];
};

/* A row being drawn, with the lines of each cell that are not drawn yet. */
struct row {
    PangoLayout *cells[PAGE_COLUMNS_MAX];
    int next[PAGE_COLUMNS_MAX];
    bool head;
};

static const struct pdf_font head_font = {8.5, true, COLOUR_INK};
static const struct pdf_font cell_font = {8.5, false, COLOUR_INK};

static const struct pdf_font *font_of(const struct table *table, size_t row, size_t column)
{
    return (table->has_head ? row : column) == 0 ? &head_font : &cell_font;
}

static double natural_width(struct table *table, size_t column)
{
    size_t rows = table->block->texts.count / table->columns;
    double most = NARROWEST;

    for (size_t i = 0; i < rows && i < ROWS_MEASURED; i++) {
        const char *text = table->block->texts.items[i * table->columns + column];
        PangoLayout *layout = pdf_layout(table->pdf, text, font_of(table, i, column), -1);
        double width, height;

        pdf_measure(layout, &width, &height);
        most = fmax(most, fmin(width + 2 * PADDING, WIDEST));
        g_object_unref(layout);
    }
    return most;
}

static double text_width(struct table *table, const char *text, const struct pdf_font *font)
{
    PangoLayout *layout = pdf_layout(table->pdf, text, font, -1);
    double width, height;

    pdf_measure(layout, &width, &height);
    g_object_unref(layout);
    return width;
}

/* The longest word of a text, by bytes; those that nobody would keep whole do not count. */
static void longest_word(const char *text, char word[WORD_MAX + 1])
{
    size_t longest = 0;

    word[0] = '\0';
    while (*text) {
        size_t length = strcspn(text, " \n\t");

        if (length > longest && length <= WORD_MAX) {
            longest = length;
            memcpy(word, text, length);
            word[length] = '\0';
        }
        text += length + (text[length] != '\0');
    }
}

/* What a column needs so that no word is broken. */
static double word_width(struct table *table, size_t column)
{
    size_t rows = table->block->texts.count / table->columns;
    double most = 0;

    for (size_t i = 0; i < rows && i < ROWS_MEASURED; i++) {
        char word[WORD_MAX + 1];

        longest_word(table->block->texts.items[i * table->columns + column], word);
        most = fmax(most, text_width(table, word, font_of(table, i, column)) + 2 * PADDING + 1);
    }
    return most;
}

/* Shares the page by content; where the words of all columns fit, each column takes at least its
 * own. */
static void share_width(struct table *table)
{
    double sum = 0, words = 0, least[PAGE_COLUMNS_MAX], spare = 0;

    for (size_t i = 0; i < table->columns; i++) {
        sum += table->widths[i] = natural_width(table, i);
        words += least[i] = word_width(table, i);
    }
    for (size_t i = 0; i < table->columns; i++) {
        table->widths[i] *= PAGE_INNER / sum;
        spare += fmax(0, table->widths[i] - least[i]);
    }
    for (size_t i = 0; words <= PAGE_INNER && i < table->columns; i++) {
        double more = fmax(0, table->widths[i] - least[i]);

        table->widths[i] = least[i] + (spare > 0 ? more / spare * (PAGE_INNER - words) : 0);
    }
}

static void set_widths(struct table *table)
{
    double at = PAGE_MARGIN;

    share_width(table);
    for (size_t i = 0; i < table->columns; i++) {
        table->places[i] =
            table->pdf->document->right_to_left ? PAGE_WIDTH - at - table->widths[i] : at;
        at += table->widths[i];
    }
}

/* Draws the lines of one cell that fit above `end`, from the pdf's y on; returns the y after
 * them. */
static double draw_cell(struct table *table, struct row *row, size_t column, double end)
{
    cairo_t *cairo = table->pdf->cairo;
    PangoLayout *layout = row->cells[column];
    double y = table->pdf->y + PADDING;
    int lines = pango_layout_get_line_count(layout);

    pdf_colour(table->pdf, COLOUR_INK);
    while (row->next[column] < lines) {
        PangoLayoutLine *line = pango_layout_get_line_readonly(layout, row->next[column]);
        PangoRectangle extents;
        double height, free_space;
        bool to_right;

        pango_layout_line_get_extents(line, NULL, &extents);
        height = (double)extents.height / PANGO_SCALE;
        if (y + height > end)
            break;
        to_right = table->pdf->document->right_to_left;
        free_space = table->widths[column] - 2 * PADDING - (double)extents.width / PANGO_SCALE;
        cairo_move_to(cairo, table->places[column] + PADDING + (to_right ? free_space : 0),
                      y - (double)extents.y / PANGO_SCALE);
        pango_cairo_show_layout_line(cairo, line);
        y += height;
        row->next[column]++;
    }
    return y + PADDING;
}

static bool is_done(const struct table *table, const struct row *row)
{
    for (size_t i = 0; i < table->columns; i++)
        if (row->next[i] < pango_layout_get_line_count(row->cells[i]))
            return false;
    return true;
}

static void shade_head(struct table *table, double height)
{
    pdf_colour(table->pdf, COLOUR_RULE);
    cairo_rectangle(table->pdf->cairo, PAGE_MARGIN, table->pdf->y, PAGE_INNER, height);
    cairo_fill(table->pdf->cairo);
}

static double whole_height(const struct table *table, const struct row *row)
{
    double most = 0, width, height;

    for (size_t i = 0; i < table->columns; i++) {
        pdf_measure(row->cells[i], &width, &height);
        most = fmax(most, height + 2 * PADDING);
    }
    return most;
}

/* Draws as much of the row as fits on the page. */
static void draw_part(struct table *table, struct row *row)
{
    struct pdf *pdf = table->pdf;
    double end = PAGE_BOTTOM - PADDING, bottom = pdf->y;

    if (row->head)
        shade_head(table, fmin(whole_height(table, row), PAGE_BOTTOM - pdf->y));
    pdf_begin(pdf, "TR");
    for (size_t i = 0; i < table->columns; i++) {
        const char *tag = row->head ? "TH" : "TD";

        pdf_begin(pdf, tag);
        bottom = fmax(bottom, draw_cell(table, row, i, end));
        pdf_end(pdf, tag);
    }
    pdf_end(pdf, "TR");
    pdf->y = bottom;
    pdf_rule(pdf, PAGE_MARGIN, pdf->y, PAGE_INNER);
}

static void draw_row(struct table *table, size_t number, bool again);

static void break_table(struct table *table, bool with_head)
{
    pdf_end(table->pdf, "Table");
    pdf_new_page(table->pdf);
    pdf_begin(table->pdf, "Table");
    if (with_head)
        draw_row(table, 0, true);
}

static void draw_row(struct table *table, size_t number, bool again)
{
    struct row row = {.head = table->has_head && number == 0};
    struct pdf *pdf = table->pdf;
    double height;

    for (size_t i = 0; i < table->columns; i++)
        row.cells[i] = pdf_layout(pdf, table->block->texts.items[number * table->columns + i],
                                  font_of(table, number, i), table->widths[i] - 2 * PADDING);
    height = whole_height(table, &row);
    if (!again && pdf->y + height > PAGE_BOTTOM - PADDING &&
        (height < PAGE_HEIGHT / 3 || PAGE_BOTTOM - pdf->y < 4 * LINE_MIN))
        break_table(table, table->has_head && !row.head);
    draw_part(table, &row);
    while (!again && !pdf->full && !is_done(table, &row)) {
        break_table(table, table->has_head && !row.head);
        draw_part(table, &row);
    }
    for (size_t i = 0; i < table->columns; i++)
        g_object_unref(row.cells[i]);
}

void pdf_table(struct pdf *pdf, const struct block *block)
{
    struct table table = {.pdf = pdf,
                          .block = block,
                          .columns = block->columns,
                          .has_head = block->kind == BLOCK_TABLE};

    if (block->columns == 0 || block->columns > PAGE_COLUMNS_MAX)
        return;
    set_widths(&table);
    pdf_need(pdf, 5 * LINE_MIN);
    pdf_begin(pdf, "Table");
    for (size_t i = 0; i < block->texts.count / block->columns && !pdf->full; i++) {
        draw_row(&table, i, false);
        if (clock_monotonic_microseconds() > pdf->deadline)
            pdf->late = pdf->full = true;
    }
    pdf_end(pdf, "Table");
    pdf->y += 10;
}
