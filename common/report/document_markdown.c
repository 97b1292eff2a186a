/* Writes a report document as Markdown. Texts of users are written on one line with their markup
 * escaped. */
#include "report/document.h"

#include <ctype.h>
#include <string.h>

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

/* Whether Markdown would interpret the character as markup there: emphasis, code, a link, HTML, an
 * entity, or at the beginning of a line a heading, a list or a quotation. */
static bool is_markup(const char *text, const char *at, bool begins_line)
{
    char before = at > text ? at[-1] : '\0', after = at[1];

    switch (*at) {
    case '\\':
    case '*':
    case '`':
        return true;
    case '_':
        return !is_word(before) || !is_word(after);
    case '~':
        return before == '~' || after == '~';
    case ']':
        return after && strchr("([:", after);
    case '<':
        return isalpha((unsigned char)after) || (after && strchr("/!?", after));
    case '&':
        return isalpha((unsigned char)after) || after == '#';
    case '#':
    case '+':
    case '-':
    case '=':
    case '>':
        return begins_line && at == text;
    default:
        return false;
    }
}

/* Appends a text on one line: a line break would end the item or the row. A vertical bar would end
 * a table cell. */
static void append_words(struct text *out, const char *text, bool in_table, bool begins_line)
{
    for (const char *at = text; *at; at++) {
        if ((in_table && *at == '|') || is_markup(text, at, begins_line))
            text_append_byte(out, '\\');
        text_append_byte(out, *at == '\n' || *at == '\r' ? ' ' : *at);
    }
}

static void append_line(struct text *out, const char *text, bool in_table)
{
    append_words(out, text, in_table, false);
}

static void append_item(struct text *out, const char *before, const char *text)
{
    text_append_string(out, before);
    append_words(out, text, false, !*before || before[0] == '-');
    text_append_byte(out, '\n');
}

static void append_table(const struct block *block, struct text *out)
{
    for (size_t i = 0; i < block->texts.count; i++) {
        text_append_string(out, i % block->columns ? " | " : "| ");
        append_line(out, block->texts.items[i], true);
        if ((i + 1) % block->columns == 0)
            text_append_string(out, " |\n");
        if (i + 1 == block->columns)
            for (size_t j = 0; j < block->columns; j++)
                text_append_string(out, j + 1 < block->columns ? "|---" : "|---|\n");
    }
}

static void append_facts(const struct block *block, struct text *out)
{
    for (size_t i = 0; i + 1 < block->texts.count; i += 2) {
        text_append_string(out, "- ");
        append_line(out, block->texts.items[i], false);
        append_item(out, ": ", block->texts.items[i + 1]);
    }
}

static void append_block(const struct report_document *document, const struct block *block,
                         struct text *out)
{
    const char *const *texts = block->texts.items;

    switch (block->kind) {
    case BLOCK_HEADING:
        append_item(out, &"#### "[3 - block->level], texts[0]);
        break;
    case BLOCK_TEXT:
        append_item(out, "", texts[0]);
        break;
    case BLOCK_LIST:
        for (size_t i = 0; i < block->texts.count; i++)
            append_item(out, "- ", texts[i]);
        if (!block->texts.count)
            append_item(out, "- ", document->none);
        break;
    case BLOCK_FACTS:
    case BLOCK_CARDS:
        append_facts(block, out);
        break;
    case BLOCK_NOTICE:
        text_append_string(out, "- **");
        append_line(out, texts[0], false);
        text_append_string(out, "** ");
        append_item(out, "", texts[1]);
        break;
    case BLOCK_TABLE:
        append_table(block, out);
        break;
    case BLOCK_CHART:
    case BLOCK_PAGE:
        return;
    }
    text_append_byte(out, '\n');
}

void document_write_markdown(const struct report_document *document, struct text *out)
{
    append_item(out, "# ", document->title);
    text_append_byte(out, '\n');
    for (size_t i = 0; i < document->count; i++)
        append_block(document, &document->blocks[i], out);
    if (out->length > 1 && !out->overflowed)
        text_cut(out, out->length - 1);
}
