/* Conditions of a question. */
#include "livedata/query/question_reader.h"

#include <string.h>

enum { LIST_MAX = 20 };

static bool is_flag(const struct named_column *column)
{
    return column->field->column->type == COLUMN_BOOLEAN;
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

    if (grammar != GRAMMAR_BETWEEN && grammar != GRAMMAR_FROM &&
        !reader_is_word(reader, at, "since"))
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
        after = reader_joined(reader, next + 1, &either);
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

/* Units of time. */

/* The seconds of "minutes" or "an hour" at the token; 0 = no unit. */
static double unit_at(const struct question_reader *reader, size_t at)
{
    static const struct {
        const char *words[4];
        double seconds;
    } units[] = {{{"second", "seconds", "sec"}, 1},
                 {{"minute", "minutes", "min"}, 60},
                 {{"hour", "hours", "h"}, 3600},
                 {{"day", "days"}, 86400},
                 {{"week", "weeks"}, 604800}};

    for (size_t i = 0; reader_is_free(reader, at) && i < sizeof units / sizeof units[0]; i++)
        if (word_is_one_of(&reader->tokens.words, at, units[i].words))
            return units[i].seconds;
    return 0;
}

/* A number, or one in "an hour"; how many tokens. */
static size_t amount_at(const struct question_reader *reader, size_t at, double *number)
{
    *number = 1;
    if ((reader_is_word(reader, at, "a") || reader_is_word(reader, at, "an")) &&
        unit_at(reader, at + 1) > 0)
        return 1;
    return reader_number(reader, at, number);
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
        if (amount_at(reader, number, &found.numbers[0])) {
            found.count = 1;
            found.length = number + 1 - at;
        }
    }
    if (!found.length && plain)
        found = numbers_at(reader, at, negated);
    found.length += found.length ? at - start : 0;
    return found;
}

/* The only own column that is a length of time. */
static const struct named_column *sole_duration(const struct question_reader *reader)
{
    const struct named_column *found = NULL;

    for (size_t i = 0; i < reader->names.column_count; i++) {
        const struct named_column *column = &reader->names.columns[i];

        if (column->depth || !reader_is_number(column) || name_unit_seconds(column) <= 0)
            continue;
        if (found)
            return NULL;
        found = column;
    }
    return found;
}

/* "10 minutes" of a column of seconds is 600. False when the column is no length of time. */
static bool convert(const struct question_reader *reader, size_t at, struct comparison *found,
                    const struct named_column *column)
{
    double unit = unit_at(reader, at + found->length), own = name_unit_seconds(column);

    if (unit <= 0)
        return true;
    if (own <= 0)
        return false;
    for (size_t i = 0; i < found->count; i++)
        found->numbers[i] = found->numbers[i] * unit / own;
    found->length++;
    return true;
}

static bool add_comparison(struct question_reader *reader, const struct named_column *column,
                           const struct comparison *found)
{
    return reader_add_filter(reader, column->path, found->op,
                             typed_numbers(reader->arena, found->numbers, found->count));
}

/* "never started": a counter that is zero. */
static bool read_never(struct question_reader *reader, size_t at, const struct name *name)
{
    size_t before = reader_negation(reader, at);
    const double zero = 0;

    if (before == SIZE_MAX || !reader_is_counter(reader, name->column) ||
        !word_is(&reader->tokens.words, before, "never") ||
        !reader_add_filter(reader, name->column->path, TYPED_EQUAL,
                           typed_numbers(reader->arena, &zero, 1)))
        return false;
    question_take(reader, at, name->length);
    question_take(reader, before, 1);
    return true;
}

/* "value above 10", "value is not 5". */
static bool read_number_column(struct question_reader *reader, size_t at, const struct name *name)
{
    size_t next = reader_skip(reader, at + name->length);
    struct comparison found;

    if (reader_grammar(reader, next) == GRAMMAR_WITH)
        next += reader_length(reader, next);
    found = comparison_at(reader, next, true);
    if (!found.length)
        return read_never(reader, at, name);
    if (!convert(reader, next, &found, name->column) ||
        !add_comparison(reader, name->column, &found))
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
        else if (grammar == GRAMMAR_NOT || grammar == GRAMMAR_DISTINCT ||
                 reader_is_word(reader, at, "a"))
            at += reader_length(reader, at);
        else
            return false;
    }
}

/* "cost more than 40 an hour", "more than 5 orders": a name around the comparison, or what a column
 * counts. */
static bool read_around(struct question_reader *reader, size_t at, const struct comparison *found)
{
    size_t before = at, next = at + found->length, first = 0;
    struct name name;

    while (before > 0 && reader_grammar(reader, before - 1) == GRAMMAR_IS)
        before--;
    name = name_in_parts(&reader->names, &reader->tokens, before, next, &first);
    if (!name.length)
        name = name_counted(&reader->names, &reader->tokens, next);
    if (!name.length || !reader_is_free(reader, next) ||
        !add_comparison(reader, name.column, found))
        return false;
    question_take(reader, before - first, first);
    question_take(reader, at, found->length + name.length);
    return true;
}

/* The column of a comparison: the name behind it, the only length of time, or the only number. */
static const struct named_column *compared_column(const struct question_reader *reader,
                                                  const struct name *name, size_t next)
{
    if (name->length && reader_is_number(name->column))
        return name->column;
    if (unit_at(reader, next) > 0)
        return sole_duration(reader);
    return counts_entity(reader, next) ? NULL : reader_sole_number(reader);
}

/* "more than 100 starts", "longer than 10 minutes", and "above 5" where the entity has one number
 * alone. */
static void read_comparisons(struct question_reader *reader)
{
    for (size_t at = 0; at < reader->tokens.words.count; at++) {
        struct comparison found = comparison_at(reader, at, false);
        size_t next = at + found.length;
        const struct named_column *column;
        struct name name;

        if (!found.length || read_around(reader, at, &found))
            continue;
        name = reader_name(reader, reader_skip(reader, next), NAME_COLUMN);
        column = compared_column(reader, &name, next);
        if (!column || !convert(reader, at, &found, column))
            continue;
        next = name.length && column == name.column ? reader_skip(reader, next) + name.length
                                                    : at + found.length;
        if (add_comparison(reader, column, &found))
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
    bool known; /* as a value of this column, and not only of another */

    *value = NULL;
    if (!reader_is_free(reader, at))
        return 0;
    *value = name_value(&reader->names, column, &reader->tokens, at, &length);
    if (!*value)
        return 0;
    known = *value != reader->tokens.words.items[at].shown || other.column == column;
    if (reader->tokens.items[at].quoted ||
        (other.kind == NAME_VALUE && other.length == length && known))
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
        bool free = any && (!list.count || reader_has_digit(reader, next));
        size_t length = value_at(reader, column, next, free, &value), after;

        if (!length)
            break;
        list.items[list.count++] = value;
        list.length = next + length - at;
        after = reader_joined(reader, next + length, &either);
        if (after == next + length && !reader->tokens.items[after].comma)
            break;
        next = after;
        while (reader_grammar(reader, next) == GRAMMAR_IN ||
               (reader_grammar(reader, next) == GRAMMAR_FILLER))
            next += reader_length(reader, next);
    }
    return list;
}

/* Where "yet" stands, or "still" before a negation. */
static bool find_yet(const struct question_reader *reader, size_t *at)
{
    for (*at = 0; *at < reader->tokens.words.count; ++*at) {
        size_t next = reader_skip(reader, *at + 1);

        if (reader_is_word(reader, *at, "yet") ||
            (reader_is_word(reader, *at, "still") && reader_grammar(reader, next) == GRAMMAR_NOT))
            return true;
    }
    return false;
}

/* The stages on the way to one: "not yet delivered" is of those, and not of what was cancelled. */
static struct value_list stages_before(const struct named_column *column, const char *value)
{
    const struct entity_type *owner = column->owner;
    struct value_list list = {.count = 0};
    size_t end = 0;

    if (!owner || strcmp(column->field->name, "status") != 0)
        return list;
    while (end < owner->stage_count && strcmp(owner->stages[end].name, value) != 0)
        end++;
    for (size_t i = 0; end < owner->stage_count && i < end && list.count < LIST_MAX; i++)
        if (!owner->stages[i].terminal)
            list.items[list.count++] = owner->stages[i].name;
    return list;
}

static bool add_values(struct question_reader *reader, const struct named_column *column,
                       const struct value_list *list, bool negated);

/* "Not yet delivered", "still not delivered". */
static bool add_awaited(struct question_reader *reader, const struct named_column *column,
                        const char *value)
{
    size_t yet;
    const struct value_list before = stages_before(column, value);

    if (!before.count || !find_yet(reader, &yet) || !add_values(reader, column, &before, false))
        return false;
    question_take(reader, yet, 1);
    return true;
}

static bool add_values(struct question_reader *reader, const struct named_column *column,
                       const struct value_list *list, bool negated)
{
    const struct string_list texts = {list->count, (const char **)list->items};
    enum typed_operator op = list->count > 1 ? negated ? TYPED_NOT_IN : TYPED_IN
                             : negated       ? TYPED_NOT_EQUAL
                                             : TYPED_EQUAL;

    if (negated && list->count == 1 && add_awaited(reader, column, list->items[0]))
        return true;
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
        while (reader_is_word(reader, next, "id") || reader_is_word(reader, next, "number") ||
               reader_is_word(reader, next, "no") || reader_is_word(reader, next, "#") ||
               (list.count == 0 && reader_is_word(reader, next, "with") &&
                reader_is_word(reader, next + 1, "id")))
            next++;
        while (list.count < LIST_MAX && reader_is_id(reader, next)) {
            list.items[list.count++] = reader->tokens.words.items[next].shown;
            list.length = next + 1;
            next = reader_joined(reader, next + 1, &either);
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
        for (size_t i = 0; i < reader->names.entity_count && reader_is_id(reader, at); i++) {
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
            if (!reader_is_word(reader, next, "a") && !reader_is_word(reader, next, "an") &&
                !reader_is_word(reader, next, "any"))
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
