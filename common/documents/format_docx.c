/* DOCX to text: the zip's word/document.xml, read element by element. Headings become `#` lines,
 * list paragraphs items, rows of tables lines with ` | ` between cells. No entity of the document's
 * own is replaced, and nothing is fetched. Runs in a child that ends afterwards. */
#include "documents/formats.h"
#include "documents/markup_limits.h"

#include <libxml/xmlreader.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

enum { TEXT_MOST = 1 << 20 /* bytes of one paragraph */, ENTRIES_MOST = 20000 };

struct writer {
    FILE *out;
    char *text;
    size_t length;
    int heading;
    bool item;
    int cells; /* depth of table cells; their paragraphs end no line */
    bool row_started;
};

static char *unpack(const char *path, int64_t most, size_t *length, enum format_result *result)
{
    zip_t *archive = zip_open(path, ZIP_RDONLY, NULL);
    zip_stat_t about;
    zip_file_t *file;
    char *bytes;
    zip_int64_t got;

    if (!archive || zip_get_num_entries(archive, 0) > ENTRIES_MOST ||
        zip_stat(archive, "word/document.xml", 0, &about) != 0 || !(about.valid & ZIP_STAT_SIZE))
        return NULL;
    *result = about.size > (zip_uint64_t)most ? FORMAT_TOO_LARGE : FORMAT_DAMAGED;
    if (*result == FORMAT_TOO_LARGE)
        return NULL;
    file = zip_fopen(archive, "word/document.xml", 0);
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

static void add(struct writer *writer, const char *text)
{
    size_t length = strlen(text);

    if (length > TEXT_MOST - writer->length)
        length = TEXT_MOST - writer->length;
    memcpy(writer->text + writer->length, text, length);
    writer->length += length;
}

static void end_paragraph(struct writer *writer)
{
    bool empty = true;

    for (size_t i = 0; i < writer->length && empty; i++)
        empty = strchr(" \t\n", writer->text[i]) != NULL;
    if (writer->cells) {
        if (!empty)
            fprintf(writer->out, "%.*s ", (int)writer->length, writer->text);
    } else if (empty) {
        fputc('\n', writer->out);
    } else {
        static const char marks[] = "####";

        if (writer->heading)
            fprintf(writer->out, "\n%s ", marks + 4 - (writer->heading > 4 ? 4 : writer->heading));
        else if (writer->item)
            fputs("- ", writer->out);
        fprintf(writer->out, "%.*s\n%s", (int)writer->length, writer->text,
                writer->item ? "" : "\n");
    }
    writer->length = 0;
    writer->heading = 0;
    writer->item = false;
}

/* "Heading1", "heading 2", "berschrift3" of German offices. */
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

static void read_style(struct writer *writer, xmlTextReaderPtr reader)
{
    xmlChar *value = xmlTextReaderGetAttribute(reader, BAD_CAST "w:val");

    if (value)
        writer->heading = heading_level((const char *)value);
}

static void open_element(struct writer *writer, xmlTextReaderPtr reader, const char *name)
{
    if (strcmp(name, "p") == 0)
        writer->length = 0;
    else if (strcmp(name, "pStyle") == 0)
        read_style(writer, reader);
    else if (strcmp(name, "numPr") == 0)
        writer->item = true;
    else if (strcmp(name, "tab") == 0)
        add(writer, "\t");
    else if (strcmp(name, "br") == 0 || strcmp(name, "cr") == 0)
        add(writer, "\n");
    else if (strcmp(name, "tr") == 0)
        writer->row_started = false;
    else if (strcmp(name, "tc") == 0) {
        if (writer->row_started)
            fputs("| ", writer->out);
        writer->row_started = true;
        writer->cells++;
    }
}

static void close_element(struct writer *writer, const char *name)
{
    if (strcmp(name, "p") == 0)
        end_paragraph(writer);
    else if (strcmp(name, "tc") == 0)
        writer->cells -= writer->cells > 0;
    else if (strcmp(name, "tr") == 0 || strcmp(name, "tbl") == 0)
        fputc('\n', writer->out);
}

static bool read_document(struct writer *writer, xmlTextReaderPtr reader)
{
    bool in_text = false;
    int state;

    while ((state = xmlTextReaderRead(reader)) == 1) {
        const char *name = (const char *)xmlTextReaderConstLocalName(reader);
        int type = xmlTextReaderNodeType(reader);

        if (type == XML_READER_TYPE_ELEMENT) {
            bool empty = xmlTextReaderIsEmptyElement(reader) == 1;

            open_element(writer, reader, name);
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

enum format_result format_read_docx(const char *path, int64_t most, FILE *out)
{
    enum format_result result = FORMAT_DAMAGED;
    size_t length = 0;
    char *bytes = unpack(path, most, &length, &result);
    struct writer writer = {.out = out, .text = malloc(TEXT_MOST)};
    xmlTextReaderPtr reader;

    if (!bytes || !writer.text)
        /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the process ends with this call */
        return result;
    if (!xml_has_few_attributes(bytes, length))
        return FORMAT_TOO_MANY_ATTRIBUTES;
    xmlSetGenericErrorFunc(NULL, be_silent);
    reader = xmlReaderForMemory(bytes, (int)length, "document.xml", NULL,
                                XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    return reader && read_document(&writer, reader) && fflush(out) == 0 ? FORMAT_READ
                                                                        : FORMAT_DAMAGED;
}
