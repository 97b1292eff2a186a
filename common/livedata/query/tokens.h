/*
 * A question as tokens for the planner of all entities: words of every script, folded; numbers with
 * their signs; quoted texts. Words of grammar are recognized in seven languages, and read as the
 * English ones that they mean.
 */
#ifndef ASSAY_LIVEDATA_QUERY_TOKENS_H
#define ASSAY_LIVEDATA_QUERY_TOKENS_H

#include "livedata/query/words.h"

enum grammar {
    GRAMMAR_NONE,
    GRAMMAR_FILLER,
    GRAMMAR_COUNT,
    GRAMMAR_HOW_MUCH,
    GRAMMAR_SUM,
    GRAMMAR_AVERAGE,
    GRAMMAR_MIN, /* also of a ranking */
    GRAMMAR_MAX,
    GRAMMAR_MEDIAN,
    GRAMMAR_PERCENTILE,
    GRAMMAR_DISTINCT,
    GRAMMAR_TOP,
    GRAMMAR_BOTTOM,
    GRAMMAR_MOST,
    GRAMMAR_FEWEST,
    GRAMMAR_LATEST,
    GRAMMAR_EARLIEST,
    GRAMMAR_PER,
    GRAMMAR_BY,
    GRAMMAR_SORTED,
    GRAMMAR_ASCENDING,
    GRAMMAR_DESCENDING,
    GRAMMAR_ABOVE,
    GRAMMAR_AT_LEAST,
    GRAMMAR_BELOW,
    GRAMMAR_AT_MOST,
    GRAMMAR_OR_MORE,
    GRAMMAR_OR_LESS,
    GRAMMAR_EQUAL,
    GRAMMAR_UNEQUAL,
    GRAMMAR_IS,
    GRAMMAR_NOT,
    GRAMMAR_NOT_ALL, /* "not only": no step reads it, so that it is named */
    GRAMMAR_BETWEEN,
    GRAMMAR_FROM,
    GRAMMAR_TO,
    GRAMMAR_AND,
    GRAMMAR_OR,
    GRAMMAR_IN,
    GRAMMAR_CONTAINS,
    GRAMMAR_WITHOUT,
    GRAMMAR_WITH,
    GRAMMAR_MISSING,
    GRAMMAR_NAMED,
    GRAMMAR_TRUE,
    GRAMMAR_FALSE,
    GRAMMAR_COMPARED,
    GRAMMAR_UNIT,   /* hour, day, week, month */
    GRAMMAR_HOW,    /* "how is": says no more than what is computed */
    GRAMMAR_CHANGE, /* "went up" since another period */
    GRAMMAR_USE,    /* a verb for "has" before "the most" */
    GRAMMAR__MAX
};

struct question_token {
    const char *fold;     /* as vocabulary is compared */
    enum grammar grammar; /* of the phrase that begins here */
    size_t length;        /* tokens of that phrase */
    bool quoted;
    bool comma;              /* one stands before it */
    const char *before_time; /* what the word means before a time; NULL = the same */
};

struct question_tokens {
    struct question_words words; /* read as English; what is used has a slot */
    struct question_token *items;
    const char *language; /* "en", "ru", ... that its words of grammar are of */
};

/* `is_name` says how many tokens from `at` on are a name of the catalog: those keep their meaning
 * where they could also be grammar. */
struct token_names {
    size_t (*is_name)(const void *context, const struct question_tokens *tokens, size_t at);
    const void *context;
};

void tokens_read(struct arena *arena, const char *question, const struct token_names *names,
                 struct question_tokens *tokens);

/* Folded as tokens are: for names of the catalog. */
const char *token_fold(struct arena *arena, const char *text);

/* Whether it is one character of Han, which is a token by itself. */
bool token_is_han(const char *text);

/* Whether two folded words are the same but for number and case endings. */
bool token_same(const char *word, const char *name);

/* Private to tokens.c and grammar_*.c: phrases of a language and the English that they mean; `*` at
 * the end of a word stands for any ending. */
struct phrase {
    const char *words, *english;
    const char *before_time; /* instead, where a time follows; NULL = the same */
};
struct phrase_list {
    const char *language;
    const struct phrase *items;
    size_t count;
    const char *after_year; /* words that say no more than the year before them */
    bool decimal_comma;     /* "1,500" is one and a half */
};
extern const struct phrase_list foreign_phrases[];
extern const size_t foreign_phrase_lists;

/* The grammar of English phrases. */
struct grammar_phrase {
    enum grammar grammar;
    const char *phrases; /* separated by `|` */
};
extern const struct grammar_phrase grammar_phrases[];
extern const size_t grammar_phrase_count;

#endif
