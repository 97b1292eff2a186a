/* Rankings: what is ranked ("top 3 machines", "the site with the most"), and by what. */
#include "livedata/query/question_reader.h"

#include <string.h>

/* What a ranking goes by. */
struct rank_measure {
    enum typed_select select; /* TYPED_ROWS = by a column as it is */
    const struct named_column *column;
    const struct live_metric *metric;
    bool found;
    size_t length;                /* tokens */
    size_t entity, entity_length; /* tokens of the entity, where conditions stand before it */
};

/* What is ranked: the entity itself, a related one, or a column's values. */
struct rank_head {
    bool self;
    const char *path;
    bool plural;
    size_t at, length;
};

static enum typed_select aggregate_of(enum grammar grammar)
{
    switch (grammar) {
    case GRAMMAR_SUM:
        return TYPED_SUM;
    case GRAMMAR_AVERAGE:
        return TYPED_AVERAGE;
    case GRAMMAR_MIN:
        return TYPED_MIN;
    case GRAMMAR_MAX:
        return TYPED_MAX;
    case GRAMMAR_MEDIAN:
        return TYPED_QUANTILE;
    default:
        return TYPED_ROWS;
    }
}

/* A flag or a value, as in "the most invalid readings". */
static bool is_condition(const struct question_reader *reader, size_t at)
{
    struct name name = reader_any_name(reader, at);

    return name.kind == NAME_VALUE ||
           (name.kind == NAME_COLUMN && name.column->field->column->type == COLUMN_BOOLEAN) ||
           reader_grammar(reader, at) == GRAMMAR_NOT;
}

/* "number of readings", "different sensors". */
static struct rank_measure counted_at(const struct question_reader *reader, size_t at)
{
    struct rank_measure found = {.select = TYPED_COUNT};
    bool distinct = reader_grammar(reader, at) == GRAMMAR_DISTINCT;
    size_t next = distinct ? reader_skip(reader, at + reader_length(reader, at)) : at;
    struct name name = reader_name(reader, next, NAME_ENTITY);

    if (distinct) {
        name = reader_name(reader, next, NAME_COLUMN);
        if (name.length && !name.column->depth)
            found = (struct rank_measure){TYPED_DISTINCT, name.column, NULL, true,
                                          next + name.length - at};
    } else {
        while (!name.length && is_condition(reader, next))
            name = reader_name(reader, ++next, NAME_ENTITY);
        found.found = reader_is_self(&name);
        found.length = next == at ? name.length : 0;
        found.entity = next;
        found.entity_length = next == at ? 0 : name.length;
    }
    return found;
}

static struct rank_measure measure_at(const struct question_reader *reader, size_t at)
{
    struct rank_measure found = {.select = TYPED_ROWS};
    size_t start = at;
    enum grammar grammar;
    struct name name;

    at = reader_skip(reader, at);
    name = reader_name(reader, at, NAME_METRIC);
    if (name.length)
        return (struct rank_measure){TYPED_METRIC, NULL, name.metric, true,
                                     at + name.length - start};
    grammar = reader_grammar(reader, at);
    if (grammar == GRAMMAR_COUNT || grammar == GRAMMAR_DISTINCT) {
        if (grammar == GRAMMAR_COUNT)
            at = reader_skip(reader, at + reader_length(reader, at));
        found = counted_at(reader, at);
    } else {
        found.select = aggregate_of(grammar);
        if (found.select != TYPED_ROWS)
            at = reader_skip(reader, at + reader_length(reader, at));
        name = reader_name(reader, at, NAME_COLUMN);
        if (name.length && !name.column->depth &&
            (reader_is_number(name.column) ||
             (found.select == TYPED_ROWS && name.column->field->column->type == COLUMN_TIME))) {
            found.column = name.column;
            found.found = true;
            found.length = name.length;
        } else if (found.select == TYPED_ROWS) {
            found = counted_at(reader, at);
        }
    }
    found.length += at - start;
    return found;
}

static bool head_at(const struct question_reader *reader, size_t at, struct rank_head *head)
{
    struct name name = reader_name(reader, at, NAME_ENTITY);
    size_t last;

    if (name.length) {
        *head = (struct rank_head){!*name.entity->path, name.entity->key, false, at, name.length};
    } else {
        name = reader_name(reader, at, NAME_COLUMN);
        if (!name.length || name.negated || name.column->field->column->type != COLUMN_TEXT)
            return false;
        *head = (struct rank_head){false, name.column->path, false, at, name.length};
    }
    last = at + name.length - 1;
    head->plural = reader_is_plural(reader, last);
    return true;
}

static bool is_rows(double number)
{
    return number >= 1 && (number > PLAN_TOP_MOST || number == (double)(int64_t)number);
}

/* How many: the number beside the ranking or its head, one for a single one, else five; 0 when the
 * number is none of rows. */
static int64_t choose_limit(struct question_reader *reader, double number, bool given,
                            const struct rank_head *head)
{
    if (!given)
        return head->plural || reader_asks_for_ones(reader) ? PLAN_TOP_DEFAULT : 1;
    if (!is_rows(number))
        return 0;
    reader->plan.clamped = reader->plan.clamped || number > PLAN_TOP_MOST;
    return number > PLAN_TOP_MOST ? PLAN_TOP_MOST : (int64_t)number;
}

/* Fills in the plan; false when the ranking has no clear meaning. */
static bool rank(struct question_reader *reader, const struct rank_head *head,
                 struct rank_measure measure, enum grammar grammar, int64_t limit)
{
    bool least = grammar == GRAMMAR_BOTTOM || grammar == GRAMMAR_MIN || grammar == GRAMMAR_FEWEST;
    struct typed_order *order = ARENA_NEW(reader->arena, struct typed_order);

    if (!measure.found || reader->selected || limit < 1)
        return false;
    if (measure.select == TYPED_MIN && (grammar == GRAMMAR_TOP || grammar == GRAMMAR_BOTTOM))
        return false;
    if (head->self && measure.select != TYPED_ROWS)
        return false;
    if (!head->self && measure.select == TYPED_ROWS) {
        bool extreme = grammar == GRAMMAR_MIN || grammar == GRAMMAR_MAX;

        if (!extreme && !reader_is_counter(reader, measure.column))
            return false;
        measure.select = grammar == GRAMMAR_MIN   ? TYPED_MIN
                         : grammar == GRAMMAR_MAX ? TYPED_MAX
                                                  : TYPED_SUM;
    }
    if (!head->self && !reader_add_group(reader, head->path))
        return false;
    *order = (struct typed_order){head->self ? measure.column->path : "value", !least};
    reader->plan.select = measure.select;
    reader->plan.column = head->self || !measure.column ? NULL : measure.column->path;
    reader->plan.metric = measure.metric ? measure.metric->name : NULL;
    reader->plan.order = order;
    reader->plan.limit = GIVEN_INTEGER(limit);
    if (measure.select == TYPED_QUANTILE)
        reader->plan.quantile = GIVEN_NUMBER(0.5);
    reader->selected = !head->self;
    reader->named = true;
    return true;
}

/* The measure after BY, somewhere after the head. */
static bool find_by(const struct question_reader *reader, size_t at, size_t *by,
                    struct rank_measure *measure)
{
    for (*by = at; *by < reader->tokens.words.count; ++*by)
        if (reader_grammar(reader, *by) == GRAMMAR_BY ||
            reader_grammar(reader, *by) == GRAMMAR_SORTED) {
            *measure = measure_at(reader, *by + reader_length(reader, *by));
            if (measure->found)
                return true;
        }
    return false;
}

/* "top 3 machines ... by energy". */
static void read_top(struct question_reader *reader, size_t at)
{
    enum grammar grammar = reader_grammar(reader, at);
    size_t next = at + 1, by;
    struct rank_measure measure;
    struct rank_head head;
    double number = 0;
    bool given = reader_number(reader, next, &number);

    next = reader_skip(reader, next + given);
    while (next < reader->tokens.words.count && !head_at(reader, next, &head))
        next++;
    if (next >= reader->tokens.words.count || !find_by(reader, next + head.length, &by, &measure) ||
        !rank(reader, &head, measure, grammar, choose_limit(reader, number, given, &head)))
        return;
    question_take(reader, at, 1 + given);
    question_take(reader, head.at, head.length);
    question_take(reader, by, reader_length(reader, by) + measure.length);
    question_take(reader, measure.entity, measure.entity_length);
}

/* The nearest thing to rank before "with the most", and the number before it. */
static bool find_head(const struct question_reader *reader, size_t before, struct rank_head *head)
{
    for (size_t at = before; at-- > 0;)
        if (head_at(reader, at, head) && at + head->length <= before)
            return true;
    return false;
}

/* "the site with the most readings", "which machine has the lowest cost"; with "top 3" before it,
 * too. */
static bool read_superlative(struct question_reader *reader, size_t at)
{
    enum grammar grammar = reader_grammar(reader, at);
    size_t with = at, number_at, length = reader_length(reader, at);
    struct rank_measure measure = measure_at(reader, at + length);
    struct rank_head head;
    double number = 0;
    bool given, top;

    while (with > 0 && reader_grammar(reader, with - 1) == GRAMMAR_FILLER)
        with--;
    if (!with || !measure.found)
        return false;
    with--;
    if (reader_grammar(reader, with) != GRAMMAR_WITH &&
        reader_grammar(reader, with) != GRAMMAR_BY && reader_grammar(reader, with) != GRAMMAR_USE)
        return false;
    if (!find_head(reader, with, &head))
        return false;
    /* The least energy that a site uses is what it uses in all, as the most is. */
    if (word_is(&reader->tokens.words, at, "least") && !head.self && measure.column &&
        reader_is_counter(reader, measure.column))
        grammar = GRAMMAR_FEWEST;
    number_at = head.at ? head.at - 1 : 0;
    given = head.at && reader_number(reader, number_at, &number);
    top = number_at >= given && (given ? number_at : head.at) > 0 &&
          reader_grammar(reader, (given ? number_at : head.at) - 1) == GRAMMAR_TOP;
    if (!rank(reader, &head, measure, grammar, choose_limit(reader, number, given, &head)))
        return false;
    question_take(reader, head.at - given - top, head.length + given + top);
    question_take(reader, with, at - with);
    question_take(reader, at, length + measure.length);
    question_take(reader, measure.entity, measure.entity_length);
    return true;
}

/* "which machine was started most often", "costs the most": by the number before it. */
static bool read_behind(struct question_reader *reader, size_t at)
{
    enum grammar grammar = reader_grammar(reader, at);
    struct rank_measure measure = {.select = TYPED_ROWS, .found = true};
    size_t end = at, start;
    struct rank_head head;
    struct name name = {0};

    if (grammar != GRAMMAR_MOST && grammar != GRAMMAR_FEWEST)
        return false;
    while (end > 0 && (reader_grammar(reader, end - 1) == GRAMMAR_FILLER ||
                       reader_grammar(reader, end - 1) == GRAMMAR_IS))
        end--;
    for (start = end; start-- > 0 && !name.length;) {
        name = reader_name(reader, start, NAME_COLUMN);
        if (name.length && start + name.length == end)
            break;
        name.length = 0;
    }
    if (!name.length || name.column->depth || !reader_is_number(name.column) ||
        !find_head(reader, start, &head))
        return false;
    measure.column = name.column;
    if (!rank(reader, &head, measure, grammar, choose_limit(reader, 0, false, &head)))
        return false;
    question_take(reader, head.at, head.length);
    question_take(reader, start, name.length);
    question_take(reader, at, reader_length(reader, at));
    return true;
}

/* "highest energy machines". */
static bool read_adjective(struct question_reader *reader, size_t at)
{
    enum grammar grammar = reader_grammar(reader, at);
    size_t length = reader_length(reader, at);
    struct name column = reader_name(reader, at + length, NAME_COLUMN);
    struct rank_measure measure = {TYPED_ROWS, column.column, NULL, true, column.length};
    struct rank_head head;
    double number = 0;
    bool given = at && reader_number(reader, at - 1, &number);

    if (!column.length || column.column->depth || !reader_is_number(column.column) ||
        !head_at(reader, at + length + column.length, &head) || !head.self ||
        !rank(reader, &head, measure, grammar, choose_limit(reader, number, given, &head)))
        return false;
    question_take(reader, at - given, length + given + column.length + head.length);
    return true;
}

/* "the latest reading", "last 5 readings", "latest value". */
static void read_latest(struct question_reader *reader, size_t at)
{
    struct typed_order *order = ARENA_NEW(reader->arena, struct typed_order);
    bool latest = reader_grammar(reader, at) == GRAMMAR_LATEST;
    size_t next = at + reader_length(reader, at);
    bool given, before, single = false;
    double number = 0;
    struct name name = {0};

    given = reader_number(reader, next, &number);
    before = !given && at && reader_number(reader, at - 1, &number);
    if (!reader->time || reader->selected || reader->plan.order)
        return;
    for (size_t i = next + given; i < reader->tokens.words.count; i++) {
        name = reader_name(reader, i, NAME_ENTITY);
        if (reader_is_self(&name)) {
            single = !reader_is_plural(reader, i + name.length - 1);
            break;
        }
        name = reader_name(reader, i, NAME_COLUMN);
        single = i == next && name.length && !name.column->depth && !reader_is_plural(reader, i);
        if (single)
            break;
        name.length = 0;
    }
    if (!name.length || ((given || before) && !is_rows(number)))
        return;
    *order = (struct typed_order){reader->time->name, latest};
    reader->plan.order = order;
    if (given || before || single)
        reader->plan.limit =
            GIVEN_INTEGER(given || before ? choose_limit(reader, number, true, NULL) : 1);
    question_take(reader, at - before, next - at + given + before);
}

/* "sorted by energy descending". */
static void read_sorted(struct question_reader *reader, size_t at)
{
    struct typed_order *order = ARENA_NEW(reader->arena, struct typed_order);
    size_t next = reader_skip(reader, at + reader_length(reader, at));
    struct name name = reader_name(reader, next, NAME_COLUMN);
    enum grammar direction;

    if (!name.length || reader->plan.order)
        return;
    next += name.length;
    direction = reader_grammar(reader, next);
    if (direction == GRAMMAR_ASCENDING || direction == GRAMMAR_DESCENDING)
        next += reader_length(reader, next);
    *order = (struct typed_order){name.column->path, direction == GRAMMAR_DESCENDING};
    reader->plan.order = order;
    question_take(reader, at, next - at);
}

void reader_read_rankings(struct question_reader *reader)
{
    for (size_t at = 0; at < reader->tokens.words.count; at++) {
        enum grammar grammar = reader_grammar(reader, at);

        if (reader->plan.order)
            return;
        if (grammar == GRAMMAR_MOST || grammar == GRAMMAR_FEWEST || grammar == GRAMMAR_MAX ||
            grammar == GRAMMAR_MIN)
            (void)(read_superlative(reader, at) || read_adjective(reader, at) ||
                   read_behind(reader, at));
    }
    for (size_t at = 0; at < reader->tokens.words.count; at++) {
        enum grammar grammar = reader_grammar(reader, at);

        if (reader->plan.order)
            return;
        if (grammar == GRAMMAR_TOP || grammar == GRAMMAR_BOTTOM)
            read_top(reader, at);
        else if (grammar == GRAMMAR_LATEST || grammar == GRAMMAR_EARLIEST)
            read_latest(reader, at);
        else if (grammar == GRAMMAR_SORTED)
            read_sorted(reader, at);
    }
}
