/* Private to question*.c: the attempt to read a question as one about a certain entity. Each step
 * takes the tokens that it understands; what is left at the end was not understood. */
#ifndef ASSAY_LIVEDATA_QUERY_QUESTION_READER_H
#define ASSAY_LIVEDATA_QUERY_QUESTION_READER_H

#include "livedata/query/names.h"
#include "livedata/query/question.h"

enum { READER_GROUPS_MAX = MEASURE_GROUPS_MAX + 1, READER_SHOWN_MAX = 8 };

struct question_reader {
    struct arena *arena;
    const struct plan_context *context;
    struct names names;
    struct question_tokens tokens;
    struct name (*found)[NAME_VALUE + 1]; /* by token: its names by kind */
    const struct period *period;
    const struct table_column *time; /* of the entity; or NULL */
    bool implied;                    /* periods are about it without its name */
    struct typed_plan plan;
    struct typed_filter filters[MEASURE_CONDITIONS_MAX];
    const char *groups[READER_GROUPS_MAX];
    const char *shown[READER_SHOWN_MAX]; /* columns that are named without a use */
    size_t shown_count;
    bool selected;    /* something is computed */
    bool named;       /* the entity is named */
    bool when;        /* the question is for a time */
    bool conditional; /* conditions on its own columns say what the question is about */
    const char *conflict;
};

/* Tokens. The grammar of a token counts only where no longer name begins. */
bool reader_is_free(const struct question_reader *reader, size_t at);
void question_take(struct question_reader *reader, size_t at, size_t count);
enum grammar reader_grammar(const struct question_reader *reader, size_t at);
size_t reader_length(const struct question_reader *reader, size_t at); /* of that phrase */
/* The name of that kind, whose tokens are all free; `length` 0 = none. */
struct name reader_name(const struct question_reader *reader, size_t at, enum name_kind kind);
/* The longest of all kinds. */
struct name reader_any_name(const struct question_reader *reader, size_t at);
/* Past words without meaning: articles, "is". */
size_t reader_skip(const struct question_reader *reader, size_t at);
/* Where a negation stands before `at`, with nothing but such words between; SIZE_MAX = nowhere. */
size_t reader_negation(const struct question_reader *reader, size_t at);
/* Whether the token is this word, and free. */
bool reader_is_word(const struct question_reader *reader, size_t at, const char *word);
/* Past AND, OR or a comma; `at` itself when none joins. */
size_t reader_joined(const struct question_reader *reader, size_t at, bool *or_too);
/* Whether an id follows the entity's name: "by machine M-3" names one. */
bool reader_is_id(const struct question_reader *reader, size_t at);
bool reader_has_digit(const struct question_reader *reader, size_t at);
/* A number at the token. */
bool reader_number(const struct question_reader *reader, size_t at, double *value);

/* Values as JSON lists. False when there are too many conditions. */
bool reader_add_filter(struct question_reader *reader, const char *column, enum typed_operator op,
                       const json_t *values);
bool reader_add_group(struct question_reader *reader, const char *path);
/* The only number among the entity's own columns; NULL when there are several. */
const struct named_column *reader_sole_number(const struct question_reader *reader);
/* A name that is the entity's own. */
bool reader_is_self(const struct name *name);
/* Whether several are asked for by "which ones", as other languages say it. */
bool reader_asks_for_ones(const struct question_reader *reader);
bool reader_is_number(const struct named_column *column);
/* Whether the token is an English plural. */
bool reader_is_plural(const struct question_reader *reader, size_t at);
bool reader_is_counter(const struct question_reader *reader, const struct named_column *column);

/* The steps, in this order. */
void reader_read_degrees(struct question_reader *reader);
void reader_read_rankings(struct question_reader *reader);
void reader_read_groups(struct question_reader *reader);
void reader_read_conditions(struct question_reader *reader);
void reader_read_selection(struct question_reader *reader);

#endif
