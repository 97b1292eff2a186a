/* Workbooks (ECMA-376 part 1, 18): the values of cells as their number formats show them. Runs in a
 * child process that exits afterwards, so nothing is freed. */
#include "documents/package.h"
#include "documents/sheet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    STYLES_MAX = 65536,
    FORMATS_MAX = 4096,
    TEXT_MOST = 32768,
    SHEETS_MAX = 1024,
    MERGES_MAX = 65536
};

enum number_kind {
    KIND_GENERAL,
    KIND_DECIMALS,
    KIND_PERCENT,
    KIND_DATE,
    KIND_TIME,
    KIND_DATE_TIME
};

struct number_format {
    enum number_kind kind;
    int decimals;
};

struct text_of_cell {
    char *bytes;
    size_t length;
};

struct workbook {
    struct package package;
    struct package_relations *relations;
    struct {
        char *name, *part;
    } sheets[SHEETS_MAX];
    size_t sheet_count;
    char **strings;
    size_t string_count, string_capacity;
    struct {
        long id;
        struct number_format format;
    } own[FORMATS_MAX];
    size_t own_count;
    struct number_format styles[STYLES_MAX];
    size_t style_count;
    bool in_styles, has_old_epoch;
    /* while a part is read */
    struct text_of_cell text;
    bool in_text, in_phonetic;
    struct sheet *sheet;
    size_t row, column, style;
    char type;
    struct {
        size_t row, column, rows, columns;
    } merges[MERGES_MAX];
    size_t merge_count;
};

static void add_text(struct workbook *book, const char *text)
{
    size_t length = strlen(text);

    if (!book->in_text || book->in_phonetic || book->text.length + length >= TEXT_MOST)
        return;
    memcpy(book->text.bytes + book->text.length, text, length + 1);
    book->text.length += length;
}

static void on_text(void *context, const char *text)
{
    add_text(context, text);
}

static void clear_text(struct workbook *book)
{
    book->text.bytes[book->text.length = 0] = '\0';
}

/* -- shared strings ---------------------------------------------------------------------------- */

static void begin_string(void *context, xmlTextReaderPtr reader, const char *name)
{
    struct workbook *book = context;

    (void)reader;
    if (strcmp(name, "si") == 0)
        clear_text(book);
    book->in_phonetic |= strcmp(name, "rPh") == 0;
    book->in_text = strcmp(name, "t") == 0;
}

static void end_string(void *context, const char *name)
{
    struct workbook *book = context;

    if (strcmp(name, "rPh") == 0)
        book->in_phonetic = false;
    book->in_text = false;
    if (strcmp(name, "si") != 0)
        return;
    if (book->string_count == book->string_capacity) {
        book->string_capacity = book->string_capacity ? 2 * book->string_capacity : 256;
        book->strings = realloc(book->strings, book->string_capacity * sizeof *book->strings);
        if (!book->strings)
            abort(); /* a child without memory ends like one killed for it */
    }
    book->strings[book->string_count++] = strdup(book->text.bytes);
}

/* -- number formats ---------------------------------------------------------------------------- */

static struct number_format format_of_code(const char *code)
{
    struct number_format format = {KIND_GENERAL, 0};
    bool date = false, clock = false, quoted = false;

    for (const char *at = code; *at && *at != ';'; at++) {
        if (*at == '"')
            quoted = !quoted;
        if (quoted)
            continue;
        if (*at == '[' && strchr(at, ']')) /* a color, a language, elapsed hours */
            at = strchr(at, ']');
        else if (*at == '\\' && at[1])
            at++;
        else if (*at == '%')
            format.kind = KIND_PERCENT;
        else if (strchr("yYdD", *at))
            date = true;
        else if (strchr("hHsS", *at))
            clock = true;
        else if (*at == '.')
            format.decimals = (int)strspn(at + 1, "0");
        else if (*at == '0' && format.kind == KIND_GENERAL)
            format.kind = KIND_DECIMALS;
    }
    if (date || clock)
        format.kind = !date ? KIND_TIME : clock ? KIND_DATE_TIME : KIND_DATE;
    return format;
}

/* Formats without a code in the file (18.8.30). */
static struct number_format format_of_number(const struct workbook *book, long id)
{
    for (size_t i = 0; i < book->own_count; i++)
        if (book->own[i].id == id)
            return book->own[i].format;
    if (id == 1 || id == 3)
        return (struct number_format){KIND_DECIMALS, 0};
    if (id == 2 || id == 4 || id == 39 || id == 40)
        return (struct number_format){KIND_DECIMALS, 2};
    if (id == 9 || id == 10)
        return (struct number_format){KIND_PERCENT, id == 10 ? 2 : 0};
    if (id >= 14 && id <= 17)
        return (struct number_format){KIND_DATE, 0};
    if ((id >= 18 && id <= 21) || (id >= 45 && id <= 47))
        return (struct number_format){KIND_TIME, 0};
    if (id == 22)
        return (struct number_format){KIND_DATE_TIME, 0};
    return (struct number_format){KIND_GENERAL, 0};
}

static long attribute_number(xmlTextReaderPtr reader, const char *name, long otherwise)
{
    char *text = package_attribute(reader, name);

    return text ? strtol(text, NULL, 10) : otherwise;
}

static void begin_style(void *context, xmlTextReaderPtr reader, const char *name)
{
    struct workbook *book = context;

    if (strcmp(name, "numFmt") == 0 && book->own_count < FORMATS_MAX) {
        char *code = package_attribute(reader, "formatCode");

        book->own[book->own_count].id = attribute_number(reader, "numFmtId", -1);
        book->own[book->own_count++].format = format_of_code(code ? code : "");
    } else if (strcmp(name, "cellXfs") == 0) {
        book->in_styles = true;
    } else if (strcmp(name, "xf") == 0 && book->in_styles && book->style_count < STYLES_MAX) {
        book->styles[book->style_count++] =
            format_of_number(book, attribute_number(reader, "numFmtId", 0));
    }
}

static void end_style(void *context, const char *name)
{
    struct workbook *book = context;

    if (strcmp(name, "cellXfs") == 0)
        book->in_styles = false;
}

/* A day number as a date; days are counted from 1900 or 1904. */
static char *write_date(const struct workbook *book, double days, enum number_kind kind)
{
    long long seconds = llround((days - (book->has_old_epoch ? 24107 : 25569)) * 86400);
    time_t time = (time_t)seconds;
    struct tm parts;
    char text[64];

    if (!(days >= 0 && days < 2958466) || !gmtime_r(&time, &parts))
        return NULL;
    if (!strftime(text, sizeof text,
                  kind == KIND_DATE   ? "%Y-%m-%d"
                  : kind == KIND_TIME ? "%H:%M:%S"
                                      : "%Y-%m-%d %H:%M",
                  &parts))
        return NULL;
    return strdup(text);
}

static char *write_number(const struct workbook *book, const char *text)
{
    struct number_format format =
        book->style < book->style_count ? book->styles[book->style] : (struct number_format){0};
    double value = strtod(text, NULL);
    char shown[400];
    int decimals = format.decimals < 15 ? format.decimals : 15;

    if (format.kind >= KIND_DATE) {
        char *date = write_date(book, value, format.kind);

        return date ? date : strdup(text);
    }
    if (format.kind == KIND_PERCENT)
        (void)!snprintf(shown, sizeof shown, "%.*f%%", decimals, value * 100);
    else if (format.kind == KIND_DECIMALS)
        (void)!snprintf(shown, sizeof shown, "%.*f", decimals, value);
    else
        (void)!snprintf(shown, sizeof shown, "%.15g", value);
    return strdup(shown);
}

/* -- sheets ------------------------------------------------------------------------------------ */

/* "B3" */
static bool read_place(const char *text, size_t *row, size_t *column)
{
    size_t letters = 0;

    *column = *row = 0;
    for (; *text >= 'A' && *text <= 'Z' && letters < 4; text++, letters++)
        *column = *column * 26 + (size_t)(*text - 'A') + 1;
    *row = strtoul(text, NULL, 10);
    if (!letters || !*row)
        return false;
    --*column;
    --*row;
    return true;
}

static void begin_merge(struct workbook *book, xmlTextReaderPtr reader)
{
    char *area = package_attribute(reader, "ref"), *colon = area ? strchr(area, ':') : NULL;
    size_t row, column, last_row, last_column;

    if (!colon || book->merge_count == MERGES_MAX || !read_place(area, &row, &column) ||
        !read_place(colon + 1, &last_row, &last_column) || last_row < row || last_column < column)
        return;
    book->merges[book->merge_count].row = row;
    book->merges[book->merge_count].column = column;
    book->merges[book->merge_count].rows = last_row - row + 1;
    book->merges[book->merge_count++].columns = last_column - column + 1;
}

static void begin_cell(struct workbook *book, xmlTextReaderPtr reader)
{
    char *place = package_attribute(reader, "r"), *type = package_attribute(reader, "t");

    if (!place || !read_place(place, &book->row, &book->column))
        book->column++;
    book->type = !type                    ? 'n'
                 : strcmp(type, "s") == 0 ? 's'
                 : strcmp(type, "b") == 0 ? 'b'
                 : strcmp(type, "n") == 0 ? 'n'
                                          : 't';
    book->style = (size_t)attribute_number(reader, "s", 0);
    clear_text(book);
}

static void begin_in_sheet(void *context, xmlTextReaderPtr reader, const char *name)
{
    struct workbook *book = context;

    book->in_text = strcmp(name, "v") == 0 || strcmp(name, "t") == 0;
    book->in_phonetic |= strcmp(name, "rPh") == 0;
    if (strcmp(name, "c") == 0) {
        begin_cell(book, reader);
    } else if (strcmp(name, "row") == 0) {
        book->row = (size_t)attribute_number(reader, "r", (long)book->row + 2) - 1;
        book->column = SIZE_MAX;
    } else if (strcmp(name, "mergeCell") == 0) {
        begin_merge(book, reader);
    }
}

static void end_in_sheet(void *context, const char *name)
{
    struct workbook *book = context;
    const char *text = book->text.bytes;
    size_t index;

    book->in_text = false;
    if (strcmp(name, "rPh") == 0)
        book->in_phonetic = false;
    if (strcmp(name, "c") != 0 || !book->text.length)
        return;
    index = strtoul(text, NULL, 10);
    if (book->type == 's')
        text = index < book->string_count ? strdup(book->strings[index]) : NULL;
    else if (book->type == 'n')
        text = write_number(book, text);
    else
        text = strdup(book->type == 'b' ? (*text == '1' ? "TRUE" : "FALSE") : text);
    sheet_put(book->sheet, book->row, book->column, (char *)(uintptr_t)text);
    clear_text(book);
}

static bool write_sheet(struct workbook *book, size_t index, FILE *out)
{
    const struct package_events events = {begin_in_sheet, end_in_sheet, on_text, book};
    xmlTextReaderPtr reader = package_reader(&book->package, book->sheets[index].part, false);

    book->sheet = sheet_create();
    book->row = book->column = book->merge_count = 0;
    if (reader && !package_walk(reader, &events))
        return false;
    for (size_t i = 0; i < book->merge_count; i++)
        sheet_merge(book->sheet, book->merges[i].row, book->merges[i].column, book->merges[i].rows,
                    book->merges[i].columns);
    fprintf(out, "# %s\n\n", book->sheets[index].name);
    sheet_write(book->sheet, out);
    return true;
}

/* -- the workbook ------------------------------------------------------------------------------ */

static void begin_in_workbook(void *context, xmlTextReaderPtr reader, const char *name)
{
    struct workbook *book = context;
    char *state, *title;
    const char *part;

    if (strcmp(name, "workbookPr") == 0) {
        state = package_attribute(reader, "date1904");
        book->has_old_epoch = state && (strcmp(state, "1") == 0 || strcmp(state, "true") == 0);
    }
    if (strcmp(name, "sheet") != 0 || book->sheet_count == SHEETS_MAX)
        return;
    state = package_attribute(reader, "state");
    title = package_attribute(reader, "name");
    part = package_target(book->relations, package_attribute(reader, "r:id"));
    if (!title || !part || (state && strcmp(state, "visible") != 0))
        return;
    book->sheets[book->sheet_count].name = title;
    book->sheets[book->sheet_count++].part = strdup(part);
}

static bool read_part(struct workbook *book, const char *name, bool is_needed,
                      const struct package_events *events)
{
    xmlTextReaderPtr reader = package_reader(&book->package, name, is_needed);

    return reader ? package_walk(reader, events) : !is_needed;
}

enum format_result format_read_xlsx(const char *path, int64_t most, FILE *out)
{
    struct workbook *book = calloc(1, sizeof *book);
    const struct package_events workbook = {.begin = begin_in_workbook, .context = book};
    const struct package_events strings = {begin_string, end_string, on_text, book};
    const struct package_events styles = {begin_style, end_style, NULL, book};

    if (!book || !(book->text.bytes = malloc(TEXT_MOST)) ||
        package_open(path, most, &book->package) != FORMAT_READ)
        /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the process ends with this call */
        return FORMAT_DAMAGED;
    clear_text(book);
    book->relations = package_relations_of(&book->package, "xl/workbook.xml");
    if (!read_part(book, "xl/workbook.xml", true, &workbook) ||
        !read_part(book, "xl/sharedStrings.xml", false, &strings) ||
        !read_part(book, "xl/styles.xml", false, &styles))
        return book->package.result == FORMAT_READ ? FORMAT_DAMAGED : book->package.result;
    for (size_t i = 0; i < book->sheet_count; i++)
        if (!write_sheet(book, i, out))
            return FORMAT_DAMAGED;
    return fflush(out) == 0 ? book->package.result : FORMAT_DAMAGED;
}
