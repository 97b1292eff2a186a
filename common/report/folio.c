/* Putting a document together. */
#include "report/folio.h"

enum { BLOCKS_AT_FIRST = 64, TEXTS_AT_FIRST = 8 };

void folio_start(struct folio *document, struct arena *arena)
{
    *document = (struct folio){.arena = arena,
                               .language = "en",
                               .blocks = ARENA_ARRAY(arena, struct block, BLOCKS_AT_FIRST),
                               .capacity = BLOCKS_AT_FIRST};
}

static struct block *add_block(struct folio *document, enum block_kind kind)
{
    struct block *block;

    if (document->count == document->capacity) {
        struct block *more = ARENA_ARRAY(document->arena, struct block, document->capacity * 2);

        for (size_t i = 0; i < document->count; i++)
            more[i] = document->blocks[i];
        document->blocks = more;
        document->capacity *= 2;
    }
    block = &document->blocks[document->count++];
    *block = (struct block){.kind = kind};
    return block;
}

/* Room doubles: it is full whenever the count is a power of two, from the first one on. */
static void add_text(struct folio *document, struct block *block, const char *text)
{
    struct string_list *texts = &block->texts;
    size_t count = texts->count;

    if (count == 0 || (count >= TEXTS_AT_FIRST && (count & (count - 1)) == 0)) {
        const char **more =
            ARENA_ARRAY(document->arena, const char *, count ? count * 2 : TEXTS_AT_FIRST);

        for (size_t i = 0; i < count; i++)
            more[i] = texts->items[i];
        texts->items = more;
    }
    texts->items[texts->count++] = text ? text : "";
}

void folio_heading(struct folio *document, int level, const char *text)
{
    struct block *block = add_block(document, BLOCK_HEADING);

    block->level = level;
    add_text(document, block, text);
}

void folio_text(struct folio *document, const char *text)
{
    add_text(document, add_block(document, BLOCK_TEXT), text);
}

void folio_list(struct folio *document, const struct string_list *texts)
{
    add_block(document, BLOCK_LIST)->texts = *texts;
}

void folio_notice(struct folio *document, const char *severity, const char *text)
{
    struct block *block = add_block(document, BLOCK_NOTICE);

    add_text(document, block, severity);
    add_text(document, block, text);
}

void folio_chart(struct folio *document, const struct drawing *drawing)
{
    add_block(document, BLOCK_CHART)->drawing = drawing;
}

void folio_page(struct folio *document)
{
    add_block(document, BLOCK_PAGE);
}

void folio_begin(struct folio *document, enum block_kind kind, size_t columns)
{
    add_block(document, kind)->columns = columns;
}

void folio_add(struct folio *document, const char *text)
{
    add_text(document, &document->blocks[document->count - 1], text);
}

void folio_fact(struct folio *document, const char *label, const char *value)
{
    folio_add(document, label);
    folio_add(document, value);
}
