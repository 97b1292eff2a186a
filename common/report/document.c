/* Builds a report document. */
#include "report/document.h"

#include "base/list.h"

void document_start(struct report_document *document, struct arena *arena)
{
    *document = (struct report_document){.arena = arena, .language = "en"};
}

static struct block *add_block(struct report_document *document, enum block_kind kind)
{
    struct block *block = ARRAY_ADD(document->arena, document->blocks, document->count);

    block->kind = kind;
    return block;
}

static void add_text(struct report_document *document, struct block *block, const char *text)
{
    *LIST_ADD(document->arena, &block->texts) = text ? text : "";
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
