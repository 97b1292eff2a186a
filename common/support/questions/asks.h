/*
 * The kind of answer that a question asks for, by its question words in the languages of the
 * answerer: a figure, steps, a reason, yes or no, a list, a comparison.
 */
#ifndef ASSAY_SUPPORT_QUESTIONS_ASKS_H
#define ASSAY_SUPPORT_QUESTIONS_ASKS_H

#include "base/arena.h"

#include <stdbool.h>

struct asks {
    bool figure;  /* how many, how long, when, what does it cost */
    bool steps;   /* how do I */
    bool reason;  /* why */
    bool yes_no;  /* no question word, or a form for yes and no such as `ли`, `هل`, `吗` */
    bool list;    /* which ... are there */
    bool compare; /* the difference between, compare, versus */
};

struct asks question_asks(struct arena *arena, const char *question);

/* Whether a folded word asks for a comparison. */
bool asks_is_comparing(const char *word);

#endif
