/*
 * The distinct words of the texts that are read for a question. Texts repeat most of their words:
 * each word is stemmed and compared with the terms of the question once.
 */
#ifndef ASSAY_SUPPORT_ANSWER_VOCABULARY_H
#define ASSAY_SUPPORT_ANSWER_VOCABULARY_H

#include "support/answer/question.h"

struct known_word {
    uint64_t stem;
    const double *covers; /* per term of the question, 0 to 1; NULL = none of them */
    struct ngram_matches held;

    const char *text;
    size_t length;
    enum text_language language;
    struct known_word *next; /* in its bucket */
};

/* A word of a text of that language; it and what it says are the arena's, as is the vocabulary,
 * which begins with the first word and ends with the question. */
const struct known_word *vocabulary_word(struct question *question, struct arena *arena,
                                         enum text_language language, const struct word *word);

#endif
