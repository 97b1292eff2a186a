/* HTML to text: the tree of an HTML5 parser (Gumbo), walked without recursion, since a document may
 * be nested as deep as it is long. Runs in a child process that exits afterwards, so nothing is
 * freed. */
#include "documents/charset.h"
#include "documents/formats.h"
#include "documents/markup_limits.h"
#include "documents/table.h"

#include <gumbo.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MOST = 1 << 30, CELL_MOST = 2000 /* bytes */, ROWS_MOST = 1000 /* of a cell */ };

struct writer {
    FILE *out;
    bool at_line_start;
    bool blank_wanted; /* between words */
    int feeds;         /* consecutive line ends */
    int preformatted;
};

static void end_line(struct writer *writer, int feeds)
{
    while (writer->feeds < feeds) {
        fputc('\n', writer->out);
        writer->feeds++;
    }
    writer->at_line_start = true;
    writer->blank_wanted = false;
}

static void put(struct writer *writer, char byte)
{
    if (writer->blank_wanted && !writer->at_line_start)
        fputc(' ', writer->out);
    writer->blank_wanted = writer->at_line_start = false;
    writer->feeds = 0;
    fputc(byte, writer->out);
}

static void write_text(struct writer *writer, const char *text)
{
    for (; *text; text++) {
        if (writer->preformatted && *text == '\n')
            end_line(writer, writer->feeds + 1 > 2 ? 2 : writer->feeds + 1);
        else if (strchr(" \t\r\n\f", *text))
            writer->blank_wanted = true;
        else
            put(writer, *text);
    }
}

static void write_mark(struct writer *writer, const char *mark)
{
    for (; *mark; mark++)
        put(writer, *mark);
    writer->blank_wanted = true;
}

static bool is_skipped(GumboTag tag)
{
    return tag == GUMBO_TAG_SCRIPT || tag == GUMBO_TAG_STYLE || tag == GUMBO_TAG_NOSCRIPT ||
           tag == GUMBO_TAG_TEMPLATE || tag == GUMBO_TAG_HEAD || tag == GUMBO_TAG_SVG ||
           tag == GUMBO_TAG_IFRAME;
}

static bool is_inline(GumboTag tag)
{
    static const GumboTag tags[] = {
        GUMBO_TAG_A,    GUMBO_TAG_ABBR,   GUMBO_TAG_B,    GUMBO_TAG_BDI,   GUMBO_TAG_BDO,
        GUMBO_TAG_CITE, GUMBO_TAG_CODE,   GUMBO_TAG_DATA, GUMBO_TAG_DEL,   GUMBO_TAG_DFN,
        GUMBO_TAG_EM,   GUMBO_TAG_FONT,   GUMBO_TAG_I,    GUMBO_TAG_INS,   GUMBO_TAG_KBD,
        GUMBO_TAG_MARK, GUMBO_TAG_Q,      GUMBO_TAG_S,    GUMBO_TAG_SAMP,  GUMBO_TAG_SMALL,
        GUMBO_TAG_SPAN, GUMBO_TAG_STRONG, GUMBO_TAG_SUB,  GUMBO_TAG_SUP,   GUMBO_TAG_TIME,
        GUMBO_TAG_U,    GUMBO_TAG_VAR,    GUMBO_TAG_WBR,  GUMBO_TAG_LABEL, GUMBO_TAG_BUTTON,
        GUMBO_TAG_IMG,  GUMBO_TAG_INPUT,
    };

    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
        if (tags[i] == tag)
            return true;
    }
    return false;
}

/* Whether to walk the element's children. */
static bool open_element(struct writer *writer, const GumboElement *element)
{
    GumboTag tag = element->tag;

    if (is_skipped(tag))
        return false;
    if (tag >= GUMBO_TAG_H1 && tag <= GUMBO_TAG_H6) {
        int level = (int)(tag - GUMBO_TAG_H1) + 1;

        end_line(writer, 2);
        write_mark(writer, &"####"[level < 4 ? 4 - level : 0]);
    } else if (tag == GUMBO_TAG_LI) {
        end_line(writer, 1);
        write_mark(writer, "-");
    } else if (tag == GUMBO_TAG_BR || tag == GUMBO_TAG_TR) {
        end_line(writer, 1);
    } else if (tag == GUMBO_TAG_TD || tag == GUMBO_TAG_TH) {
        if (!writer->at_line_start)
            write_text(writer, " | ");
    } else if (!is_inline(tag)) {
        end_line(writer, tag == GUMBO_TAG_UL || tag == GUMBO_TAG_OL ? 1 : 2);
    }
    writer->preformatted += tag == GUMBO_TAG_PRE;
    return true;
}

static void close_element(struct writer *writer, const GumboElement *element)
{
    GumboTag tag = element->tag;

    writer->preformatted -= tag == GUMBO_TAG_PRE;
    if (tag == GUMBO_TAG_LI || tag == GUMBO_TAG_TR)
        end_line(writer, 1);
    else if (!is_inline(tag) && tag != GUMBO_TAG_TD && tag != GUMBO_TAG_TH && tag != GUMBO_TAG_BR)
        end_line(writer, 2);
}

static const GumboNode *child_of(const GumboNode *node, unsigned int index)
{
    const GumboVector *children = &node->v.element.children;

    return index < children->length ? children->data[index] : NULL;
}

/* The node after this one in document order, below `root`; if `enter`, its children are
 * included. */
static const GumboNode *following(const GumboNode *node, const GumboNode *root, bool enter)
{
    const GumboNode *next = enter && node->type == GUMBO_NODE_ELEMENT ? child_of(node, 0) : NULL;

    while (!next && node != root) {
        next = child_of(node->parent, (unsigned int)node->index_within_parent + 1);
        node = node->parent;
    }
    return next;
}

static bool is_element(const GumboNode *node, GumboTag tag)
{
    return node->type == GUMBO_NODE_ELEMENT && node->v.element.tag == tag;
}

static bool is_cell(const GumboNode *node)
{
    return is_element(node, GUMBO_TAG_TD) || is_element(node, GUMBO_TAG_TH);
}

/* Whether a table contains data, not the layout of a page: it has no inner table or heading, and no
 * cell with very long text. */
static bool is_data_table(const GumboNode *table)
{
    const GumboAttribute *role = gumbo_get_attribute(&table->v.element.attributes, "role");
    size_t cell = 0;

    if (role && strcmp(role->value, "presentation") == 0)
        return false;
    for (const GumboNode *node = following(table, table, true); node;
         node = following(node, table, true)) {
        GumboTag tag = node->type == GUMBO_NODE_ELEMENT ? node->v.element.tag : GUMBO_TAG_UNKNOWN;

        if (tag == GUMBO_TAG_TABLE || (tag >= GUMBO_TAG_H1 && tag <= GUMBO_TAG_H6))
            return false;
        if (tag == GUMBO_TAG_TD || tag == GUMBO_TAG_TH)
            cell = 0;
        else if (node->type == GUMBO_NODE_TEXT)
            cell += strlen(node->v.text.text);
        if (cell > CELL_MOST)
            return false;
    }
    return true;
}

static size_t span_of(const GumboNode *cell, const char *name, size_t most)
{
    const GumboAttribute *attribute = gumbo_get_attribute(&cell->v.element.attributes, name);
    unsigned long span = attribute ? strtoul(attribute->value, NULL, 10) : 1;

    return span < 1 ? 1 : span > most ? most : span;
}

static void walk(struct writer *writer, const GumboNode *root);

/* The text of an element, as lines. */
static char *text_of(const GumboNode *node)
{
    char *text = NULL;
    size_t length;
    struct writer inner = {.at_line_start = true, .feeds = 2};

    inner.out = open_memstream(&text, &length);
    if (!inner.out)
        abort(); /* a child without memory ends like one killed for it */
    walk(&inner, node);
    fclose(inner.out);
    return text;
}

/* Whether a row has only header cells, or is in the table's head. */
static bool is_head_row(const GumboNode *row)
{
    bool any = false;

    if (is_element(row->parent, GUMBO_TAG_THEAD))
        return true;
    for (unsigned int i = 0; child_of(row, i); i++) {
        if (is_element(child_of(row, i), GUMBO_TAG_TD))
            return false;
        any |= is_element(child_of(row, i), GUMBO_TAG_TH);
    }
    return any;
}

static void write_table(struct writer *writer, const GumboNode *root)
{
    struct table *table = table_create();

    if (!table)
        return;
    end_line(writer, 2);
    for (const GumboNode *node = following(root, root, true); node;
         node = following(node, root, !is_cell(node) && !is_element(node, GUMBO_TAG_CAPTION))) {
        if (is_element(node, GUMBO_TAG_TR))
            table_row(table, is_head_row(node));
        else if (is_cell(node))
            table_cell(table, text_of(node), span_of(node, "colspan", TABLE_COLUMNS_MAX),
                       span_of(node, "rowspan", ROWS_MOST), is_element(node, GUMBO_TAG_TH));
        else if (is_element(node, GUMBO_TAG_CAPTION))
            fprintf(writer->out, "%s\n\n", text_of(node));
    }
    table_write(table, writer->out);
    writer->at_line_start = true;
    writer->blank_wanted = false;
    writer->feeds = 2;
}

/* Walks the tree by parent pointers and child indexes. */
static void walk(struct writer *writer, const GumboNode *root)
{
    const GumboNode *node = root;

    while (node) {
        const GumboNode *next = NULL;

        if (node->type == GUMBO_NODE_TEXT || node->type == GUMBO_NODE_WHITESPACE ||
            node->type == GUMBO_NODE_CDATA)
            write_text(writer, node->v.text.text);
        else if (node != root && is_element(node, GUMBO_TAG_TABLE) && is_data_table(node))
            write_table(writer, node);
        else if (node->type == GUMBO_NODE_ELEMENT && open_element(writer, &node->v.element))
            next = child_of(node, 0);
        while (!next && node != root) {
            if (node->type == GUMBO_NODE_ELEMENT && !is_skipped(node->v.element.tag))
                close_element(writer, &node->v.element);
            next = child_of(node->parent, (unsigned int)node->index_within_parent + 1);
            node = node->parent;
        }
        if (next || node == root)
            node = next;
    }
}

static char *read_whole(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rbe");
    char *bytes = NULL;
    long size;

    *length = 0;
    if (!file)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 && size < FILE_MOST) {
        rewind(file);
        bytes = malloc((size_t)size + 1);
        if (bytes)
            *length = fread(bytes, 1, (size_t)size, file);
    }
    fclose(file);
    return bytes;
}

/* Converts the bytes to writable UTF-8. */
static enum charset_result decode(char **bytes, size_t *length)
{
    struct arena *arena = arena_create(FILE_MOST);
    struct charset_text text = {"", 0};
    enum charset_result result = CHARSET_NOT_FOUND;

    if (arena)
        result =
            charset_decode(arena, *bytes, *length, charset_of_html(arena, *bytes, *length), &text);
    *bytes = (char *)(uintptr_t)text.bytes;
    *length = text.length;
    return result;
}

enum format_result format_read_html(const char *path, FILE *out)
{
    size_t length;
    char *bytes = read_whole(path, &length);

    return bytes ? format_write_html(bytes, length, out) : FORMAT_DAMAGED;
}

enum format_result format_write_html(char *bytes, size_t length, FILE *out)
{
    struct writer writer = {.out = out, .at_line_start = true, .feeds = 2};
    GumboOptions options = kGumboDefaultOptions;
    enum charset_result decoded;
    GumboOutput *output;

    decoded = decode(&bytes, &length);
    if (decoded != CHARSET_DECODED)
        return (enum format_result)(FORMAT_CHARSET + (int)decoded);
    length = html_limit(bytes, length);
    options.max_errors = 0;
    output = gumbo_parse_with_options(&options, bytes, length);
    if (!output || !output->root)
        return FORMAT_DAMAGED;
    walk(&writer, output->root);
    fputc('\n', out);
    return fflush(out) == 0 ? FORMAT_READ : FORMAT_DAMAGED;
}
