/* What a question selects, and the words that are left. */
#include "livedata/query/question_reader.h"

#include "base/number.h"

#include <stdlib.h>
#include <string.h>

enum { PHRASE_MOST = 6 };

static void select_over(struct question_reader *reader, enum typed_select select,
                        const struct named_column *column)
{
    reader->plan.select = (int)select;
    reader->plan.column = column ? column->path : NULL;
    reader->selected = true;
}

/* "list trips" asks for the rows, also where a metric is called trips. */
static bool lists_rows(const struct question_reader *reader, size_t at, const struct name *metric)
{
    static const char *const verbs[] = {"list",  "show",    "display", "which", "find",
                                        "fetch", "records", "rows",    NULL};
    struct name entity = reader_name(reader, at, NAME_ENTITY);

    if (!reader_is_self(&entity) || entity.length < metric->length)
        return false;
    for (size_t i = 0; i < reader->tokens.words.count; i++)
        if (word_is_one_of(&reader->tokens.words, i, verbs))
            return true;
    return false;
}

static bool read_metric(struct question_reader *reader, size_t at)
{
    struct name name = reader_name(reader, at, NAME_METRIC);

    if (!name.length || lists_rows(reader, at, &name) || reader->selected ||
        reader_grammar(reader, at) != GRAMMAR_NONE)
        return false;
    select_over(reader, TYPED_METRIC, NULL);
    reader->plan.metric = name.metric->name;
    question_take(reader, at, name.length);
    return true;
}

/* "how many different machines": of rows that name them. */
static bool read_distinct_entity(struct question_reader *reader, size_t at, size_t next)
{
    struct name name = reader_name(reader, next, NAME_ENTITY);

    if (!name.length || !*name.entity->path || strchr(name.entity->key, '.'))
        return false;
    reader->plan.select = TYPED_DISTINCT;
    reader->plan.column = name.entity->key;
    reader->selected = true;
    question_take(reader, at, next + name.length - at);
    return true;
}

static bool is_named(const struct question_reader *reader)
{
    for (size_t at = 0; at < reader->tokens.words.count; at++) {
        struct name name = reader_name(reader, at, NAME_ENTITY);

        if (reader_is_self(&name))
            return true;
    }
    return false;
}

/* Whether a number column is added up when it is counted: starts, and the units of products. */
static bool is_countable(const struct question_reader *reader, const struct name *name, size_t at)
{
    return reader_is_counter(reader, name->column) ||
           (name->column->field->column->type == COLUMN_INTEGER && is_named(reader) &&
            reader_is_plural(reader, at + name->length - 1));
}

/* "how many readings", "how many different sensors", "number of sites", "how many starts". */
static void read_count(struct question_reader *reader, size_t at)
{
    size_t next = reader_skip(reader, at + reader_length(reader, at));
    bool distinct = reader_grammar(reader, next) == GRAMMAR_DISTINCT;
    struct name name;

    if (reader->selected)
        return;
    if (distinct)
        next = reader_skip(reader, next + reader_length(reader, next));
    if (distinct && read_distinct_entity(reader, at, next))
        return;
    name = reader_name(reader, next, NAME_COLUMN);
    if (name.length && !name.column->depth &&
        reader_name(reader, next, NAME_ENTITY).length < name.length) {
        bool counter = is_countable(reader, &name, next);

        if (name.column->field->column->type == COLUMN_BOOLEAN ||
            (reader_is_number(name.column) && !distinct && !counter))
            return;
        select_over(reader, counter && !distinct ? TYPED_SUM : TYPED_DISTINCT, name.column);
        question_take(reader, at, next + name.length - at);
        return;
    }
    for (size_t i = 0; !distinct && i < reader->tokens.words.count; i++) {
        name = reader_name(reader, i, NAME_ENTITY);
        /* "machine count" only where it stands right before. */
        if (!reader_is_self(&name) || (i < next && i + name.length != at))
            continue;
        select_over(reader, TYPED_COUNT, NULL);
        reader->named = true;
        question_take(reader, at, reader_length(reader, at));
        return;
    }
}

static bool takes_time(enum typed_select select, const struct named_column *column)
{
    return (select == TYPED_MIN || select == TYPED_MAX) &&
           column->field->column->type == COLUMN_TIME;
}

/* The column after the aggregate, or the only number that the question could mean. */
static bool aggregate(struct question_reader *reader, enum typed_select select, size_t at,
                      size_t length)
{
    size_t next = reader_skip(reader, at + length);
    struct name name = reader_name(reader, next, NAME_COLUMN);
    const struct named_column *sole = reader_sole_number(reader);

    if (name.length && !name.column->depth &&
        (reader_is_number(name.column) || takes_time(select, name.column))) {
        select_over(reader, select, name.column);
        question_take(reader, at, next + name.length - at);
        return true;
    }
    for (size_t i = 0; i < reader->tokens.words.count; i++) {
        name = reader_name(reader, i, NAME_COLUMN);
        if (!name.length || name.column->depth || !reader_is_number(name.column))
            continue;
        select_over(reader, select, name.column);
        question_take(reader, at, length);
        question_take(reader, i, name.length);
        return true;
    }
    if (!sole || reader_grammar(reader, next) == GRAMMAR_COUNT ||
        strstr(reader->tokens.words.items[at].text, "together"))
        return false;
    select_over(reader, select, sole);
    question_take(reader, at, length);
    return true;
}

/* "total readings" are counted. */
static bool read_total(struct question_reader *reader, size_t at)
{
    struct name name = reader_name(reader, at + reader_length(reader, at), NAME_ENTITY);

    if (!word_is(&reader->tokens.words, at, "total") || !reader_is_self(&name))
        return false;
    select_over(reader, TYPED_COUNT, NULL);
    reader->named = true;
    question_take(reader, at, reader_length(reader, at));
    return true;
}

/* "p95 value", "95th percentile of value", "90 percentile". */
static bool read_percentile(struct question_reader *reader, size_t at)
{
    const char *text = reader->tokens.words.items[at].text;
    double percent = 0;
    size_t start = at, length = 1;

    if (!reader_is_free(reader, at))
        return false;
    if (*text == 'p' && text[1] && text[strspn(text + 1, "0123456789") + 1] == '\0') {
        percent = strtod(text + 1, NULL);
        percent = percent > 100 && percent < 1000 ? percent / 10 : percent;
    } else if (reader_grammar(reader, at) == GRAMMAR_PERCENTILE && at &&
               reader_number(reader, at - 1, &percent)) {
        start = at - 1;
        length = 1 + reader_length(reader, at);
    }
    if (!(percent > 0 && percent < 100) || !aggregate(reader, TYPED_QUANTILE, start, length))
        return false;
    reader->plan.quantile = GIVEN_NUMBER(number_round(percent / 100, 4));
    return true;
}

static void read_how_much(struct question_reader *reader, size_t at)
{
    size_t next = reader_skip(reader, at + reader_length(reader, at));
    struct name name = reader_name(reader, next, NAME_COLUMN);

    if (!name.length || !reader_is_counter(reader, name.column))
        return;
    select_over(reader, TYPED_SUM, name.column);
    question_take(reader, at, next + name.length - at);
}

static void read_aggregate(struct question_reader *reader, size_t at)
{
    static const struct {
        enum grammar grammar;
        enum typed_select select;
    } kinds[] = {{GRAMMAR_SUM, TYPED_SUM},
                 {GRAMMAR_AVERAGE, TYPED_AVERAGE},
                 {GRAMMAR_MIN, TYPED_MIN},
                 {GRAMMAR_MAX, TYPED_MAX},
                 {GRAMMAR_MEDIAN, TYPED_QUANTILE}};
    enum grammar grammar = reader_grammar(reader, at);

    if (reader->selected || read_percentile(reader, at))
        return;
    if (grammar == GRAMMAR_HOW_MUCH)
        read_how_much(reader, at);
    if (grammar == GRAMMAR_SUM && read_total(reader, at))
        return;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].grammar == grammar &&
            aggregate(reader, kinds[i].select, at, reader_length(reader, at)) &&
            grammar == GRAMMAR_MEDIAN)
            reader->plan.quantile = GIVEN_NUMBER(0.5);
}

/* "the value, from most to least": the order of what is computed. */
static void read_direction(struct question_reader *reader)
{
    for (size_t at = 0; at < reader->tokens.words.count; at++) {
        enum grammar grammar = reader_grammar(reader, at);
        struct typed_order *order;

        if ((grammar != GRAMMAR_ASCENDING && grammar != GRAMMAR_DESCENDING) || reader->plan.order ||
            !reader->plan.group_by.count)
            continue;
        order = ARENA_NEW(reader->arena, struct typed_order);
        *order = (struct typed_order){"value", grammar == GRAMMAR_DESCENDING};
        reader->plan.order = order;
        question_take(reader, at, reader_length(reader, at));
    }
}

static bool begins(const char *path, const char *relation)
{
    size_t length = strlen(relation);

    return path && strncmp(path, relation, length) == 0 && path[length] == '.';
}

/* Whether the plan reads the related entity: what names it only says so. */
static bool is_used(const struct question_reader *reader, const struct named_entity *entity)
{
    bool used = false;

    for (size_t i = 0; i < reader->plan.filters.count; i++)
        used = used || begins(reader->filters[i].column, entity->path) ||
               strcmp(reader->filters[i].column, entity->key) == 0;
    for (size_t i = 0; i < reader->plan.group_by.count; i++)
        used = used || begins(reader->groups[i], entity->path) ||
               strcmp(reader->groups[i], entity->key) == 0;
    for (size_t i = 0; i < reader->shown_count; i++)
        used = used || begins(reader->shown[i], entity->path);
    return used || (reader->plan.order && begins(reader->plan.order->by, entity->path));
}

/* Columns that are named without a use are shown; verbs like "taken" of the time of the period say
 * no more than the period. */
static void read_shown(struct question_reader *reader)
{
    for (size_t at = 0; at < reader->tokens.words.count; at++) {
        struct name name = reader_name(reader, at, NAME_COLUMN);

        if (!name.length || reader_any_name(reader, at).length > name.length || name.negated ||
            name.column->field->column->type == COLUMN_BOOLEAN)
            continue;
        if (name.column->field->column == reader->time && !reader->when && reader->period) {
            question_take(reader, at, name.length);
            continue;
        }
        if (reader->selected || reader->shown_count == READER_SHOWN_MAX ||
            (at && reader_grammar(reader, at - 1) == GRAMMAR_WITH)) /* to show, or to have? */
            continue;
        reader->shown[reader->shown_count++] = name.column->path;
        question_take(reader, at, name.length);
    }
}

/* Columns of related entities alone are no question about this one: their words were not
 * understood. */
static void give_back_shown(struct question_reader *reader)
{
    bool own = reader->named || reader->selected || !reader->shown_count;

    for (size_t i = 0; i < reader->shown_count; i++)
        own = own || !strchr(reader->shown[i], '.');
    for (size_t at = 0; !own && at < reader->tokens.words.count; at++) {
        struct name name = reader->found[at][NAME_COLUMN];

        for (size_t i = 0; name.length && i < reader->shown_count; i++)
            if (name.column->path == reader->shown[i])
                words_take(&reader->tokens.words, at, name.length, SLOT_NONE);
    }
}

/* "when was": for the entity's time, unless a time is named. */
static void read_when(struct question_reader *reader)
{
    for (size_t at = 0; at < reader->tokens.words.count; at++)
        if (reader_is_free(reader, at) && word_is(&reader->tokens.words, at, "when") &&
            !reader->selected) {
            reader->when = true;
            question_take(reader, at, 1);
        }
}

/* The grammar of the phrase that ends before the token, and where that begins. */
static enum grammar grammar_before(const struct question_reader *reader, size_t at, size_t *start)
{
    size_t least = at > PHRASE_MOST ? at - PHRASE_MOST : 0;

    for (*start = least; *start < at; ++*start)
        if (reader->tokens.items[*start].length == at - *start)
            return reader->tokens.items[*start].grammar;
    *start = at;
    return GRAMMAR_NONE;
}

/* Whether a preposition ties what stands there to something before it: "of all machines". */
static bool is_tied(const struct question_reader *reader, size_t at)
{
    static const char *const ties[] = {"of", "for", "on", "at", NULL};
    enum grammar grammar;
    size_t start;

    while ((grammar = grammar_before(reader, at, &start)) == GRAMMAR_FILLER) {
        if (at - start == 1 && word_is_one_of(&reader->tokens.words, start, ties))
            return true;
        at = start;
    }
    return grammar == GRAMMAR_IN || grammar == GRAMMAR_FROM || grammar == GRAMMAR_BY ||
           grammar == GRAMMAR_PER;
}

/* Whether the related entity is what the question asks for, and the entity itself only a condition
 * of it: "which machines in north have readings". That is no question about readings. */
static bool is_asked_for(const struct question_reader *reader, size_t at, const struct name *name)
{
    bool more = false;

    if (is_tied(reader, at))
        return false;
    for (size_t next = at + name->length; next < reader->tokens.words.count; next++) {
        struct name other = reader_name(reader, next, NAME_ENTITY);

        if (reader_is_self(&other))
            return more;
        more = more ||
               (reader_is_free(reader, next) && reader_grammar(reader, next) != GRAMMAR_FILLER);
    }
    return false;
}

static void read_entities(struct question_reader *reader)
{
    for (size_t at = 0; at < reader->tokens.words.count; at++) {
        struct name name = reader_name(reader, at, NAME_ENTITY);

        if (!name.length || reader_any_name(reader, at).length > name.length)
            continue;
        if (reader_is_self(&name) ||
            (is_used(reader, name.entity) && !is_asked_for(reader, at, &name))) {
            reader->named = reader->named || reader_is_self(&name);
            question_take(reader, at, name.length);
        }
    }
}

/* "over the last week" */
static bool is_over_period(const struct question_reader *reader, size_t at)
{
    size_t next = reader_skip(reader, at + 1);

    return reader_is_word(reader, at, "over") && next < reader->tokens.words.count &&
           reader->tokens.words.items[next].slot == SLOT_PERIOD;
}

/* Words that carry no meaning where they stand. */
static void read_fillers(struct question_reader *reader)
{
    for (size_t at = 0; at < reader->tokens.words.count; at++) {
        enum grammar grammar = reader_grammar(reader, at);

        if (grammar == GRAMMAR_FILLER || grammar == GRAMMAR_IS || grammar == GRAMMAR_AND ||
            grammar == GRAMMAR_IN || grammar == GRAMMAR_FROM || grammar == GRAMMAR_WITH)
            question_take(reader, at, reader_length(reader, at));
        if (grammar == GRAMMAR_HOW && reader->selected)
            question_take(reader, at, reader_length(reader, at));
        if (is_over_period(reader, at))
            question_take(reader, at, 1);
    }
}

/* One row by its key is a record. */
static void choose_record(struct question_reader *reader)
{
    const struct typed_filter *filter = &reader->filters[0];
    const char *key;

    if (reader->selected || reader->plan.filters.count != 1 || reader->plan.period ||
        reader->plan.order || !reader->names.type ||
        strcmp(filter->column, reader->names.type->primary_key) != 0 || filter->op != TYPED_EQUAL)
        return;
    key = json_string_value(json_array_get(filter->values, 0));
    if (!key)
        return;
    reader->plan.select = TYPED_RECORD;
    reader->plan.key = key;
    reader->plan.filters.count = 0;
}

static const struct named_column *own_column(const struct question_reader *reader, const char *path)
{
    for (size_t i = 0; i < reader->names.column_count; i++)
        if (!reader->names.columns[i].depth && strcmp(reader->names.columns[i].path, path) == 0)
            return &reader->names.columns[i];
    return NULL;
}

/* Whether the column holds the key of a related entity. */
static bool is_relation(const struct question_reader *reader, const char *path)
{
    for (size_t i = 0; i < reader->names.entity_count; i++)
        if (*reader->names.entities[i].path && strcmp(reader->names.entities[i].key, path) == 0)
            return true;
    return false;
}

static bool is_own_text(const struct question_reader *reader, const char *path)
{
    const struct named_column *column = own_column(reader, path);

    return column && column->field->column->type == COLUMN_TEXT && !is_relation(reader, path) &&
           strcmp(path, reader->names.type->primary_key) != 0;
}

/* Whether a unit of time is among the groups. */
static bool has_unit(const struct question_reader *reader)
{
    for (size_t i = 0; i < reader->plan.group_by.count; i++)
        if (!own_column(reader, reader->groups[i]) && !strchr(reader->groups[i], '.'))
            return true;
    return false;
}

/* Whether conditions alone say what the question is about: each is on an own column, so that "what
 * is running in the north" is about machines. */
static bool is_conditional(const struct question_reader *reader)
{
    for (size_t i = 0; i < reader->plan.filters.count; i++)
        if (strchr(reader->filters[i].column, '.') ||
            is_relation(reader, reader->filters[i].column))
            return false;
    return reader->plan.filters.count && !reader->plan.group_by.count && !reader->shown_count &&
           !reader->plan.order;
}

/* The value of one kind of rows over time: "temperature by hour", "is the pressure higher than last
 * week" are about the mean of the only number. The kinds are values that only the data knows:
 * declared ones are states, as in "cancelled by day", and of those nothing is measured. */
static void choose_average(struct question_reader *reader)
{
    const struct named_column *sole = reader_sole_number(reader);
    bool kind = false;

    for (size_t i = 0; i < reader->plan.filters.count; i++)
        kind = kind || (reader->filters[i].op == TYPED_EQUAL &&
                        is_own_text(reader, reader->filters[i].column) &&
                        !name_declares(own_column(reader, reader->filters[i].column)));
    if (sole && kind && (reader->plan.compare || has_unit(reader)))
        select_over(reader, TYPED_AVERAGE, sole);
}

/* "list the sensors": the values of a column that is all that is named, each once. */
static void choose_values(struct question_reader *reader)
{
    const char *path = reader->shown_count == 1 ? reader->shown[0] : NULL;

    if (!path || !is_own_text(reader, path) || reader->plan.group_by.count || reader->plan.order ||
        reader->when || !reader_add_group(reader, path))
        return;
    reader->shown_count = 0;
    reader->plan.select = TYPED_COUNT;
    reader->selected = true;
}

/* What a question is about that names no entity. */
static void choose_unnamed(struct question_reader *reader)
{
    if (reader->named || reader->selected || !reader->names.type)
        return;
    choose_average(reader);
    if (!reader->selected)
        choose_values(reader);
    reader->conditional = !reader->selected && is_conditional(reader);
}

/* Grouped without anything computed: counted. */
static void choose(struct question_reader *reader)
{
    choose_unnamed(reader);
    if (reader->when) {
        if (!reader->shown_count && reader->time)
            reader->shown[reader->shown_count++] = reader->time->name;
        reader->named = reader->named && reader->shown_count == 1;
    }
    if (!reader->selected && reader->plan.group_by.count && !reader->shown_count) {
        reader->selected = reader->named;
        reader->plan.select = TYPED_COUNT;
    }
    if (reader->when && reader->plan.order && reader->plan.limit.given &&
        reader->plan.limit.value == 1 && reader->shown_count == 1 && reader->time &&
        strcmp(reader->shown[0], reader->time->name) == 0) {
        reader->plan.select = reader->plan.order->descending ? TYPED_MAX : TYPED_MIN;
        reader->plan.column = reader->shown[0];
        reader->plan.order = NULL;
        reader->plan.limit = (struct optional_integer){0};
        reader->selected = true;
    }
    if (!reader->selected && reader->shown_count == 1)
        reader->plan.column = reader->shown[0];
    choose_record(reader);
}

void reader_read_selection(struct question_reader *reader)
{
    read_when(reader);
    for (size_t at = 0; at < reader->tokens.words.count; at++)
        if (!read_metric(reader, at)) {
            if (reader_grammar(reader, at) == GRAMMAR_COUNT)
                read_count(reader, at);
            else
                read_aggregate(reader, at);
        }
    read_shown(reader);
    read_direction(reader);
    read_entities(reader);
    read_fillers(reader);
    give_back_shown(reader);
    choose(reader);
}
