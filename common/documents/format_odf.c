/* OpenDocument (ISO/IEC 26300): texts, sheets and presentations, all in content.xml. Notes are put
 * in brackets where they are referenced; comments and removed text are left out. Runs in a child
 * process that exits afterwards, so nothing is freed. */
#include "documents/package.h"
#include "documents/paragraphs.h"
#include "documents/sheet.h"
#include "documents/table.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_MOST = 1000, BLANKS_MOST = 100, REPEATED_MOST = 1000, CELL_MOST = 32768 };

struct odf {
    FILE *out;
    struct paragraphs *text;
    bool is_sheets; /* tables are sheets */
    int skipped;    /* depth of elements that are left out */
    int texts;      /* open paragraphs and headings */
    int level;      /* of the heading; 0 = none */
    int lists, notes;
    bool in_heads, is_title, in_covered;
    /* of sheets */
    struct sheet *sheet;
    size_t row, column, repeated_rows, repeated, columns, rows;
    char *cell;
    size_t length;
};

static bool is_left_out(const char *name)
{
    return strcmp(name, "annotation") == 0 || strcmp(name, "tracked-changes") == 0 ||
           strcmp(name, "note-citation") == 0 || strcmp(name, "notes") == 0 ||
           strcmp(name, "forms") == 0;
}

static void add(struct odf *odf, const char *text)
{
    size_t length = strlen(text);

    if (!odf->is_sheets) {
        paragraphs_text(odf->text, text);
        return;
    }
    if (odf->length + length + 1 >= CELL_MOST)
        return;
    memcpy(odf->cell + odf->length, text, length + 1);
    odf->length += length;
}

static void begin_cell(struct odf *odf, xmlTextReaderPtr reader)
{
    odf->columns = package_count(reader, "table:number-columns-spanned", TABLE_COLUMNS_MAX);
    odf->rows = package_count(reader, "table:number-rows-spanned", ROWS_MOST);
    odf->repeated = package_count(reader, "table:number-columns-repeated", REPEATED_MOST);
    odf->length = 0;
    odf->cell[0] = '\0';
    if (!odf->is_sheets)
        paragraphs_begin_cell(odf->text, odf->columns, odf->rows);
}

static void end_cell(struct odf *odf)
{
    size_t repeated = odf->length ? odf->repeated : 0;

    if (!odf->is_sheets) {
        paragraphs_end_cell(odf->text);
        return;
    }
    for (size_t row = 0; row < odf->repeated_rows && repeated; row++)
        for (size_t i = 0; i < repeated && i < SHEET_COLUMNS_MAX; i++)
            sheet_put(odf->sheet, odf->row + row, odf->column + i, strdup(odf->cell));
    if (repeated && (odf->columns > 1 || odf->rows > 1))
        sheet_merge(odf->sheet, odf->row, odf->column, odf->rows, odf->columns);
    odf->column += odf->repeated;
    odf->length = 0;
}

static void begin_row(struct odf *odf, xmlTextReaderPtr reader)
{
    if (!odf->is_sheets) {
        paragraphs_begin_row(odf->text, odf->in_heads);
        return;
    }
    odf->column = 0;
    odf->repeated_rows = package_count(reader, "table:number-rows-repeated", REPEATED_MOST);
}

static void begin_table(struct odf *odf, xmlTextReaderPtr reader)
{
    char *name = package_attribute(reader, "table:name");

    if (!odf->is_sheets) {
        paragraphs_begin_table(odf->text);
        return;
    }
    odf->sheet = sheet_create();
    odf->row = 0;
    fprintf(odf->out, "# %s\n\n", name ? name : "");
}

static void begin_blanks(struct odf *odf, xmlTextReaderPtr reader)
{
    for (size_t i = package_count(reader, "text:c", BLANKS_MOST); i; i--)
        add(odf, " ");
}

static void begin_in_table(struct odf *odf, xmlTextReaderPtr reader, const char *name)
{
    if (strcmp(name, "table") == 0)
        begin_table(odf, reader);
    else if (strcmp(name, "table-header-rows") == 0)
        odf->in_heads = true;
    else if (strcmp(name, "table-row") == 0)
        begin_row(odf, reader);
    else if (strcmp(name, "table-cell") == 0)
        begin_cell(odf, reader);
    else if (strcmp(name, "covered-table-cell") == 0 && odf->is_sheets)
        odf->column += package_count(reader, "table:number-columns-repeated", REPEATED_MOST);
}

static void begin(void *context, xmlTextReaderPtr reader, const char *name)
{
    struct odf *odf = context;
    char *class;

    if (is_left_out(name) || odf->skipped)
        odf->skipped++;
    if (odf->skipped)
        return;
    if (strcmp(name, "spreadsheet") == 0) {
        odf->is_sheets = true;
    } else if (strcmp(name, "h") == 0 || strcmp(name, "p") == 0) {
        if (odf->texts++ == 0)
            odf->level = *name == 'h'
                             ? (int)package_count(reader, "text:outline-level", TABLE_COLUMNS_MAX)
                             : 0;
    } else if (strcmp(name, "list") == 0) {
        odf->lists++;
    } else if (strcmp(name, "note") == 0) {
        odf->notes++;
        add(odf, " (");
    } else if (strcmp(name, "s") == 0) {
        begin_blanks(odf, reader);
    } else if (strcmp(name, "tab") == 0) {
        add(odf, "\t");
    } else if (strcmp(name, "line-break") == 0) {
        add(odf, "\n");
    } else if (strcmp(name, "frame") == 0) {
        class = package_attribute(reader, "presentation:class");
        odf->is_title = class && strcmp(class, "title") == 0;
    } else {
        begin_in_table(odf, reader, name);
    }
}

static void end_text(struct odf *odf)
{
    if (odf->texts)
        odf->texts--;
    if (odf->is_sheets && odf->length)
        add(odf, " ");
    else if (!odf->is_sheets && !odf->notes && !odf->texts)
        paragraphs_end(odf->text, odf->is_title ? 1 : odf->level, odf->lists > 0);
}

static void end_table(struct odf *odf)
{
    if (odf->is_sheets)
        sheet_write(odf->sheet, odf->out);
    else
        paragraphs_end_table(odf->text);
}

static void end(void *context, const char *name)
{
    struct odf *odf = context;

    if (odf->skipped) {
        odf->skipped--;
        return;
    }
    if (strcmp(name, "h") == 0 || strcmp(name, "p") == 0) {
        end_text(odf);
    } else if (strcmp(name, "list") == 0 && odf->lists) {
        odf->lists--;
    } else if (strcmp(name, "note") == 0 && odf->notes) {
        odf->notes--;
        add(odf, ")");
    } else if (strcmp(name, "frame") == 0) {
        odf->is_title = false;
    } else if (strcmp(name, "table") == 0) {
        end_table(odf);
    } else if (strcmp(name, "table-header-rows") == 0) {
        odf->in_heads = false;
    } else if (strcmp(name, "table-row") == 0) {
        odf->row += odf->repeated_rows;
    } else if (strcmp(name, "table-cell") == 0) {
        end_cell(odf);
    } else if (strcmp(name, "page") == 0) {
        fputc('\f', odf->out);
    }
}

static void on_text(void *context, const char *text)
{
    struct odf *odf = context;

    if (!odf->skipped && odf->texts)
        add(odf, text);
}

enum format_result format_read_odf(const char *path, int64_t most, FILE *out)
{
    struct package package;
    struct odf odf = {.out = out, .cell = malloc(CELL_MOST), .text = paragraphs_create(out)};
    const struct package_events events = {begin, end, on_text, &odf};
    xmlTextReaderPtr reader;

    if (!odf.cell || package_open(path, most, &package) != FORMAT_READ)
        /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the process ends with this call */
        return FORMAT_DAMAGED;
    reader = package_reader(&package, "content.xml", true);
    if (!reader)
        /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the process ends with this call */
        return package.result;
    return package_walk(reader, &events) && fflush(out) == 0 ? FORMAT_READ : FORMAT_DAMAGED;
}
