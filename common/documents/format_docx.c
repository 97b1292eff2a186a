/* DOCX to text: the zip's word/document.xml, read element by element. Headings become `#` lines,
 * list paragraphs items with their numbers, tables Markdown, notes are put in brackets after their
 * reference. Entities that the document defines are not expanded, and nothing is fetched. Runs in a
 * child process that exits afterwards. */
#include "documents/docx_parts.h"
#include "documents/formats.h"
#include "documents/markup_limits.h"
#include "documents/table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

enum {
    TEXT_MOST = 1 << 20, /* bytes of one paragraph with those around it, and of a cell */
    ENTRIES_MOST = 20000,
    DEPTH_MOST =
        32 /* of paragraphs in text boxes of paragraphs; deeper ones join their outer one */
};

/* A paragraph that is being read; the content of its text boxes has been written before it. */
struct paragraph {
    size_t start; /* offset in the text */
    int heading;
    bool item;
    long list, level;
};

struct cell {
    char *text; /* NULL = none yet */
    size_t length, capacity, columns;
    bool continued; /* continues the cell above */
};

struct writer {
    FILE *out;
    char *text; /* text of the open paragraphs */
    size_t length;
    struct paragraph open[DEPTH_MOST];
    size_t depth;
    struct table *table; /* the outermost open table; inner tables are text of its cells */
    size_t tables;       /* open tables */
    struct cell cell;
    struct docx_notes *footnotes, *endnotes;
    struct docx_lists *lists;
    struct docx_styles *styles;
    int skipped; /* depth of the elements of an alternative form that is skipped */
};

/* An entry of the zip; NULL with FORMAT_DAMAGED when there is none. */
static char *unpack(zip_t *archive, const char *name, int64_t most, size_t *length,
                    enum format_result *result)
{
    zip_stat_t about;
    zip_file_t *file;
    char *bytes;
    zip_int64_t got;

    *result = FORMAT_DAMAGED;
    if (zip_stat(archive, name, 0, &about) != 0 || !(about.valid & ZIP_STAT_SIZE))
        return NULL;
    *result = about.size > (zip_uint64_t)most ? FORMAT_TOO_LARGE : FORMAT_DAMAGED;
    if (*result == FORMAT_TOO_LARGE)
        return NULL;
    file = zip_fopen(archive, name, 0);
    bytes = malloc(about.size + 1);
    if (!file || !bytes)
        /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the process ends with this call */
        return NULL;
    got = zip_fread(file, bytes, about.size);
    if (got < 0 || (zip_uint64_t)got != about.size)
        return NULL;
    *length = (size_t)got;
    return bytes;
}

static void add_bytes(struct writer *writer, const char *text, size_t length)
{
    if (length > TEXT_MOST - writer->length)
        length = TEXT_MOST - writer->length;
    memcpy(writer->text + writer->length, text, length);
    writer->length += length;
}

static void add(struct writer *writer, const char *text)
{
    add_bytes(writer, text, strlen(text));
}

static void add_to_cell(struct cell *cell, const char *text, size_t length)
{
    size_t needed = cell->length + length + 2;

    if (needed > TEXT_MOST)
        return;
    if (!cell->text || needed > cell->capacity) {
        cell->capacity = needed * 2;
        cell->text = realloc(cell->text, cell->capacity);
        if (!cell->text)
            abort(); /* a child without memory ends like one killed for it */
    }
    memcpy(cell->text + cell->length, text, length);
    cell->length += length;
    cell->text[cell->length++] = ' ';
    cell->text[cell->length] = '\0';
}

/* The label of an item, "" for a bullet. */
static void item_label(struct writer *writer, const struct paragraph *paragraph,
                       char label[DOCX_LABEL_MAX])
{
    label[0] = '\0';
    if (paragraph->item)
        docx_list_label(writer->lists, (int)paragraph->list, (int)paragraph->level, label);
}

/* A label such as "1." marks an item by itself; other items get a marker. */
static bool begins_item(const char *label)
{
    size_t digits = strspn(label, "0123456789");

    return digits && digits <= 3 && (label[digits] == '.' || label[digits] == ')') &&
           !label[digits + 1];
}

static void write_paragraph(struct writer *writer, const struct paragraph *paragraph,
                            const char *text, size_t length)
{
    static const char marks[] = "####";
    int level = paragraph->heading > 4 ? 4 : paragraph->heading;
    char label[DOCX_LABEL_MAX];

    while (length && strchr(" \t", *text)) { /* tab stops are not text */
        text++;
        length--;
    }
    item_label(writer, paragraph, label);
    if (writer->tables) {
        if (*label)
            add_to_cell(&writer->cell, label, strlen(label));
        add_to_cell(&writer->cell, text, length);
        return;
    }
    if (level)
        fprintf(writer->out, "\n%s ", marks + 4 - level);
    else if (paragraph->item && !begins_item(label))
        fputs("- ", writer->out);
    fprintf(writer->out, "%s%s%.*s\n%s", label, *label ? " " : "", (int)length, text,
            paragraph->item && !level ? "" : "\n");
}

static void begin_paragraph(struct writer *writer)
{
    if (writer->depth < DEPTH_MOST)
        writer->open[writer->depth] = (struct paragraph){.start = writer->length};
    writer->depth++;
}

static void end_paragraph(struct writer *writer)
{
    const struct paragraph *paragraph;
    bool empty = true;

    if (!writer->depth || --writer->depth >= DEPTH_MOST)
        return;
    paragraph = &writer->open[writer->depth];
    for (size_t i = paragraph->start; i < writer->length && empty; i++)
        empty = strchr(" \t\n", writer->text[i]) != NULL;
    if (!empty)
        write_paragraph(writer, paragraph, writer->text + paragraph->start,
                        writer->length - paragraph->start);
    else if (!writer->tables)
        fputc('\n', writer->out);
    writer->length = paragraph->start;
}

/* "Heading1", "heading 2", "berschrift3" (from "Überschrift" in German Word). */
static int heading_level(const char *style)
{
    size_t length = strlen(style);

    if (!strcasestr(style, "heading") && !strcasestr(style, "berschrift") &&
        !strcasestr(style, "titre") && strcasecmp(style, "title") != 0)
        return 0;
    if (length && style[length - 1] >= '1' && style[length - 1] <= '9')
        return style[length - 1] - '0';
    return 1;
}

/* The paragraph whose properties are being read. */
static struct paragraph *current(struct writer *writer)
{
    return writer->depth && writer->depth <= DEPTH_MOST ? &writer->open[writer->depth - 1] : NULL;
}

static void read_property(struct writer *writer, xmlTextReaderPtr reader, const char *name)
{
    struct paragraph *paragraph = current(writer);
    xmlChar *style;

    if (!paragraph)
        return;
    if (strcmp(name, "pStyle") == 0) {
        style = xmlTextReaderGetAttribute(reader, BAD_CAST "w:val");
        paragraph->heading = style ? heading_level((const char *)style) : 0;
        paragraph->item = style && docx_style_list(writer->styles, (const char *)style,
                                                   &paragraph->list, &paragraph->level);
        xmlFree(style);
    } else if (strcmp(name, "numPr") == 0) {
        paragraph->item = true;
    } else if (strcmp(name, "ilvl") == 0) {
        paragraph->level = docx_number(reader, "w:val", 0);
    } else if (strcmp(name, "numId") == 0) {
        paragraph->list = docx_number(reader, "w:val", 0);
        paragraph->item = paragraph->list != 0; /* 0 removes the numbering */
    }
}

static void add_note(struct writer *writer, const struct docx_notes *notes, xmlTextReaderPtr reader)
{
    xmlChar *id = xmlTextReaderGetAttribute(reader, BAD_CAST "w:id");
    const char *text = id ? docx_note(notes, (const char *)id) : NULL;

    if (text) {
        add(writer, " (");
        add(writer, text);
        add(writer, ")");
    }
    xmlFree(id);
}

static void open_text(struct writer *writer, xmlTextReaderPtr reader, const char *name)
{
    if (strcmp(name, "p") == 0)
        begin_paragraph(writer);
    else if (strcmp(name, "tab") == 0)
        add(writer, "\t");
    else if (strcmp(name, "br") == 0 || strcmp(name, "cr") == 0)
        add(writer, "\n");
    else if (strcmp(name, "footnoteReference") == 0)
        add_note(writer, writer->footnotes, reader);
    else if (strcmp(name, "endnoteReference") == 0)
        add_note(writer, writer->endnotes, reader);
    else
        read_property(writer, reader, name);
}

/* A vertical merge without "restart" continues the cell above. */
static void read_merge(struct writer *writer, xmlTextReaderPtr reader)
{
    xmlChar *value = xmlTextReaderGetAttribute(reader, BAD_CAST "w:val");

    writer->cell.continued = !value || strcmp((const char *)value, "restart") != 0;
    xmlFree(value);
}

static void open_table(struct writer *writer, xmlTextReaderPtr reader, const char *name)
{
    long span;

    if (strcmp(name, "tbl") == 0) {
        if (writer->tables++ == 0)
            writer->table = table_create();
    } else if (writer->tables != 1 || !writer->table) {
        return;
    } else if (strcmp(name, "tr") == 0) {
        table_row(writer->table, false);
    } else if (strcmp(name, "tblHeader") == 0) {
        table_row_is_head(writer->table);
    } else if (strcmp(name, "tc") == 0) {
        writer->cell = (struct cell){.columns = 1};
    } else if (strcmp(name, "gridSpan") == 0) {
        span = docx_number(reader, "w:val", 1);
        writer->cell.columns = span < 1                   ? 1
                               : span > TABLE_COLUMNS_MAX ? TABLE_COLUMNS_MAX
                                                          : (size_t)span;
    } else if (strcmp(name, "vMerge") == 0) {
        read_merge(writer, reader);
    }
}

static void end_cell(struct writer *writer)
{
    struct cell *cell = &writer->cell;

    if (!cell->text)
        add_to_cell(cell, "", 0);
    if (cell->continued) {
        free(cell->text); /* Word shows no text of it */
        table_cell_continued(writer->table, cell->columns);
    } else {
        table_cell(writer->table, cell->text, cell->columns, 1, false);
    }
    writer->cell = (struct cell){.text = NULL};
}

static void close_element(struct writer *writer, const char *name)
{
    if (strcmp(name, "p") == 0) {
        end_paragraph(writer);
    } else if (strcmp(name, "tc") == 0 && writer->tables == 1 && writer->table) {
        end_cell(writer);
    } else if (strcmp(name, "tbl") == 0 && writer->tables && --writer->tables == 0 &&
               writer->table) {
        fputc('\n', writer->out);
        table_write(writer->table, writer->out);
        writer->table = NULL;
    }
}

/* A document contains a drawing in two alternative forms; programs read the one that they
 * support. */
static bool is_skipped(struct writer *writer, int type, bool empty, const char *name)
{
    bool fallback = strcmp(name, "Fallback") == 0;

    if (type == XML_READER_TYPE_ELEMENT && fallback && !empty)
        writer->skipped++;
    if (type == XML_READER_TYPE_END_ELEMENT && fallback && writer->skipped) {
        writer->skipped--;
        return true;
    }
    return writer->skipped > 0;
}

static bool read_document(struct writer *writer, xmlTextReaderPtr reader)
{
    bool in_text = false;
    int state;

    while ((state = xmlTextReaderRead(reader)) == 1) {
        const char *name = (const char *)xmlTextReaderConstLocalName(reader);
        int type = xmlTextReaderNodeType(reader);
        bool empty = xmlTextReaderIsEmptyElement(reader) == 1;

        if (is_skipped(writer, type, empty, name))
            continue;
        if (type == XML_READER_TYPE_ELEMENT) {
            open_text(writer, reader, name);
            open_table(writer, reader, name);
            in_text = strcmp(name, "t") == 0 && !empty;
            if (empty)
                close_element(writer, name);
        } else if (type == XML_READER_TYPE_END_ELEMENT) {
            close_element(writer, name);
            in_text = false;
        } else if (in_text && (type == XML_READER_TYPE_TEXT ||
                               type == XML_READER_TYPE_SIGNIFICANT_WHITESPACE)) {
            add(writer, (const char *)xmlTextReaderConstValue(reader));
        }
    }
    return state == 0;
}

static void be_silent(void *context, const char *message, ...)
{
    (void)context, (void)message;
}

/* Reads the other parts; unreadable parts are left out. */
static void read_parts(struct writer *writer, zip_t *archive, int64_t most)
{
    enum format_result ignored;
    size_t length = 0;
    const char *bytes = unpack(archive, "word/footnotes.xml", most, &length, &ignored);

    writer->footnotes = docx_notes_read(bytes, length, "footnote");
    bytes = unpack(archive, "word/endnotes.xml", most, &length, &ignored);
    writer->endnotes = docx_notes_read(bytes, length, "endnote");
    bytes = unpack(archive, "word/numbering.xml", most, &length, &ignored);
    writer->lists = docx_lists_read(bytes, length);
    bytes = unpack(archive, "word/styles.xml", most, &length, &ignored);
    writer->styles = docx_styles_read(bytes, length);
}

enum format_result format_read_docx(const char *path, int64_t most, FILE *out)
{
    enum format_result result;
    size_t length = 0;
    zip_t *archive = zip_open(path, ZIP_RDONLY, NULL);
    struct writer writer = {.out = out, .text = malloc(TEXT_MOST)};
    xmlTextReaderPtr reader;
    char *bytes;

    if (!archive || !writer.text || zip_get_num_entries(archive, 0) > ENTRIES_MOST)
        /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the process ends with this call */
        return FORMAT_DAMAGED;
    bytes = unpack(archive, "word/document.xml", most, &length, &result);
    if (!bytes)
        /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the process ends with this call */
        return result;
    if (!xml_has_few_attributes(bytes, length))
        return FORMAT_TOO_MANY_ATTRIBUTES;
    xmlSetGenericErrorFunc(NULL, be_silent);
    read_parts(&writer, archive, most);
    reader = docx_reader(bytes, length);
    return reader && read_document(&writer, reader) && fflush(out) == 0 ? FORMAT_READ
                                                                        : FORMAT_DAMAGED;
}
