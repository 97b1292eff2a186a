/* Reads a question as one about each entity, and keeps the plan that uses all its words. */
#include "livedata/query/question.h"

#include "livedata/query/question_reader.h"
#include "livedata/timestamp.h"

#include <string.h>
#include <strings.h>

/* The question, as it is the same for all attempts. */
struct question {
    const struct plan_context *context;
    const struct catalog *catalog;
    struct value_samples *samples;
    struct question_tokens tokens;
    struct period period, compare;
};

/* The part of the tokens from `from` to `to`, for periods. */
static void read_period(const struct question *question, size_t from, size_t to,
                        struct period *period)
{
    struct question_words part = question->tokens.words;
    struct question_word after = part.items[to];

    part.items += from;
    part.count = to - from;
    question->tokens.words.items[to] = (struct question_word){.text = "", .shown = ""};
    period_read(&part, question->context->zone, question->context->now, period);
    question->tokens.words.items[to] = after;
}

/* The period before, as long as the first: "compared with the previous period". */
static bool read_previous(struct question *question, size_t at)
{
    static const char *const words[] = {"previous", "preceding", "prior", NULL};
    struct question_words *all = &question->tokens.words;
    const struct period *period = &question->period;

    while (word_is(all, at, "the") || word_is(all, at, "same"))
        at++;
    if (!word_is_one_of(all, at, words) || !word_is(all, at + 1, "period") ||
        period->kind != PERIOD_CALENDAR || !period->from || !period->to)
        return false;
    question->compare = (struct period){.kind = PERIOD_CALENDAR,
                                        .from = period->from - (period->to - period->from),
                                        .to = period->from};
    words_take(all, at, 2, SLOT_PERIOD);
    return true;
}

/* A word that means something else before a time: Russian "с" is "since" there, and else "with". */
static void read_before_times(struct question *question)
{
    struct question_words *all = &question->tokens.words;

    for (size_t at = 0; at + 1 < all->count; at++) {
        struct question_words part = *all;
        struct question_word *word = &all->items[at];
        const char *text = word->text;
        struct period period;

        if (!question->tokens.items[at].before_time)
            continue;
        word->text = question->tokens.items[at].before_time;
        part.items = ARENA_ARRAY(question->context->arena, struct question_word, all->count + 1);
        part.count = all->count - at;
        memcpy(part.items, word, (part.count + 1) * sizeof *word);
        period_read(&part, question->context->zone, question->context->now, &period);
        if (part.items[0].slot != SLOT_PERIOD)
            word->text = text;
    }
}

/* The period that two words name. */
static struct period period_of(const struct question *question, const char *first,
                               const char *second)
{
    struct question_word items[] = {{.text = first}, {.text = second}, {.text = ""}};
    struct question_words words = {.count = 2, .items = items};
    struct period period;

    period_read(&words, question->context->zone, question->context->now, &period);
    return period;
}

/* "since last week", "than last month": how many tokens, 0 = none. */
static size_t since_last(const struct question_words *words, size_t at, const char **unit)
{
    static const char *const heads[] = {"since", "from", "over", "than", "to", NULL};
    static const char *const lasts[] = {"last", "previous", NULL};
    static const char *const units[] = {"week", "month", "year", NULL};
    size_t start = at;

    if (!word_is_one_of(words, at, heads))
        return 0;
    at += 1 + word_is(words, at + 1, "the");
    *unit = "day";
    if (word_is(words, at, "yesterday"))
        return at + 1 - start;
    if (!word_is_one_of(words, at, lasts) || !word_is_one_of(words, at + 1, units))
        return 0;
    *unit = words->items[at + 1].text;
    return at + 2 - start;
}

/* "Did revenue go up since last week", "is the value higher than last week": this week compared
 * with the last. */
static bool read_change(struct question *question)
{
    struct question_words *words = &question->tokens.words;

    for (size_t at = 0; at < words->count; at++) {
        const struct question_token *token = &question->tokens.items[at];
        bool than = (token->grammar == GRAMMAR_ABOVE || token->grammar == GRAMMAR_BELOW) &&
                    token->length == 2 && word_is(words, at + 1, "than");
        size_t length = than ? 1 : token->length;

        if (!than && token->grammar != GRAMMAR_CHANGE)
            continue;
        for (size_t since = than ? at + 1 : 0; since < words->count; since++) {
            const char *unit;
            size_t count = since_last(words, since, &unit);

            if (!count || (than && since != at + 1))
                continue;
            question->period = period_of(question, "this", unit);
            question->compare = strcmp(unit, "day") == 0 ? period_of(question, "yesterday", "")
                                                         : period_of(question, "last", unit);
            words_take(words, at, length, SLOT_PERIOD);
            words_take(words, since, count, SLOT_PERIOD);
            return true;
        }
    }
    return false;
}

/* "today compared with yesterday", "compare last week with this week". */
static void read_periods(struct question *question)
{
    struct question_words *words = &question->tokens.words;
    size_t count = words->count, split = count, length = 0;
    bool verb = word_is(words, 0, "compare");

    for (size_t at = 0, after = 0; at < count && split == count; at++) {
        const struct question_token *token = &question->tokens.items[at];
        bool joins =
            verb && at &&
            (word_is(words, at, "with") || word_is(words, at, "to") || word_is(words, at, "and"));

        /* "than" of "more than" is a part of that. */
        if (at < after)
            continue;
        after = at + (token->length ? token->length : 1);
        if (token->grammar != GRAMMAR_COMPARED && !joins)
            continue;
        split = at;
        length = joins ? 1 : token->length;
    }
    read_period(question, 0, split, &question->period);
    if (split == count)
        return;
    read_period(question, split + length, count, &question->compare);
    if (question->period.kind == PERIOD_NONE ||
        (question->compare.kind == PERIOD_NONE && !read_previous(question, split + length))) {
        question->compare = (struct period){0};
        for (size_t at = 0; at < count; at++)
            words->items[at].slot = SLOT_NONE;
        read_period(question, 0, count, &question->period);
        return;
    }
    words_take(words, split, length, SLOT_PERIOD);
    if (verb)
        words_take(words, 0, 1, SLOT_PERIOD);
}

static const struct typed_period *typed(const struct question *question,
                                        const struct period *period)
{
    return typed_period_of(question->context->arena, period, question->context->now);
}

/* The time column that a period is about: the one named right before it, else the entity's own. */
static const struct named_column *period_column(const struct question_reader *reader, size_t *at,
                                                size_t *length)
{
    const struct question_words *words = &reader->tokens.words;
    size_t start = 0;

    while (start < words->count && words->items[start].slot != SLOT_PERIOD)
        start++;
    for (*at = start; *at > 0;) {
        enum grammar grammar;
        struct name name = reader_name(reader, --*at, NAME_COLUMN);

        if (name.length && name.column->field->column->type == COLUMN_TIME) {
            *length = name.length;
            return name.column;
        }
        grammar = reader_grammar(reader, *at);
        if (grammar != GRAMMAR_FILLER && grammar != GRAMMAR_IS && grammar != GRAMMAR_IN &&
            grammar != GRAMMAR_FROM && grammar != GRAMMAR_BETWEEN)
            break;
    }
    return NULL;
}

static json_t *time_value(const struct question_reader *reader, int64_t at)
{
    char text[TIMESTAMP_TEXT];
    const struct string_list list = {1, (const char *[]){text}};

    timestamp_format(at, text);
    return typed_texts(reader->arena, &list);
}

/* A period of another time than the entity's own is two conditions. */
static bool add_bounds(struct question_reader *reader, const struct named_column *column,
                       const struct typed_period *period)
{
    size_t first = reader->plan.filters.count;
    bool added = true;

    if (period->from.given)
        added = reader_add_filter(reader, column->path, TYPED_AT_LEAST,
                                  time_value(reader, period->from.value));
    if (added && period->to.given)
        added = reader_add_filter(reader, column->path, TYPED_BELOW,
                                  time_value(reader, period->to.value));
    for (size_t i = first; i < reader->plan.filters.count; i++)
        reader->filters[i].relative = period->relative;
    return added;
}

/* Words of a period that nothing can be about were not understood. */
static void give_back_periods(struct question_reader *reader)
{
    for (size_t i = 0; i < reader->tokens.words.count; i++)
        if (reader->tokens.words.items[i].slot == SLOT_PERIOD)
            reader->tokens.words.items[i].slot = SLOT_NONE;
    reader->period = NULL;
    reader->plan.period = reader->plan.compare = NULL;
    reader->plan.relative = NULL;
}

static bool is_aggregate(enum grammar grammar)
{
    return grammar == GRAMMAR_SUM || grammar == GRAMMAR_AVERAGE || grammar == GRAMMAR_MIN ||
           grammar == GRAMMAR_MAX || grammar == GRAMMAR_MEDIAN || grammar == GRAMMAR_PERCENTILE ||
           grammar == GRAMMAR_HOW_MUCH;
}

static struct name name_ending_at(const struct question_reader *reader, size_t end)
{
    struct name found = {0};

    for (size_t at = end; at-- > 0 && !found.length;) {
        struct name name = reader_name(reader, at, NAME_COLUMN);

        if (name.length && at + name.length == end)
            found = name;
    }
    return found;
}

/* A number after "of" or "from" that was read as a year, behind the name of a number: the value in
 * "with a value of 2000", the year in "average value of 2025", and else unclear. */
static bool is_value(struct question_reader *reader)
{
    const struct question_words *words = &reader->tokens.words;
    size_t at = 0, before;
    struct name name;

    while (at < words->count && words->items[at].slot != SLOT_PERIOD)
        at++;
    if (at < 2 || !words->items[at].number || words->items[at + 1].slot == SLOT_PERIOD ||
        (!word_is(words, at - 1, "of") && !word_is(words, at - 1, "from")))
        return false;
    name = name_ending_at(reader, at - 1);
    if (!name.length || !reader_is_number(name.column))
        return false;
    before = at - 1 - name.length;
    while (before > 0 && reader_grammar(reader, before - 1) == GRAMMAR_FILLER)
        before--;
    if (before > 0 && is_aggregate(reader->tokens.items[before - 1].grammar))
        return false;
    if (!before || reader_grammar(reader, before - 1) != GRAMMAR_WITH)
        reader->conflict = arena_print(
            reader->arena, "'%s' could be a year or a value: name the one that is meant",
            words->items[at].shown);
    return true;
}

static void bind_periods(const struct question *question, struct question_reader *reader)
{
    size_t at = 0, length = 0;
    const struct named_column *column;

    if (question->period.kind == PERIOD_NONE)
        return;
    if (is_value(reader)) {
        give_back_periods(reader);
        return;
    }
    reader->period = &question->period;
    column = period_column(reader, &at, &length);
    if (column && column->field->column != reader->time) {
        if (question->compare.kind != PERIOD_NONE ||
            !add_bounds(reader, column, typed(question, &question->period)))
            give_back_periods(reader);
        else
            question_take(reader, at, length);
        return;
    }
    if (!reader->time || (!column && !reader->implied)) {
        give_back_periods(reader);
        return;
    }
    if (column)
        question_take(reader, at, length);
    reader->plan.period = typed(question, &question->period);
    reader->plan.relative = typed_relative(reader->arena, &question->period);
    reader->plan.clamped = question->period.clamped;
    if (question->compare.kind != PERIOD_NONE)
        reader->plan.compare = typed(question, &question->compare);
}

static void find_names(struct question_reader *reader)
{
    size_t count = reader->tokens.words.count;

    reader->found = arena_alloc_array(reader->arena, count + 1, sizeof *reader->found);
    for (size_t at = 0; at < count; at++)
        for (int kind = NAME_METRIC; kind <= NAME_VALUE; kind++)
            reader->found[at][kind] =
                name_of_kind(&reader->names, &reader->tokens, at, (enum name_kind)kind);
}

static struct question_tokens copy_tokens(struct arena *arena, const struct question_tokens *tokens)
{
    struct question_tokens copy = *tokens;
    size_t bytes = (tokens->words.count + 1) * sizeof *copy.words.items;

    copy.words.items = arena_alloc(arena, bytes);
    memcpy(copy.words.items, tokens->words.items, bytes);
    return copy;
}

static size_t count_left(const struct question_reader *reader)
{
    size_t count = reader->tokens.words.cut;

    for (size_t i = 0; i < reader->tokens.words.count; i++)
        count += reader->tokens.words.items[i].slot == SLOT_NONE;
    return count;
}

/* Reads the question as one about the entity, or about metrics over a table of none. */
static struct question_reader *attempt(const struct question *question,
                                       const struct entity_type *type,
                                       const struct serving_table *table)
{
    struct arena *arena = question->context->arena;
    struct question_reader *reader = ARENA_NEW(arena, struct question_reader);

    *reader = (struct question_reader){.arena = arena, .context = question->context};
    reader->tokens = copy_tokens(arena, &question->tokens);
    names_of(arena, question->catalog, type, table, question->samples, &reader->names);
    reader->time = typed_time_of(question->catalog, table);
    reader->implied = typed_time_is_implied(question->catalog, table);
    reader->plan = (struct typed_plan){.entity = type ? type->name : NULL, .select = TYPED_ROWS};
    reader->plan.filters.items = reader->filters;
    reader->plan.group_by.items = reader->groups;
    find_names(reader);
    bind_periods(question, reader);
    reader_read_degrees(reader);
    reader_read_rankings(reader);
    reader_read_groups(reader);
    reader_read_conditions(reader);
    reader_read_selection(reader);
    return reader;
}

static bool is_whole(const struct question_reader *reader)
{
    struct compiled_plan compiled;
    struct problem problem;

    return !count_left(reader) && !reader->conflict &&
           (reader->named || reader->selected || reader->conditional) &&
           (reader->names.type || reader->plan.metric) &&
           !typed_compile(reader->arena, reader->names.catalog, &reader->plan, &compiled, &problem);
}

/* What names its entity comes before what computes something, and that before mere conditions. */
static int right_of(const struct question_reader *reader)
{
    return reader->named ? 2 : reader->selected ? 1 : 0;
}

struct attempts {
    const struct question *question;
    struct question_reader *best;  /* whole, or with the fewest words left */
    struct question_reader *other; /* another whole one with equal right */
    bool whole;
};

static void consider(struct attempts *attempts, const struct entity_type *type,
                     const struct serving_table *table)
{
    struct question_reader *reader = attempt(attempts->question, type, table),
                           *best = attempts->best;
    bool whole = is_whole(reader);
    size_t left = count_left(reader), least = best ? count_left(best) : SIZE_MAX;

    if (whole && attempts->whole && right_of(reader) == right_of(best)) {
        attempts->other = reader;
    } else if ((whole && !attempts->whole) ||
               (whole == attempts->whole &&
                (whole ? right_of(reader) > right_of(best)
                       : left < least || (left == least && reader->named && !best->named)))) {
        attempts->best = reader;
        attempts->whole = whole;
        attempts->other = NULL;
    }
}

/* Han has no blanks: what stands together is named together. */
static const char *shown_at(const struct question_reader *reader, size_t *at)
{
    const struct question_words *words = &reader->tokens.words;
    const char *shown = words->items[*at].shown;

    while (token_is_han(words->items[*at].shown) && *at + 1 < words->count &&
           words->items[*at + 1].slot == SLOT_NONE && token_is_han(words->items[*at + 1].shown))
        shown = arena_print(reader->arena, "%s%s", shown, words->items[++*at].shown);
    return shown;
}

static void leave(const struct question_reader *reader, struct string_list *left)
{
    const struct question_words *words = &reader->tokens.words;

    left->items = ARENA_ARRAY(reader->arena, const char *, words->count + 2);
    for (size_t at = 0; at < words->count; at++) {
        bool said = words->items[at].slot != SLOT_NONE;
        const char *shown = said ? NULL : shown_at(reader, &at);

        for (size_t i = 0; !said && i < left->count; i++)
            said = strcasecmp(left->items[i], shown) == 0;
        if (!said)
            left->items[left->count++] = shown;
    }
    if (words->cut)
        left->items[left->count++] = "…";
}

static void conclude(const struct attempts *attempts, struct question_reading *reading)
{
    const struct question_reader *best = attempts->best;
    struct arena *arena = attempts->question->context->arena;

    if (!best)
        return;
    leave(best, &reading->left);
    reading->conflict = best->conflict;
    if (attempts->other && attempts->whole)
        reading->conflict = arena_print(
            arena, "The question could be about %s or about %s: name the one that is meant",
            best->names.type ? best->names.type->name : best->plan.metric,
            attempts->other->names.type ? attempts->other->names.type->name
                                        : attempts->other->plan.metric);
    reading->planned = attempts->whole && !attempts->other;
    reading->plan = best->plan;
}

struct question_reading question_to_plan(const struct plan_context *context,
                                         const struct catalog *catalog,
                                         struct value_samples *samples, const char *text)
{
    struct question question = {.context = context, .catalog = catalog, .samples = samples};
    const struct name_context names = {context->arena, catalog};
    const struct token_names known = {name_of_anything, &names};
    struct attempts attempts = {.question = &question};
    struct question_reading reading = {0};

    tokens_read(context->arena, text, &known, &question.tokens);
    read_before_times(&question);
    if (!read_change(&question))
        read_periods(&question);
    reading.language = question.tokens.language;
    for (size_t i = 0; i < catalog->entity_count; i++)
        consider(&attempts, &catalog->entities[i], catalog->entities[i].table);
    for (size_t i = 0; i < catalog->table_count; i++)
        if (!catalog_entity_of_table(catalog, catalog->tables[i]))
            consider(&attempts, NULL, catalog->tables[i]);
    conclude(&attempts, &reading);
    return reading;
}
