/*
 * The distinct words of the texts read for a question. Most words repeat, so each is stemmed and
 * compared with the question's terms only once.
 */
#ifndef ASSAY_SUPPORT_ANSWER_VOCABULARY_H
#define ASSAY_SUPPORT_ANSWER_VOCABULARY_H

#include "support/answer/question.h"

struct known_word {
    uint64_t stem;
    const double *covers; /* match per term of the question, 0 to 1; NULL = matches no term */
    struct ngram_matches held;

    const char *text;
    size_t length;
    enum text_language language;
    struct known_word *next; /* next in its bucket */
};

/* A word of a text in that language. The word, its data and the vocabulary are from the arena. The
 * vocabulary begins with the first word and ends with the question. */
const struct known_word *vocabulary_word(struct question *question, struct arena *arena,
                                         enum text_language language, const struct word *word);

#endif
