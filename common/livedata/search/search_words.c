/* Texts of documents: words, snippets, tags. */
#include "livedata/search/search_words.h"

#include "livedata/search/search.h"

#include "text/words.h"

#include <string.h>

enum { SNIPPET_MAX = 4096, SNIPPET_SHOWN = 240, SNIPPET_VALUE = 80 };

static const char *const stop_words[] = {"a",  "an", "and", "as", "at",  "by", "for",  "from", "in",
                                         "is", "of", "on",  "or", "the", "to", "with", NULL};

static bool is_stop_word(const char *word)
{
    for (size_t i = 0; stop_words[i]; i++)
        if (strcmp(stop_words[i], word) == 0)
            return true;
    return false;
}

static bool ends_with(const char *word, size_t length, const char *ending)
{
    size_t size = strlen(ending);

    return length >= size && strcmp(word + length - size, ending) == 0;
}

/* Cuts plurals in place. */
static void singular(char *word)
{
    size_t length = strlen(word);

    if (strcmp(word, "status") == 0 || strcmp(word, "statuses") == 0) {
        word[6] = '\0';
    } else if (length > 4 && ends_with(word, length, "ies")) {
        word[length - 3] = 'y';
        word[length - 2] = '\0';
    } else if (length > 3 && word[length - 1] == 's' && word[length - 2] != 's') {
        word[length - 1] = '\0';
    }
}

struct string_list search_tokens(struct arena *arena, const char *text)
{
    struct string_list tokens = {.items =
                                     ARENA_ARRAY(arena, const char *, words_most(strlen(text)))};
    struct word_reader reader;
    struct word word;

    word_reader_start(&reader, text, strlen(text));
    while (word_next(&reader, &word)) {
        char *copy = arena_copy(arena, word.text, word.length);

        singular(copy);
        if (!is_stop_word(copy))
            tokens.items[tokens.count++] = copy;
    }
    return tokens;
}

const char *search_plural(struct arena *arena, const char *word)
{
    size_t length = strlen(word);

    if (length && word[length - 1] == 's')
        return word;
    if (length && word[length - 1] == 'y')
        return arena_print(arena, "%.*sies", (int)length - 1, word);
    return arena_print(arena, "%ss", word);
}

static int64_t integer_of(const struct entity_row *row, const char *column)
{
    const struct row_value *value = entity_row_value(row, column);

    return value && !value->null ? value->integer : 0;
}

static const char *text_of(const struct entity_row *row, const char *column, const char *otherwise)
{
    const struct row_value *value = entity_row_value(row, column);

    return value && !value->null ? value->text : otherwise;
}

static double amount_of(const struct entity_row *row, const char *column)
{
    return (double)integer_of(row, column) / 100;
}

/* Of a domain: the type, the key and its other texts. */
static const char *own_snippet(struct arena *arena, const struct entity_type *type,
                               const struct entity_row *row, const char *id)
{
    struct text text;

    text_start(&text, arena, SNIPPET_MAX);
    text_append_format(&text, "%s %s", type->name, id);
    for (size_t i = 0; i < type->field_count; i++) {
        const struct table_column *column = type->fields[i].column;
        const char *value = column->type == COLUMN_TEXT ? text_of(row, column->name, NULL) : NULL;

        if (value && value != id && text.length + strlen(column->name) + 2 < SNIPPET_SHOWN)
            text_append_format(&text, " %s %s", column->name,
                               utf8_copy_prefix(arena, value, SNIPPET_VALUE));
    }
    return text.bytes;
}

const char *search_row_snippet(struct arena *arena, const struct entity_type *type,
                               const struct entity_row *row)
{
    const char *id = text_of(row, type->primary_key, "");

    if (row->table->own)
        return own_snippet(arena, type, row, id);
    if (strcmp(row->table->name, "orders_v2") == 0)
        return arena_print(arena, "Order %s status %s total %.2f %s user %s", id,
                           text_of(row, "status", ""), amount_of(row, "total_amount"),
                           text_of(row, "currency", ""), text_of(row, "user_id", "None"));
    if (strcmp(row->table->name, "products_current") == 0)
        return arena_print(arena, "Product %s (%s) category %s price %.2f RUB %s",
                           text_of(row, "name", ""), id, text_of(row, "category", ""),
                           amount_of(row, "price"),
                           integer_of(row, "in_stock") ? "in stock" : "out of stock");
    if (strcmp(row->table->name, "users_enriched") == 0)
        return arena_print(arena, "User %s with %lld orders spent %.2f RUB prefers %s", id,
                           (long long)integer_of(row, "total_orders"),
                           amount_of(row, "total_spent"),
                           text_of(row, "preferred_category", "unknown"));
    if (strcmp(row->table->name, "sessions_aggregated") == 0)
        return arena_print(arena, "Session %s for user %s stage %s conversion %s", id,
                           text_of(row, "user_id", "None"), text_of(row, "funnel_stage", ""),
                           integer_of(row, "is_conversion") ? "True" : "False");
    return arena_print(arena, "%s %s", type->name, id);
}

static const char *tags_of(const struct entity_row *row)
{
    int64_t cents = integer_of(row, "total_amount");

    if (strcmp(row->table->name, "products_current") == 0)
        return integer_of(row, "in_stock") ? "" : "unavailable out stock";
    if (strcmp(row->table->name, "orders_v2") != 0)
        return "";
    if (cents >= 30000)
        return "large large large high value premium";
    if (cents >= 15000)
        return "large high value";
    return cents <= 5000 ? "small budget low value" : "";
}

/* What differs from row to row: values, snippet, tags. */
const char *search_row_text(struct arena *arena, const struct entity_type *type,
                            const struct entity_row *row)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, 1 << 16);
    text_append_format(&text, "%s %s ", search_row_snippet(arena, type, row), tags_of(row));
    writer_start(&writer, &text);
    writer_open_array(&writer);
    for (size_t i = 0; i < type->field_count; i++) {
        const struct row_value *value = entity_row_value(row, type->fields[i].name);
        enum column_type kind = type->fields[i].column->type;

        if (!value || value->null || kind == COLUMN_TIME || kind == COLUMN_JSON ||
            (row->table->own && kind != COLUMN_TEXT))
            continue;
        if (value->text)
            writer_string(&writer, value->text);
        else if (kind == COLUMN_BOOLEAN)
            writer_boolean(&writer, value->integer != 0);
        else if (kind == COLUMN_NUMBER)
            writer_integer(&writer, value->integer / 100);
        else
            writer_integer(&writer, value->integer);
    }
    writer_close_array(&writer);
    return text.bytes;
}

/* What all rows of a type share. */
const char *search_type_text(struct arena *arena, const struct entity_type *type)
{
    struct text text;

    text_start(&text, arena, 1 << 16);
    text_append_format(&text, "%s %s %s", type->name, search_plural(arena, type->name),
                       type->description);
    for (size_t i = 0; i < type->field_count; i++)
        text_append_format(&text, " %s", type->fields[i].name);
    for (size_t i = 0; i < text.length; i++)
        if (text.bytes[i] == '_')
            text.bytes[i] = ' ';
    return text.bytes;
}
