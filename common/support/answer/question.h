/*
 * A parsed question: its content words, their weights in this knowledge base, and the search terms.
 */
#ifndef ASSAY_SUPPORT_ANSWER_QUESTION_H
#define ASSAY_SUPPORT_ANSWER_QUESTION_H

#include "base/arena.h"
#include "search/search.h"
#include "support/matching/ngram_overlap.h"
#include "support/matching/synonyms.h"
#include "text/language.h"
#include "text/words.h"

#include <stdbool.h>

enum {
    QUESTION_TERMS_MAX = 96, /* number of distinct terms; the rest of a long text is ignored */
    QUESTION_WORDS_MAX = 400,
    SHAPE_MAX = 48,
    QUESTION_IDS_MAX = 4
};

/* The bigrams and trigrams of a word, to match related words with different stems. */
struct shape {
    uint32_t ngrams[SHAPE_MAX]; /* sorted */
    size_t count;
    uint64_t marks; /* one bit per ngram */
    size_t hidden;  /* ngrams that share their bit with another */
};

struct question_term {
    struct word word;
    double times;  /* 1, or .5 when it is only in the previous question */
    double weight; /* weight of a match */
    bool quantity; /* a number with a unit: may be compared, is no code */
    bool compares; /* belongs to a comparison, as in "longer than one year" */
    bool numbered; /* the noun of an article number, which columns of numbers may not repeat */
    bool code;     /* letters and digits, or at least three digits: matches only exactly */
    bool in_index;
    bool asks; /* names the requested kind of information: time, reason, steps */
    int group; /* synonym group; 0 = none */
    uint64_t stems[TEXT_LANGUAGE__MAX]; /* stem in each language; 0 = not computed yet */
    struct shape shape;
};

/* A number that identifies something: "XR-500", "order 48213". */
struct exact_id {
    const struct word *name; /* the letters or the noun before it */
    const struct word *number;
    bool joined; /* the letters belong to the number: no other word may stand between them */
};

struct question {
    const char *text;
    enum text_language language;
    const struct synonyms *synonyms;
    struct question_term *terms;
    size_t count;
    struct word *words; /* all words, in order, for neighbors */
    size_t word_count;
    struct ngram_set *ngrams; /* number of all its words, and of previous ones when they are used */
    double total;             /* sum of the weights */
    bool asks_duration;       /* asks for a duration or a time */
    bool follows;             /* says too little alone, or refers to the question before */
    const char *before;       /* the question before, when its terms are used; or NULL */
    bool has_codes;
    struct exact_id ids[QUESTION_IDS_MAX]; /* numbers that stand with a name */
    size_t id_count;
    const char *missing_code;      /* a code that is not in the knowledge base; NULL = none */
    struct vocabulary *vocabulary; /* vocabulary of the texts read for the question */
};

/* Parses a question. `before` is the previous question of the conversation or NULL: its terms count
 * half when this question has too few. Texts and synonyms are borrowed, the rest is from the
 * arena. */
void question_read(struct question *question, struct arena *arena, const char *text,
                   const char *before, const struct synonyms *synonyms);

/* Sets the weights of the terms by their rarity. */
void question_weigh(struct question *question, const struct search_index *index);

/* The same; a search engine behind the index is asked for all terms at once. */
void question_look_up(struct question *question, struct arena *arena,
                      const struct search_index *index);

/* The search terms for the index: stems in every language of the index, synonyms, four-grams. */
struct search_term *question_search_terms(const struct question *question, struct arena *arena,
                                          const struct search_index *index, size_t *count);

/* Only the four-grams, with the same weights. */
struct search_term *question_gram_terms(const struct question *question, struct arena *arena,
                                        size_t *count);

/* The stem of a term in the text's language. */
uint64_t question_stem(struct question_term *term, enum text_language language);

/* Similarity of two words: the Dice coefficient of their ngrams (Dice 1945), .5 to 1; 0 below
 * .5. */
void shape_of(const struct word *word, struct shape *shape);
double shape_likeness(const struct shape *a, const struct shape *b);

/* Whether a text contains a duration: a number and a unit of time. */
bool text_has_duration(const char *text, size_t length);

/* The content words in order, joined by blanks: the trace shows them as the search. */
const char *question_search_text(const struct question *question, struct arena *arena);

#endif
