/* Paragraphs and tables in the order of the document. Runs in a child process that exits
 * afterwards, so nothing is freed. */
#include "documents/paragraphs.h"
#include "documents/table.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_MOST = 1 << 20 /* bytes of a paragraph, and of a cell */ };

struct buffer {
    char *bytes;
    size_t length, capacity;
};

struct paragraphs {
    FILE *out;
    struct buffer open, cell;
    struct table *table; /* the outermost */
    size_t tables;       /* that are open */
    size_t columns, rows;
    bool in_cell;
};

struct paragraphs *paragraphs_create(FILE *out)
{
    struct paragraphs *made = calloc(1, sizeof *made);

    if (!made)
        abort(); /* a child without memory ends like one killed for it */
    made->out = out;
    return made;
}

static void add(struct buffer *buffer, const char *text, size_t length)
{
    if (buffer->length + length > TEXT_MOST)
        length = TEXT_MOST - buffer->length;
    if (buffer->length + length + 1 > buffer->capacity) {
        buffer->capacity = 2 * (buffer->length + length + 1);
        buffer->bytes = realloc(buffer->bytes, buffer->capacity);
        if (!buffer->bytes)
            abort();
    }
    memcpy(buffer->bytes + buffer->length, text, length);
    buffer->length += length;
    buffer->bytes[buffer->length] = '\0';
}

void paragraphs_text(struct paragraphs *to, const char *text)
{
    add(&to->open, text, strlen(text));
}

void paragraphs_end(struct paragraphs *to, int heading, bool is_item)
{
    const char *text = to->open.length ? to->open.bytes : "";

    text += strspn(text, " \t\r\n");
    if (!*text) {
        to->open.length = 0;
        return;
    }
    if (to->in_cell) {
        add(&to->cell, text, strlen(text));
        add(&to->cell, " ", 1);
    } else if (heading > 0) {
        fprintf(to->out, "\n%.*s %s\n\n", heading > 4 ? 4 : heading, "####", text);
    } else {
        fprintf(to->out, "%s%s\n%s", is_item ? "- " : "", text, is_item ? "" : "\n");
    }
    to->open.length = 0;
}

void paragraphs_begin_table(struct paragraphs *to)
{
    paragraphs_end(to, 0, false);
    if (to->tables++ == 0)
        to->table = table_create();
}

void paragraphs_begin_row(struct paragraphs *to, bool is_head)
{
    if (to->tables == 1 && to->table)
        table_row(to->table, is_head);
}

void paragraphs_begin_cell(struct paragraphs *to, size_t columns, size_t rows)
{
    if (to->tables != 1)
        return;
    to->columns = columns;
    to->rows = rows;
    to->cell.length = 0;
    to->in_cell = true;
}

void paragraphs_end_cell(struct paragraphs *to)
{
    if (to->tables != 1 || !to->in_cell)
        return;
    paragraphs_end(to, 0, false);
    to->in_cell = false;
    if (to->table)
        table_cell(to->table, strdup(to->cell.length ? to->cell.bytes : ""), to->columns, to->rows,
                   false);
}

void paragraphs_end_table(struct paragraphs *to)
{
    if (!to->tables || --to->tables)
        return;
    to->in_cell = false;
    fputc('\n', to->out);
    if (to->table)
        table_write(to->table, to->out);
    to->table = NULL;
}
