/* Degrees of a column by words of its file: "cheapest" and "cheaper than 20" of a price. */
#include "livedata/query/question_reader.h"

#include <string.h>

struct degree {
    const struct named_column *column;
    bool high;
    size_t length; /* tokens; 0 = none */
};

/* The longest of the own columns' words. */
static struct degree degree_at(const struct question_reader *reader, size_t at)
{
    struct degree found = {0};

    for (size_t i = 0; reader_is_free(reader, at) && i < reader->names.column_count; i++) {
        const struct named_column *column = &reader->names.columns[i];

        for (int high = 0; high <= 1 && !column->depth; high++) {
            size_t length = name_words_at(reader->arena, &reader->tokens, at,
                                          high ? &column->field->high : &column->field->low);

            if (length > found.length)
                found = (struct degree){column, high, length};
        }
    }
    return found;
}

/* "cheaper than 20". */
static bool read_comparative(struct question_reader *reader, size_t at, const struct degree *degree)
{
    size_t next = at + degree->length;
    double number;

    if (word_is(&reader->tokens.words, next, "than"))
        next++;
    if (!reader_is_number(degree->column) || !reader_number(reader, next, &number) ||
        reader_name(reader, next + 1, NAME_ENTITY).length ||
        !reader_add_filter(reader, degree->column->path, degree->high ? TYPED_ABOVE : TYPED_BELOW,
                           typed_numbers(reader->arena, &number, 1)))
        return false;
    question_take(reader, at, next + 1 - at);
    return true;
}

/* The entity itself, after the words or before them. */
static bool find_self(const struct question_reader *reader, size_t *at)
{
    for (*at = 0; *at < reader->tokens.words.count; ++*at) {
        struct name name = reader_name(reader, *at, NAME_ENTITY);

        if (name.length && !*name.entity->path)
            return true;
    }
    return false;
}

/* Whether several are asked for: by an English plural, or by "which ones" of other languages. */
static bool asks_for_several(const struct question_reader *reader, size_t self)
{
    return reader_asks_for_ones(reader) || reader_is_plural(reader, self);
}

/* "the 5 cheapest products"; the number stands beside the words or the entity. */
static void read_superlative(struct question_reader *reader, size_t at, const struct degree *degree)
{
    struct typed_order *order = ARENA_NEW(reader->arena, struct typed_order);
    size_t self, places[3];
    double number = 0;

    if (!find_self(reader, &self))
        return;
    places[0] = reader_skip(reader, at + degree->length);
    places[1] = at ? at - 1 : places[0];
    places[2] = self ? self - 1 : places[0];
    for (size_t i = 0; i < 3; i++)
        if (reader_number(reader, places[i], &number)) {
            question_take(reader, places[i], 1);
            break;
        }
    if (number < 0 || number > PLAN_TOP_MOST || number != (double)(int64_t)number)
        return;
    *order = (struct typed_order){degree->column->path, degree->high};
    reader->plan.order = order;
    reader->plan.limit = GIVEN_INTEGER(number >= 1                      ? (int64_t)number
                                       : asks_for_several(reader, self) ? PLAN_TOP_DEFAULT
                                                                        : 1);
    reader->named = true;
    question_take(reader, at, degree->length);
}

void reader_read_degrees(struct question_reader *reader)
{
    for (size_t at = 0; at < reader->tokens.words.count; at++) {
        struct degree degree = degree_at(reader, at);

        if (!degree.length || read_comparative(reader, at, &degree))
            continue;
        if (!reader->plan.order && !reader->selected)
            read_superlative(reader, at, &degree);
    }
}
