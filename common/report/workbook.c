/* Writes worksheets as an XLSX file. libxlsxwriter can only write files, so it writes a temporary
 * one. */
#include "base/text.h"
#include "report/csv.h"
#include "report/worksheet.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xlsxwriter.h>

enum { COLUMN_WIDTH = 22, PIECE = 65536 };

/* The text for a cell: formulas escaped, and cut to the maximum length. */
static const char *cell_text(struct arena *arena, const char *text)
{
    size_t length = 0, characters = 0, left = strlen(text);
    bool guarded = csv_is_formula(text);

    while (left > length && characters < WORKSHEET_CELL_CHARACTERS_MAX) {
        size_t size = utf8_sequence_length(text + length, left - length);

        length += size ? size : 1;
        characters++;
    }
    if (!guarded && length == left)
        return text;
    return arena_print(arena, "%s%.*s%s", guarded ? "'" : "", (int)length, text,
                       length < left ? "\xE2\x80\xA6" : "");
}

static lxw_error fill_sheet(lxw_workbook *book, lxw_format *bold, const struct worksheet *sheet,
                            bool right_to_left)
{
    lxw_worksheet *page = workbook_add_worksheet(book, sheet->name);
    lxw_row_t row = 0;
    lxw_col_t column = 0;
    lxw_error error = page ? LXW_NO_ERROR : LXW_ERROR_SHEETNAME_ALREADY_USED;

    if (page && right_to_left)
        worksheet_right_to_left(page);
    if (page)
        worksheet_set_column(page, 0, 8, COLUMN_WIDTH, NULL);
    for (size_t i = 0; i < sheet->count && !error; i++) {
        const struct cell *cell = &sheet->cells[i];
        lxw_format *format = cell->bold ? bold : NULL;

        if (cell->kind == CELL_END_OF_ROW) {
            row++, column = 0;
            continue;
        }
        if (cell->kind == CELL_NUMBER)
            error = worksheet_write_number(page, row, column, cell->number, format);
        else if (cell->kind == CELL_TEXT)
            error = worksheet_write_string(page, row, column, cell->text, format);
        column++;
    }
    return error;
}

static bool read_back(int file, struct text *out)
{
    long got;

    do {
        char *room = text_extend(out, PIECE);

        got = room ? read(file, room, PIECE) : -1;
        if (got > 0)
            text_extend_to(out, room + got);
    } while (got > 0);
    return got == 0;
}

/* Completes all cells before the workbook is opened: a jump out of an exhausted arena would leak an
 * open workbook. */
static void prepare(const struct worksheet *sheets, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < sheets[i].count; j++)
            if (sheets[i].cells[j].kind == CELL_TEXT)
                sheets[i].cells[j].text = cell_text(sheets[i].arena, sheets[i].cells[j].text);
}

/* NOLINTNEXTLINE(readability-non-const-parameter): the library's option is not const */
static lxw_error write_file(const char *path, char *folder, const struct worksheet *sheets,
                            size_t count, bool right_to_left)
{
    lxw_workbook_options options = {.constant_memory = LXW_FALSE, .tmpdir = folder};
    lxw_workbook *book = workbook_new_opt(path, &options);
    lxw_error error = LXW_NO_ERROR, closed;
    lxw_format *bold;

    if (!book)
        return LXW_ERROR_MEMORY_MALLOC_FAILED;
    bold = workbook_add_format(book);
    format_set_bold(bold);
    for (size_t i = 0; i < count && !error; i++)
        error = fill_sheet(book, bold, &sheets[i], right_to_left);
    closed = workbook_close(book);
    return error ? error : closed;
}

enum error workbook_write(const struct worksheet *sheets, size_t count, bool right_to_left,
                          struct text *out, struct problem *problem)
{
    const char *folder = getenv("TMPDIR");
    struct arena *arena = out->arena;
    char *path = arena_print(arena, "%s/report-XXXXXX", folder ? folder : "/tmp");
    lxw_error error;
    bool whole;
    int file;

    prepare(sheets, count);
    file = mkstemp(path);
    if (file < 0)
        return problem_set(problem, ERROR_SYSTEM, "no_temporary_file",
                           "a report cannot be written: no temporary file");
    error = write_file(path, (char *)(folder ? folder : "/tmp"), sheets, count, right_to_left);
    close(file);
    file = open(path, O_RDONLY | O_CLOEXEC); /* the library recreates the file */
    unlink(path);
    whole = file >= 0 && read_back(file, out);
    if (file >= 0)
        close(file);
    if (error || !whole || out->overflowed)
        return problem_set(problem, ERROR_SYSTEM, "workbook_failed",
                           "the workbook cannot be written: %s", lxw_strerror(error));
    return ERROR_NONE;
}
