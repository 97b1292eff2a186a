/*
 * A question taken apart: its words without those that say nothing, how much each of them counts
 * in this knowledge base, and the terms to search for.
 */
#ifndef ASSAY_SUPPORT_ANSWER_QUESTION_H
#define ASSAY_SUPPORT_ANSWER_QUESTION_H

#include "base/arena.h"
#include "search/search.h"
#include "support/answer/ngram_overlap.h"
#include "support/answer/synonyms.h"
#include "text/language.h"
#include "text/words.h"

#include <stdbool.h>

enum {
    QUESTION_TERMS_MAX = 96, /* different ones; the rest of a long text is not looked at */
    QUESTION_WORDS_MAX = 400,
    SHAPE_MAX = 48
};

/* The two- and three-letter ngrams of a word, for likeness of words that stems keep apart. */
struct shape {
    uint32_t ngrams[SHAPE_MAX]; /* sorted */
    size_t count;
    uint64_t marks; /* a bit for each ngram */
    size_t hidden;  /* ngrams whose bit is another's as well */
};

struct question_term {
    struct word word;
    double times;  /* it was asked, .5 when it stands only in the question before */
    double weight; /* what finding it is worth */
    bool code;     /* letters and digits, or three digits and more: found exactly or not at all */
    bool in_index;
    bool asks; /* names the kind of thing asked for: time, reason, steps */
    int group; /* of synonyms; 0 = none */
    uint64_t
        stems[TEXT_LANGUAGE__MAX]; /* as a text of that language would hold it; 0 = not asked yet */
    struct shape shape;
};

struct question {
    const char *text;
    enum text_language language;
    const struct synonyms *synonyms;
    struct question_term *terms;
    size_t count;
    struct word *words; /* all of them, in order, for neighbours */
    size_t word_count;
    struct ngram_set *ngrams; /* of all its words, and of those before when they count */
    double total;             /* of the weights */
    bool asks_duration;       /* how long, when */
    bool has_codes;
    const char *missing_code;      /* one that the knowledge base does not know; NULL = none */
    struct vocabulary *vocabulary; /* of the texts read for it */
};

/* Reads a question. `before` is the previous question of the conversation or NULL: its terms count
 * half when this one says too little by itself. Texts and synonyms are borrowed, the rest is the
 * arena's. */
void question_read(struct question *question, struct arena *arena, const char *text,
                   const char *before, const struct synonyms *synonyms);

/* Weighs the terms by how rare they are. */
void question_weigh(struct question *question, const struct search_index *index);

/* The terms to search the index for: stems in every language of the index, synonyms, four-grams. */
struct search_term *question_search_terms(const struct question *question, struct arena *arena,
                                          const struct search_index *index, size_t *count);

/* Its four-grams alone, in the same weights. */
struct search_term *question_gram_terms(const struct question *question, struct arena *arena,
                                        size_t *count);

/* The stem of a term in a text of that language. */
uint64_t question_stem(struct question_term *term, enum text_language language);

/* Likeness of two words: the Dice coefficient of their ngrams (Dice 1945), .5 to 1; 0 for words
 * that are less alike than that. */
void shape_of(const struct word *word, struct shape *shape);
double shape_likeness(const struct shape *a, const struct shape *b);

/* Whether a text says how long something takes: a number and a unit of time. */
bool text_has_duration(const char *text, size_t length);

/* The content words in order, joined by blanks: what the trace shows as the search. */
const char *question_search_text(const struct question *question, struct arena *arena);

#endif
