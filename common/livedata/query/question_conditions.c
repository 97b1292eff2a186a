/* Groups and conditions of a question. */
#include "livedata/query/question_reader.h"

#include <string.h>

enum { LIST_MAX = 20 };

static bool is_word(const struct question_reader *reader, size_t at, const char *word)
{
    return reader_is_free(reader, at) && word_is(&reader->tokens.words, at, word);
}

/* Past AND, OR or a comma; `at` itself when none joins. */
static size_t joined(const struct question_reader *reader, size_t at, bool *or_too)
{
    enum grammar grammar = reader_grammar(reader, at);

    *or_too = grammar == GRAMMAR_OR;
    if (grammar == GRAMMAR_AND || grammar == GRAMMAR_OR)
        return at + reader_length(reader, at);
    return at;
}

/* Groups. */

static bool is_flag(const struct named_column *column)
{
    return column->field->column->type == COLUMN_BOOLEAN;
}

static bool is_groupable(const struct named_column *column)
{
    return column->field->column->type != COLUMN_TIME &&
           column->field->column->type != COLUMN_NUMBER;
}

static bool has_digit(const struct question_reader *reader, size_t at)
{
    const char *shown = reader->tokens.words.items[at].shown;

    return shown[strcspn(shown, "0123456789")] != '\0';
}

/* Whether an id follows the entity's name: "by machine M-3" names one. */
static bool is_id(const struct question_reader *reader, size_t at)
{
    if (!reader_is_free(reader, at) || reader_any_name(reader, at).length ||
        reader_grammar(reader, at) != GRAMMAR_NONE)
        return false;
    return reader->tokens.items[at].quoted || has_digit(reader, at);
}

/* The unit of "hourly"; NULL for other words. */
static const char *adverb_unit(const struct question_reader *reader, size_t at)
{
    static const char *const adverbs[][2] = {
        {"hourly", "hour"}, {"daily", "day"}, {"weekly", "week"}, {"monthly", "month"}};

    for (size_t i = 0; i < sizeof adverbs / sizeof adverbs[0]; i++)
        if (is_word(reader, at, adverbs[i][0]))
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
        if (!*name.entity->path || is_id(reader, at + name.length))
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
    next = joined(reader, end, &either);
    return next == end && !reader->tokens.items[end].comma;
}

/* What follows a joined group; 0 when the list ends there. */
static size_t next_group(struct question_reader *reader, size_t at, size_t *head, const char **path)
{
    bool either;
    size_t next = joined(reader, at, &either), flag;
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
        else if (adverb_unit(reader, at) && !reader_any_name(reader, at).length &&
                 group_at(reader, at, &path) && reader_add_group(reader, path))
            question_take(reader, at, 1);
    }
}

/* Conditions on numbers. */

static const struct {
    enum grammar grammar;
    enum typed_operator op, negated;
} comparisons[] = {
    {GRAMMAR_ABOVE, TYPED_ABOVE, TYPED_AT_MOST},   {GRAMMAR_AT_LEAST, TYPED_AT_LEAST, TYPED_BELOW},
    {GRAMMAR_BELOW, TYPED_BELOW, TYPED_AT_LEAST},  {GRAMMAR_AT_MOST, TYPED_AT_MOST, TYPED_ABOVE},
    {GRAMMAR_EQUAL, TYPED_EQUAL, TYPED_NOT_EQUAL}, {GRAMMAR_UNEQUAL, TYPED_NOT_EQUAL, TYPED_EQUAL}};

struct comparison {
    enum typed_operator op;
    double numbers[LIST_MAX];
    size_t count;
    size_t length; /* tokens; 0 = there is none */
};

/* "between 5 and 10", "from 5 to 10". */
static struct comparison range_at(const struct question_reader *reader, size_t at)
{
    struct comparison found = {.op = TYPED_BETWEEN};
    enum grammar grammar = reader_grammar(reader, at), middle;
    size_t first = at + 1, second;

    if (grammar != GRAMMAR_BETWEEN && grammar != GRAMMAR_FROM && !is_word(reader, at, "since"))
        return found;
    if (!reader_number(reader, first, &found.numbers[0]))
        return found;
    middle = reader_grammar(reader, first + 1);
    if (middle != (grammar == GRAMMAR_BETWEEN ? GRAMMAR_AND : GRAMMAR_TO))
        return found;
    second = first + 1 + reader_length(reader, first + 1);
    if (!reader_number(reader, second, &found.numbers[1]))
        return found;
    found.count = 2;
    found.length = second + 1 - at;
    return found;
}

/* "5", "5 or 6", "5 or more". */
static struct comparison numbers_at(const struct question_reader *reader, size_t at, bool negated)
{
    struct comparison found = {.op = negated ? TYPED_NOT_EQUAL : TYPED_EQUAL};
    size_t next = at;
    bool either;

    while (found.count < LIST_MAX && reader_number(reader, next, &found.numbers[found.count])) {
        size_t after;

        found.count++;
        found.length = next + 1 - at;
        after = joined(reader, next + 1, &either);
        if (!either)
            break;
        next = after;
    }
    if (found.count > 1)
        found.op = negated ? TYPED_NOT_IN : TYPED_IN;
    if (found.count == 1 && !negated) {
        enum grammar after = reader_grammar(reader, at + 1);

        if (after == GRAMMAR_OR_MORE || after == GRAMMAR_OR_LESS) {
            found.op = after == GRAMMAR_OR_MORE ? TYPED_AT_LEAST : TYPED_AT_MOST;
            found.length += reader_length(reader, at + 1);
        }
    }
    return found;
}

/* A comparison with a number at the token; plain numbers only where `plain`. */
static struct comparison comparison_at(const struct question_reader *reader, size_t at, bool plain)
{
    struct comparison found = {0};
    enum grammar grammar = reader_grammar(reader, at);
    bool negated = grammar == GRAMMAR_NOT;
    size_t start = at;

    if (negated) {
        at = reader_skip(reader, at + reader_length(reader, at));
        grammar = reader_grammar(reader, at);
    }
    if (!negated)
        found = range_at(reader, at);
    for (size_t i = 0; !found.length && i < sizeof comparisons / sizeof comparisons[0]; i++) {
        size_t number = at + (comparisons[i].grammar == grammar ? reader_length(reader, at) : 0);

        if (comparisons[i].grammar != grammar)
            continue;
        found.op = negated ? comparisons[i].negated : comparisons[i].op;
        if (reader_number(reader, number, &found.numbers[0])) {
            found.count = 1;
            found.length = number + 1 - at;
        }
    }
    if (!found.length && plain)
        found = numbers_at(reader, at, negated);
    found.length += found.length ? at - start : 0;
    return found;
}

static bool add_comparison(struct question_reader *reader, const struct named_column *column,
                           const struct comparison *found)
{
    return reader_add_filter(reader, column->path, found->op,
                             typed_numbers(reader->arena, found->numbers, found->count));
}

/* "value above 10", "value is not 5". */
static bool read_number_column(struct question_reader *reader, size_t at, const struct name *name)
{
    size_t next = reader_skip(reader, at + name->length);
    struct comparison found;

    if (reader_grammar(reader, next) == GRAMMAR_WITH)
        next += reader_length(reader, next);
    found = comparison_at(reader, next, true);
    if (!found.length || !add_comparison(reader, name->column, &found))
        return false;
    question_take(reader, at, next + found.length - at);
    return true;
}

/* Whether the number counts an entity: "more than 5 valid readings". */
static bool counts_entity(const struct question_reader *reader, size_t at)
{
    for (;;) {
        struct name name = reader_any_name(reader, at);
        enum grammar grammar = reader_grammar(reader, at);
        bool flag = name.kind == NAME_COLUMN && is_flag(name.column);

        if (reader_name(reader, at, NAME_ENTITY).length)
            return true;
        if (name.kind == NAME_VALUE || flag)
            at += name.length;
        else if (grammar == GRAMMAR_NOT || grammar == GRAMMAR_DISTINCT || is_word(reader, at, "a"))
            at += reader_length(reader, at);
        else
            return false;
    }
}

/* "more than 100 starts", and "above 5" where the entity has one number alone. */
static void read_comparisons(struct question_reader *reader)
{
    for (size_t at = 0; at < reader->tokens.words.count; at++) {
        struct comparison found = comparison_at(reader, at, false);
        size_t next = at + found.length;
        struct name name;

        if (!found.length)
            continue;
        name = reader_name(reader, reader_skip(reader, next), NAME_COLUMN);
        if (name.length && reader_is_number(name.column)) {
            next = reader_skip(reader, next) + name.length;
        } else {
            const struct named_column *sole = reader_sole_number(reader);

            if (!sole || counts_entity(reader, next))
                continue;
            name.column = sole;
        }
        if (add_comparison(reader, name.column, &found))
            question_take(reader, at, next - at);
    }
}

/* Conditions on texts. */

struct value_list {
    const char *items[LIST_MAX];
    size_t count;
    size_t length;
};

/* One value of the column: known, quoted, or, where `any`, a word that means nothing else. */
static size_t value_at(const struct question_reader *reader, const struct named_column *column,
                       size_t at, bool any, const char **value)
{
    struct name other = reader_any_name(reader, at);
    size_t length;

    *value = NULL;
    if (!reader_is_free(reader, at))
        return 0;
    *value = name_value(&reader->names, column, &reader->tokens, at, &length);
    if (!*value)
        return 0;
    if (reader->tokens.items[at].quoted || (other.kind == NAME_VALUE && other.length == length))
        return length;
    if (!any || reader->tokens.items[at].grammar != GRAMMAR_NONE ||
        (other.length && other.kind != NAME_VALUE) || !*reader->tokens.items[at].fold)
        return 0;
    return length;
}

/* Words that are no known value count as the first of a list, and as ids. */
static struct value_list values_at(const struct question_reader *reader,
                                   const struct named_column *column, size_t at, bool any)
{
    struct value_list list = {.count = 0};
    size_t next = at;

    while (list.count < LIST_MAX) {
        const char *value;
        bool either;
        bool free = any && (!list.count || has_digit(reader, next));
        size_t length = value_at(reader, column, next, free, &value), after;

        if (!length)
            break;
        list.items[list.count++] = value;
        list.length = next + length - at;
        after = joined(reader, next + length, &either);
        if (after == next + length && !reader->tokens.items[after].comma)
            break;
        next = after;
        while (reader_grammar(reader, next) == GRAMMAR_IN ||
               (reader_grammar(reader, next) == GRAMMAR_FILLER))
            next += reader_length(reader, next);
    }
    return list;
}

static bool add_values(struct question_reader *reader, const struct named_column *column,
                       const struct value_list *list, bool negated)
{
    const struct string_list texts = {list->count, (const char **)list->items};
    enum typed_operator op = list->count > 1 ? negated ? TYPED_NOT_IN : TYPED_IN
                             : negated       ? TYPED_NOT_EQUAL
                                             : TYPED_EQUAL;

    return reader_add_filter(reader, column->path, op, typed_texts(reader->arena, &texts));
}

static bool add_contained(struct question_reader *reader, const struct named_column *column,
                          size_t at, size_t end)
{
    struct value_list list = {.count = 1};
    const struct string_list texts = {1, (const char **)list.items};

    if (!reader_is_free(reader, end) || *reader->tokens.words.items[end].shown == '\0')
        return false;
    list.items[0] = reader->tokens.words.items[end].shown;
    if (!reader_add_filter(reader, column->path, TYPED_CONTAINS,
                           typed_texts(reader->arena, &texts)))
        return false;
    question_take(reader, at, end + 1 - at);
    return true;
}

/* "site is not north or south", "sensor temperature", "name contains saw". */
static bool read_text_column(struct question_reader *reader, size_t at, const struct name *name)
{
    size_t next = reader_skip(reader, at + name->length), before = reader_negation(reader, at);
    enum grammar grammar = reader_grammar(reader, next);
    bool negated = before != SIZE_MAX, direct = next == at + name->length;
    struct value_list list;

    direct = direct || reader_grammar(reader, at + name->length) == GRAMMAR_IS;
    if (grammar == GRAMMAR_CONTAINS && !negated)
        return add_contained(reader, name->column, at, next + reader_length(reader, next));
    while (grammar == GRAMMAR_NOT || grammar == GRAMMAR_UNEQUAL || grammar == GRAMMAR_IN ||
           grammar == GRAMMAR_EQUAL) {
        if (negated && (grammar == GRAMMAR_NOT || grammar == GRAMMAR_UNEQUAL))
            return false; /* "not other than" */
        negated = negated || grammar == GRAMMAR_NOT || grammar == GRAMMAR_UNEQUAL;
        direct = direct || grammar == GRAMMAR_EQUAL || grammar == GRAMMAR_UNEQUAL;
        next = reader_skip(reader, next + reader_length(reader, next));
        grammar = reader_grammar(reader, next);
    }
    list = values_at(reader, name->column, next, direct);
    if (!list.count || !add_values(reader, name->column, &list, negated))
        return false;
    question_take(reader, at, next + list.length - at);
    if (before != SIZE_MAX)
        question_take(reader, before, 1);
    return true;
}

static bool read_flag_value(struct question_reader *reader, size_t at, const struct name *name)
{
    size_t next = reader_skip(reader, at + name->length);
    enum grammar grammar;

    if (reader_grammar(reader, next) == GRAMMAR_EQUAL)
        next = reader_skip(reader, next + reader_length(reader, next));
    grammar = reader_grammar(reader, next);
    if ((grammar != GRAMMAR_TRUE && grammar != GRAMMAR_FALSE) || name->negated ||
        reader_negation(reader, at) != SIZE_MAX ||
        !reader_add_filter(reader, name->column->path, TYPED_EQUAL,
                           typed_flag(reader->arena, grammar == GRAMMAR_TRUE)))
        return false;
    question_take(reader, at, next + reader_length(reader, next) - at);
    return true;
}

static void read_column_conditions(struct question_reader *reader)
{
    for (size_t at = 0; at < reader->tokens.words.count; at++) {
        struct name name = reader_name(reader, at, NAME_COLUMN);

        if (!name.length || reader_any_name(reader, at).length > name.length)
            continue;
        switch (name.column->field->column->type) {
        case COLUMN_INTEGER:
        case COLUMN_NUMBER:
            (void)read_number_column(reader, at, &name);
            break;
        case COLUMN_TEXT:
            (void)read_text_column(reader, at, &name);
            break;
        case COLUMN_BOOLEAN:
            (void)read_flag_value(reader, at, &name);
            break;
        default:
            break;
        }
    }
}

/* "machine M-3", "machines M-1 and M-2". */
static void read_ids(struct question_reader *reader)
{
    for (size_t at = 0; at < reader->tokens.words.count; at++) {
        struct name name = reader_name(reader, at, NAME_ENTITY);
        struct value_list list = {.count = 0};
        size_t next = at + name.length, before = reader_negation(reader, at);
        const struct named_column column = {name.length ? name.entity->key : NULL, 0, NULL, NULL};
        bool either = false;

        if (!name.length || reader_any_name(reader, at).length > name.length)
            continue;
        while (
            is_word(reader, next, "id") || is_word(reader, next, "number") ||
            is_word(reader, next, "no") || is_word(reader, next, "#") ||
            (list.count == 0 && is_word(reader, next, "with") && is_word(reader, next + 1, "id")))
            next++;
        while (list.count < LIST_MAX && is_id(reader, next)) {
            list.items[list.count++] = reader->tokens.words.items[next].shown;
            list.length = next + 1;
            next = joined(reader, next + 1, &either);
        }
        if (!list.count || !add_values(reader, &column, &list, before != SIZE_MAX))
            continue;
        question_take(reader, at, list.length - at);
        if (before != SIZE_MAX)
            question_take(reader, before, 1);
        reader->named = reader->named || !*name.entity->path;
    }
}

/* Ids without the name of their entity, as far as there is such a row. */
static void read_known_ids(struct question_reader *reader)
{
    for (size_t at = 0; at < reader->tokens.words.count; at++)
        for (size_t i = 0; i < reader->names.entity_count && is_id(reader, at); i++) {
            const struct named_entity *entity = &reader->names.entities[i];
            const char *id = reader->tokens.words.items[at].shown;
            const struct value_list list = {{id}, 1, 1};
            const struct named_column column = {entity->key, 0, NULL, NULL};
            size_t before = reader_negation(reader, at);

            if (reader->tokens.words.items[at].number || !reader->names.samples ||
                !samples_have_key(reader->names.samples, entity->type->table, id) ||
                !add_values(reader, &column, &list, before != SIZE_MAX))
                continue;
            question_take(reader, at, 1);
            if (before != SIZE_MAX)
                question_take(reader, before, 1);
            reader->named = reader->named || !*entity->path;
        }
}

/* "without a name", "name is missing", "unknown name"; and "with a name". */
static void read_absence(struct question_reader *reader)
{
    for (size_t at = 0; at < reader->tokens.words.count; at++) {
        enum grammar grammar = reader_grammar(reader, at);
        struct name name = reader_name(reader, at, NAME_COLUMN);
        size_t next;

        if (grammar == GRAMMAR_WITHOUT || grammar == GRAMMAR_MISSING) {
            next = reader_skip(reader, at + reader_length(reader, at));
            name = reader_name(reader, next, NAME_COLUMN);
            if (name.length && reader_negation(reader, at) == SIZE_MAX &&
                reader_add_filter(reader, name.column->path, TYPED_IS_NULL, NULL))
                question_take(reader, at, next + name.length - at);
        } else if (grammar == GRAMMAR_WITH) {
            next = at + reader_length(reader, at);
            if (!is_word(reader, next, "a") && !is_word(reader, next, "an") &&
                !is_word(reader, next, "any"))
                continue;
            name = reader_name(reader, next + 1, NAME_COLUMN);
            if (name.length && name.column->field->column->type != COLUMN_BOOLEAN &&
                reader_add_filter(reader, name.column->path, TYPED_IS_NOT_NULL, NULL))
                question_take(reader, at, next + 1 + name.length - at);
        } else if (name.length) {
            bool negated;

            next = reader_skip(reader, at + name.length);
            negated = reader_grammar(reader, next) == GRAMMAR_NOT;
            if (negated)
                next += reader_length(reader, next);
            if (reader_grammar(reader, next) == GRAMMAR_MISSING &&
                reader_add_filter(reader, name.column->path,
                                  negated ? TYPED_IS_NOT_NULL : TYPED_IS_NULL, NULL))
                question_take(reader, at, next + reader_length(reader, next) - at);
        }
    }
}

/* "running", "not valid", "invalid". */
static bool read_flag(struct question_reader *reader, size_t at)
{
    struct name name = reader_name(reader, at, NAME_COLUMN);
    size_t before = reader_negation(reader, at);

    if (!name.length || name.column->field->column->type != COLUMN_BOOLEAN ||
        (name.negated && before != SIZE_MAX) ||
        !reader_add_filter(reader, name.column->path, TYPED_EQUAL,
                           typed_flag(reader->arena, !name.negated && before == SIZE_MAX)))
        return false;
    question_take(reader, at, name.length);
    if (before != SIZE_MAX)
        question_take(reader, before, 1);
    return true;
}

/* What the file calls true or false of a flag: "stopped". */
static bool read_flag_name(struct question_reader *reader, size_t at, const struct name *name,
                           size_t before)
{
    bool value = (strcmp(name->value, "true") == 0) == (before == SIZE_MAX);

    if (!reader_add_filter(reader, name->column->path, TYPED_EQUAL,
                           typed_flag(reader->arena, value)))
        return false;
    question_take(reader, at, name->length);
    if (before != SIZE_MAX)
        question_take(reader, before, 1);
    return true;
}

/* "north or south", also before its column: "temperature sensor". */
static void read_value(struct question_reader *reader, size_t at)
{
    struct name name = reader_name(reader, at, NAME_VALUE), column;
    size_t before = reader_negation(reader, at), end;
    struct value_list list;

    if (!name.length || reader_any_name(reader, at).length > name.length ||
        reader_grammar(reader, at) != GRAMMAR_NONE)
        return;
    if (name.second) {
        reader->conflict = arena_print(
            reader->arena, "'%s' is a value of %s and of %s: name the one that is meant",
            name.value, name.column->path, name.second->path);
        return;
    }
    if (name.column->field->column->type == COLUMN_BOOLEAN) {
        (void)read_flag_name(reader, at, &name, before);
        return;
    }
    list = values_at(reader, name.column, at, true);
    if (!list.count || !add_values(reader, name.column, &list, before != SIZE_MAX))
        return;
    end = at + list.length;
    column = reader_name(reader, end, NAME_COLUMN);
    if (column.length && column.column == name.column)
        end += column.length;
    question_take(reader, at, end - at);
    if (before != SIZE_MAX)
        question_take(reader, before, 1);
}

/* "named Saw": the name of the entity, or of the nearest one that has one. */
static void read_named(struct question_reader *reader, size_t at)
{
    size_t value = at + reader_length(reader, at);

    for (size_t i = 0; i < reader->names.column_count && reader_is_free(reader, value); i++) {
        const struct named_column *column = &reader->names.columns[i];
        const struct value_list list = {{reader->tokens.words.items[value].shown}, 1, 1};

        if (strcmp(column->field->name, "name") != 0 ||
            !add_values(reader, column, &list, reader_negation(reader, at) != SIZE_MAX))
            continue;
        question_take(reader, at, value + 1 - at);
        return;
    }
}

void reader_read_conditions(struct question_reader *reader)
{
    read_column_conditions(reader);
    read_ids(reader);
    read_comparisons(reader);
    read_absence(reader);
    for (size_t at = 0; at < reader->tokens.words.count; at++) {
        if (reader_grammar(reader, at) == GRAMMAR_NAMED)
            read_named(reader, at);
        if (!read_flag(reader, at))
            read_value(reader, at);
    }
    read_known_ids(reader);
}
