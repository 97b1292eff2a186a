/* Builds a report document. */
#include "report/document.h"

enum { BLOCKS_AT_FIRST = 64, TEXTS_AT_FIRST = 8 };

void document_start(struct report_document *document, struct arena *arena)
{
    *document =
        (struct report_document){.arena = arena,
                                 .language = "en",
                                 .blocks = ARENA_ARRAY(arena, struct block, BLOCKS_AT_FIRST),
                                 .capacity = BLOCKS_AT_FIRST};
}

static struct block *add_block(struct report_document *document, enum block_kind kind)
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
static void add_text(struct report_document *document, struct block *block, const char *text)
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

void document_heading(struct report_document *document, int level, const char *text)
{
    struct block *block = add_block(document, BLOCK_HEADING);

    block->level = level;
    add_text(document, block, text);
}

void document_text(struct report_document *document, const char *text)
{
    add_text(document, add_block(document, BLOCK_TEXT), text);
}

void document_bullets(struct report_document *document, const struct string_list *texts)
{
    add_block(document, BLOCK_LIST)->texts = *texts;
}

void document_notice(struct report_document *document, const char *severity, const char *text)
{
    struct block *block = add_block(document, BLOCK_NOTICE);

    add_text(document, block, severity);
    add_text(document, block, text);
}

void document_chart(struct report_document *document, const struct drawing *drawing)
{
    add_block(document, BLOCK_CHART)->drawing = drawing;
}

void document_page(struct report_document *document)
{
    add_block(document, BLOCK_PAGE);
}

void document_begin(struct report_document *document, enum block_kind kind, size_t columns)
{
    add_block(document, kind)->columns = columns;
}

void document_add(struct report_document *document, const char *text)
{
    add_text(document, &document->blocks[document->count - 1], text);
}

void document_fact(struct report_document *document, const char *label, const char *value)
{
    document_add(document, label);
    document_add(document, value);
}
