/* What all steps of reading a question share. */
#include "livedata/query/question_reader.h"

#include "livedata/catalog/own.h"

#include <string.h>

enum { BEFORE_MAX = 4 };

static bool are_free(const struct question_reader *reader, size_t at, size_t count)
{
    for (size_t i = at; i < at + count; i++)
        if (!word_is_free(&reader->tokens.words, i))
            return false;
    return count > 0;
}

bool reader_is_free(const struct question_reader *reader, size_t at)
{
    return word_is_free(&reader->tokens.words, at);
}

void question_take(struct question_reader *reader, size_t at, size_t count)
{
    words_take(&reader->tokens.words, at, count, SLOT_FILLER);
}

struct name reader_name(const struct question_reader *reader, size_t at, enum name_kind kind)
{
    static const struct name none = {0};

    if (at >= reader->tokens.words.count || !are_free(reader, at, reader->found[at][kind].length))
        return none;
    return reader->found[at][kind];
}

struct name reader_any_name(const struct question_reader *reader, size_t at)
{
    struct name found = {0};

    for (int kind = NAME_METRIC; kind <= NAME_VALUE; kind++) {
        struct name other = reader_name(reader, at, (enum name_kind)kind);

        if (other.length > found.length)
            found = other;
    }
    return found;
}

/* Names of things win over grammar of the same length, values do not; a metric that is called like
 * a word of grammar is meant where no column follows. */
enum grammar reader_grammar(const struct question_reader *reader, size_t at)
{
    const struct question_token *token;
    struct name name;

    if (at >= reader->tokens.words.count)
        return GRAMMAR_NONE;
    token = &reader->tokens.items[at];
    if (!token->length || !are_free(reader, at, token->length))
        return GRAMMAR_NONE;
    name = reader_any_name(reader, at);
    if (name.length > token->length)
        return GRAMMAR_NONE;
    if (name.length == token->length && name.kind != NAME_VALUE &&
        !(name.kind == NAME_METRIC && reader_any_name(reader, at + name.length).length))
        return GRAMMAR_NONE;
    return token->grammar;
}

size_t reader_length(const struct question_reader *reader, size_t at)
{
    return reader->tokens.items[at].length;
}

size_t reader_skip(const struct question_reader *reader, size_t at)
{
    for (;;) {
        enum grammar grammar = reader_grammar(reader, at);

        if (grammar != GRAMMAR_FILLER && grammar != GRAMMAR_IS)
            return at;
        at += reader_length(reader, at);
    }
}

size_t reader_negation(const struct question_reader *reader, size_t at)
{
    /* "not only in north" does not negate it. */
    static const char *const parts[] = {"only", "just", "all", NULL};

    for (size_t steps = 0; at-- > 0 && steps < BEFORE_MAX; steps++) {
        enum grammar grammar = reader_grammar(reader, at);

        if (grammar == GRAMMAR_NOT)
            return at;
        if (word_is_one_of(&reader->tokens.words, at, parts))
            break;
        if (word_is(&reader->tokens.words, at, "yet"))
            continue;
        if (grammar != GRAMMAR_FILLER && grammar != GRAMMAR_IS && grammar != GRAMMAR_IN &&
            grammar != GRAMMAR_FROM && grammar != GRAMMAR_WITH)
            break;
    }
    return SIZE_MAX;
}

bool reader_is_word(const struct question_reader *reader, size_t at, const char *word)
{
    return reader_is_free(reader, at) && word_is(&reader->tokens.words, at, word);
}

size_t reader_joined(const struct question_reader *reader, size_t at, bool *or_too)
{
    enum grammar grammar = reader_grammar(reader, at);

    *or_too = grammar == GRAMMAR_OR;
    if (grammar == GRAMMAR_AND || grammar == GRAMMAR_OR)
        return at + reader_length(reader, at);
    return at;
}

bool reader_has_digit(const struct question_reader *reader, size_t at)
{
    const char *shown = reader->tokens.words.items[at].shown;

    return shown[strcspn(shown, "0123456789")] != '\0';
}

bool reader_is_id(const struct question_reader *reader, size_t at)
{
    if (!reader_is_free(reader, at) || reader_any_name(reader, at).length ||
        reader_grammar(reader, at) != GRAMMAR_NONE)
        return false;
    return reader->tokens.items[at].quoted || reader_has_digit(reader, at);
}

bool reader_number(const struct question_reader *reader, size_t at, double *value)
{
    if (!reader_is_free(reader, at) || !reader->tokens.words.items[at].number)
        return false;
    *value = reader->tokens.words.items[at].value;
    return true;
}

bool reader_add_filter(struct question_reader *reader, const char *column, enum typed_operator op,
                       const json_t *values)
{
    if (reader->plan.filters.count == MEASURE_CONDITIONS_MAX)
        return false;
    reader->filters[reader->plan.filters.count++] =
        (struct typed_filter){.column = column, .op = (int)op, .values = (json_t *)values};
    return true;
}

bool reader_add_group(struct question_reader *reader, const char *path)
{
    for (size_t i = 0; i < reader->plan.group_by.count; i++)
        if (strcmp(reader->groups[i], path) == 0)
            return true;
    if (reader->plan.group_by.count == READER_GROUPS_MAX)
        return false;
    reader->groups[reader->plan.group_by.count++] = path;
    return true;
}

bool reader_is_self(const struct name *name)
{
    return name->length && name->kind == NAME_ENTITY && !*name->entity->path;
}

bool reader_asks_for_ones(const struct question_reader *reader)
{
    for (size_t at = 0; at < reader->tokens.words.count; at++)
        if (word_is(&reader->tokens.words, at, "ones"))
            return true;
    return false;
}

bool reader_is_plural(const struct question_reader *reader, size_t at)
{
    const char *fold = reader->tokens.items[at].fold;
    size_t length = strlen(fold);

    return strcmp(reader->tokens.language, "en") == 0 && length && fold[length - 1] == 's';
}

bool reader_is_number(const struct named_column *column)
{
    return column->field->column->type == COLUMN_INTEGER ||
           column->field->column->type == COLUMN_NUMBER;
}

const struct named_column *reader_sole_number(const struct question_reader *reader)
{
    const struct named_column *found = NULL;

    for (size_t i = 0; i < reader->names.column_count; i++) {
        const struct named_column *column = &reader->names.columns[i];

        if (column->depth || !reader_is_number(column))
            continue;
        if (found)
            return NULL;
        found = column;
    }
    return found;
}

bool reader_is_counter(const struct question_reader *reader, const struct named_column *column)
{
    const struct own_entity *own = reader->names.table->own;

    return own && !column->depth &&
           own->counts[column->field->column - reader->names.table->columns];
}
