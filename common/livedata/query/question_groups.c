/* Groups of a question: columns, related entities, units of time. */
#include "livedata/query/question_reader.h"

#include <string.h>

static bool is_flag(const struct named_column *column)
{
    return column->field->column->type == COLUMN_BOOLEAN;
}

static bool is_groupable(const struct named_column *column)
{
    return column->field->column->type != COLUMN_TIME &&
           column->field->column->type != COLUMN_NUMBER;
}

/* The unit of "hourly"; NULL for other words. */
static const char *adverb_unit(const struct question_reader *reader, size_t at)
{
    static const char *const adverbs[][2] = {
        {"hourly", "hour"}, {"daily", "day"}, {"weekly", "week"}, {"monthly", "month"}};

    for (size_t i = 0; i < sizeof adverbs / sizeof adverbs[0]; i++)
        if (reader_is_word(reader, at, adverbs[i][0]))
            return adverbs[i][1];
    return NULL;
}

/* A unit of time, where the entity has a time. The buckets of two periods never coincide, so that
 * values by time are not compared. */
static const char *unit_at(const struct question_reader *reader, size_t at)
{
    if (!reader->implied || reader->plan.compare)
        return NULL;
    return reader_grammar(reader, at) == GRAMMAR_UNIT ? reader->tokens.words.items[at].text
                                                      : adverb_unit(reader, at);
}

/* "day by day" */
static bool day_by_day(const struct question_reader *reader, size_t at, const char **unit)
{
    *unit = unit_at(reader, at);
    return *unit && reader_grammar(reader, at + 1) == GRAMMAR_BY &&
           reader_is_word(reader, at + 2, *unit);
}

/* A column, a related entity, that entity's column ("machine site"), or a unit of time. */
static size_t group_at(const struct question_reader *reader, size_t at, const char **path)
{
    size_t start = at;
    struct name name;

    at = reader_skip(reader, at);
    *path = unit_at(reader, at);
    if (*path)
        return at + 1 - start;
    name = reader_name(reader, at, NAME_ENTITY);
    if (name.length && name.length >= reader_name(reader, at, NAME_COLUMN).length) {
        struct name column = reader_name(reader, at + name.length, NAME_COLUMN);

        if (column.length && !reader->tokens.items[at + name.length].comma &&
            column.column->owner == name.entity->type && is_groupable(column.column)) {
            *path = column.column->path;
            return at + name.length + column.length - start;
        }
        if (!*name.entity->path || reader_is_id(reader, at + name.length))
            return 0;
        *path = name.entity->key;
        return at + name.length - start;
    }
    name = reader_name(reader, at, NAME_COLUMN);
    if (!name.length || name.negated || !is_groupable(name.column))
        return 0;
    if (is_flag(name.column) && reader_name(reader, at + name.length, NAME_ENTITY).length)
        return 0; /* "by running machines" */
    *path = name.column->path;
    return at + name.length - start;
}

/* Whether a flag stands there that may be a condition of what precedes: ", running machines only",
 * "and running in north". At the end of the question it is a group. */
static bool may_be_condition(const struct question_reader *reader, size_t at)
{
    const struct question_words *words = &reader->tokens.words;
    struct name name = reader_name(reader, at, NAME_COLUMN);
    size_t end = at + name.length, next;
    bool either;

    if (!name.length || !is_flag(name.column) || end >= words->count ||
        words->items[end].slot == SLOT_PERIOD)
        return false;
    next = reader_joined(reader, end, &either);
    return next == end && !reader->tokens.items[end].comma;
}

/* What follows a joined group; 0 when the list ends there. */
static size_t next_group(struct question_reader *reader, size_t at, size_t *head, const char **path)
{
    bool either;
    size_t next = reader_joined(reader, at, &either), flag;
    enum grammar grammar = reader_grammar(reader, next);

    if (either || (next == at && !reader->tokens.items[at].comma))
        return 0;
    *head = next - at;
    if (grammar == GRAMMAR_BY || grammar == GRAMMAR_PER) {
        *head += reader_length(reader, next);
        return group_at(reader, at + *head, path);
    }
    flag = reader_skip(reader, next);
    if (!may_be_condition(reader, flag))
        return group_at(reader, at + *head, path);
    if (next != at)
        reader->conflict = arena_print(
            reader->arena, "'%s' could be a group or a condition: name the one that is meant",
            reader->tokens.words.items[flag].shown);
    return 0;
}

static void read_group_list(struct question_reader *reader, size_t at, size_t head)
{
    const char *path;
    size_t length = group_at(reader, at + head, &path);

    while (length && reader_add_group(reader, path)) {
        question_take(reader, at, head + length);
        at += head + length;
        length = next_group(reader, at, &head, &path);
    }
}

void reader_read_groups(struct question_reader *reader)
{
    for (size_t at = 0; at < reader->tokens.words.count; at++) {
        enum grammar grammar = reader_grammar(reader, at);
        const char *path;

        if (grammar == GRAMMAR_PER || grammar == GRAMMAR_BY)
            read_group_list(reader, at, reader_length(reader, at));
        else if (grammar == GRAMMAR_UNIT && day_by_day(reader, at, &path) &&
                 reader_add_group(reader, path))
            question_take(reader, at, 3);
        else if (adverb_unit(reader, at) && !reader_any_name(reader, at).length &&
                 group_at(reader, at, &path) && reader_add_group(reader, path))
            question_take(reader, at, 1);
    }
}
