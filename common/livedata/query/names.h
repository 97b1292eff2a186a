/*
 * The names that a question may use when it is about one entity: the entity, its columns and those
 * of related entities, their values, its metrics; each by its own name or a synonym of its file.
 */
#ifndef ASSAY_LIVEDATA_QUERY_NAMES_H
#define ASSAY_LIVEDATA_QUERY_NAMES_H

#include "livedata/catalog/catalog.h"
#include "livedata/query/samples.h"
#include "livedata/query/tokens.h"

enum name_kind { NAME_NONE, NAME_METRIC, NAME_COLUMN, NAME_ENTITY, NAME_VALUE };

/* A column that can be reached from the entity. */
struct named_column {
    const char *path; /* "machine.site" */
    size_t depth;     /* relations on the way */
    const struct entity_type *owner;
    const struct entity_field *field;
};

/* An entity that can be reached, and the path of the column that holds its key. */
struct named_entity {
    const struct entity_type *type;
    const char *path; /* "machine"; "" = the entity itself */
    const char *key;  /* "machine_id" */
};

/* What stands at a token. */
struct name {
    enum name_kind kind;
    size_t length; /* tokens */
    const struct named_column *column;
    const struct named_entity *entity;
    const struct live_metric *metric;
    const char *value;                 /* as it is stored */
    const struct named_column *second; /* another column that has the value with equal right */
    bool negated;                      /* "invalid" of a flag */
};

enum { NAMES_COLUMNS_MAX = 200, NAMES_ENTITIES_MAX = 12 };

struct names {
    struct arena *arena;
    const struct catalog *catalog;
    const struct entity_type *type;
    const struct serving_table *table;
    struct named_column columns[NAMES_COLUMNS_MAX]; /* by depth */
    size_t column_count;
    struct named_entity entities[NAMES_ENTITIES_MAX];
    size_t entity_count;
    struct value_samples *samples; /* NULL = declared values alone */
};

/* `type` NULL = metrics over a table that belongs to no entity. */
void names_of(struct arena *arena, const struct catalog *catalog, const struct entity_type *type,
              const struct serving_table *table, struct value_samples *samples,
              struct names *names);

/* The longest name of that kind at the token. */
struct name name_of_kind(const struct names *names, const struct question_tokens *tokens, size_t at,
                         enum name_kind kind);

/* Whether the file declares the values of a column. */
bool name_declares(const struct named_column *column);

/* The value that a word means for a text column, as it is stored; NULL when the column declares its
 * values and this is none of them. */
const char *name_value(const struct names *names, const struct named_column *column,
                       const struct question_tokens *tokens, size_t at, size_t *length);

/* The own number column whose name is "number of" what stands at the token: total_orders, which is
 * also called "number of orders", of "orders". */
struct name name_counted(const struct names *names, const struct question_tokens *tokens,
                         size_t at);

/* The own number column whose name stands in two parts, one that ends before the token `before` and
 * one that begins at `after`: "cost an hour" in "cost more than 40 an hour". `length` is that of
 * the second part. */
struct name name_in_parts(const struct names *names, const struct question_tokens *tokens,
                          size_t before, size_t after, size_t *first_length);

/* The seconds of one unit of a number column whose name ends in its unit: 60 of wait_minutes; 0 of
 * other columns. */
double name_unit_seconds(const struct named_column *column);

/* How many tokens from `at` on are one of the words. */
size_t name_words_at(struct arena *arena, const struct question_tokens *tokens, size_t at,
                     const struct string_list *words);

/* How many tokens from `at` on are a name of anything in the catalog, for token_names. */
struct name_context {
    struct arena *arena;
    const struct catalog *catalog;
};
size_t name_of_anything(const void *context, const struct question_tokens *tokens, size_t at);

/* Whether a word by itself names something of the catalog. */
bool name_is_known(struct arena *arena, const struct catalog *catalog, const char *word);

/* The known name that is most like a word; NULL when none is. */
const char *name_nearest(struct arena *arena, const struct catalog *catalog, const char *word);

#endif
