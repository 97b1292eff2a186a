/* Selects and writes table rows. */
#include "support/answer/table_rows.h"
#include "support/answer/citations.h"
#include "support/documents/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_READ = 64 };

/* Cover from which a row has a term; the least share of the question that a table must cover to
 * answer in the place of another passage; gain of a passage beside the rows. */
static const float has_term = 0.75F;
static const double share_least = 0.4, share_slack = 0.1, gain_beside = 0.25;

bool table_rows_is_row(const struct passage *passage)
{
    const char *feed = memchr(passage->text, '\n', passage->length);

    return feed && table_is_row(passage->text, (size_t)(feed - passage->text)) &&
           table_is_row(feed + 1, strlen(feed + 1)) && !strchr(feed + 1, '\n');
}

static size_t head_length(const struct passage *passage)
{
    return strcspn(passage->text, "\n");
}

bool table_rows_are_of_one(const struct selected *a, const struct selected *b)
{
    const struct passage *one = a->passage->passage, *other = b->passage->passage;
    size_t length = head_length(one);

    return a->chunk->chunk.document == b->chunk->chunk.document && table_rows_is_row(one) &&
           table_rows_is_row(other) && length == head_length(other) &&
           memcmp(one->text, other->text, length) == 0;
}

struct table {
    const struct question *question;
    struct selected rows[ROWS_READ];
    double worth[ROWS_READ]; /* weight of the terms by which the row differs from others */
    size_t count;
    double share; /* of the question, by all rows together */
    double most;  /* highest worth */
};

static int by_place(const void *a, const void *b)
{
    const struct selected *x = a, *y = b;

    if (x->chunk->chunk.chunk_index != y->chunk->chunk.chunk_index)
        return x->chunk->chunk.chunk_index - y->chunk->chunk.chunk_index;
    return (x->passage > y->passage) - (x->passage < y->passage);
}

static bool is_listed(const struct table *table, const struct passage *passage)
{
    for (size_t i = 0; i < table->count; i++) {
        if (strcmp(table->rows[i].passage->passage->text, passage->text) == 0)
            return true;
    }
    return false;
}

static void weigh_rows(struct table *table)
{
    const struct question *question = table->question;
    double sum = 0;

    memset(table->worth, 0, sizeof table->worth);
    for (size_t t = 0; t < question->count; t++) {
        float best = 0;
        size_t holding = 0;

        for (size_t i = 0; i < table->count; i++) {
            best = fmaxf(best, table->rows[i].passage->cover[t]);
            holding += table->rows[i].passage->cover[t] >= has_term;
        }
        sum += question->terms[t].weight * best;
        for (size_t i = 0; holding < table->count && i < table->count; i++) {
            if (table->rows[i].passage->cover[t] >= has_term)
                table->worth[i] += question->terms[t].weight;
        }
    }
    table->share = question->total > 0 ? sum / question->total : 0;
    table->most = 0;
    for (size_t i = 0; i < table->count; i++)
        table->most = fmax(table->most, table->worth[i]);
}

/* The rows of the table of `like` in the chunks, in their order. */
static void read_table(struct table *table, const struct found_chunk *chunks, size_t count,
                       const struct selected *like)
{
    table->count = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < chunks[i].list.count && table->count < ROWS_READ; j++) {
            const struct selected row = {&chunks[i], &chunks[i].passages[j]};

            if (table_rows_are_of_one(like, &row) && !is_listed(table, row.passage->passage))
                table->rows[table->count++] = row;
        }
    }
    qsort(table->rows, table->count, sizeof table->rows[0], by_place);
    weigh_rows(table);
}

/* The table that covers most of the question; false when there is none. */
static bool best_table(struct table *best, struct arena *arena, const struct found_chunk *chunks,
                       size_t count)
{
    struct table *table = ARENA_NEW(arena, struct table);

    table->question = best->question;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < chunks[i].list.count; j++) {
            const struct selected row = {&chunks[i], &chunks[i].passages[j]};

            if (!table_rows_is_row(row.passage->passage) ||
                (table->count && table_rows_are_of_one(&table->rows[0], &row)))
                continue;
            read_table(table, chunks, count, &row);
            if (table->share > best->share + 1e-9)
                *best = *table;
        }
    }
    return best->count > 0;
}

static bool is_wanted(const struct table *table, size_t row, const struct asks *asks)
{
    if (table->most <= 0)
        return asks->list || asks->compare;
    return asks->compare ? table->worth[row] > 0 : table->worth[row] >= table->most - 1e-9;
}

/* A passage beside the rows stays when it covers what they leave open. */
static bool adds(const struct question *question, const struct selection *rows,
                 const struct selected *item)
{
    double gain = 0;

    for (size_t t = 0; t < question->count; t++) {
        float covered = 0;

        for (size_t i = 0; i < rows->count; i++)
            covered = fmaxf(covered, rows->items[i].passage->cover[t]);
        gain += question->terms[t].weight * fmax(0, item->passage->cover[t] - covered);
    }
    return question->total > 0 && gain / question->total >= gain_beside;
}

void table_rows_select(const struct question *question, struct arena *arena,
                       const struct asks *asks, const struct found_chunk *chunks, size_t count,
                       struct selection *selection)
{
    struct table *table = ARENA_NEW(arena, struct table);
    struct selection rows = {.count = 0};
    const struct selected *first = &selection->items[0];

    table->question = question;
    if (!selection->count)
        return;
    for (size_t i = 1; (asks->list || asks->compare) && i < selection->count; i++) {
        if (!table_rows_is_row(first->passage->passage))
            first = &selection->items[i];
    }
    if (table_rows_is_row(first->passage->passage))
        read_table(table, chunks, count, first);
    else if (!(asks->list || asks->compare) || !best_table(table, arena, chunks, count) ||
             table->share < share_least ||
             table->share < selection->items[0].passage->share - share_slack)
        return;
    for (size_t i = 0; i < table->count && rows.count < TABLE_ROWS_MAX; i++) {
        if (is_wanted(table, i, asks))
            rows.items[rows.count++] = table->rows[i];
    }
    if (!rows.count)
        return;
    for (size_t i = 0; i < selection->count && rows.count < SELECTION_MAX; i++) {
        const struct selected *item = &selection->items[i];

        if (!table_rows_are_of_one(&rows.items[0], item) && adds(question, &rows, item))
            rows.items[rows.count++] = *item;
    }
    *selection = rows;
}

static size_t cells(const char *line, size_t length)
{
    size_t bars = 0;

    for (size_t i = 0; i < length; i++)
        bars += line[i] == '|';
    return bars > 1 ? bars - 1 : 1;
}

static void write_row(struct text *text, struct arena *arena, const char *row, int number)
{
    const char *escaped = citation_escape(arena, row);
    size_t length = strlen(escaped);

    if (length && escaped[length - 1] == '|')
        length--;
    while (length && escaped[length - 1] == ' ')
        length--;
    text_append(text, escaped, length);
    text_append_format(text, " [%d] |", number);
}

void table_rows_write(struct text *text, struct arena *arena, const struct selected *rows,
                      size_t count, int number)
{
    const char *first = rows[0].passage->passage->text;
    size_t length = strcspn(first, "\n");

    text_append(text, first, length);
    text_append_string(text, "\n|");
    for (size_t i = 0; i < cells(first, length); i++)
        text_append_string(text, "---|");
    for (size_t i = 0; i < count; i++) {
        const char *row = rows[i].passage->passage->text;

        text_append_byte(text, '\n');
        write_row(text, arena, row + head_length(rows[i].passage->passage) + 1, number);
    }
}
