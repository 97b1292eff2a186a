/* Assesses a prompt before any call: its complexity and its kind. Word lists and weights are fixed,
 * so that the same prompt always has the same result. A translation has the same result too: the
 * lists of all languages contain the same ideas (vocabulary.h). */
#ifndef ASSAY_ORCHESTRATOR_PLAN_ASSESS_H
#define ASSAY_ORCHESTRATOR_PLAN_ASSESS_H

#include "base/arena.h"
#include "orchestrator/names.h"

struct complexity {
    enum complexity_level level;
    double score; /* 0 to 1, three decimals */
    bool should_decompose;
    int words;
};

/* 0.5 min(1, I/4) + 0.3 min(1, words/50) + 0.2 min(1, D/2), with I analysis words and D words that
 * join questions. In languages without a list, I and D come from the punctuation between parts of
 * sentences. Words of scripts without blanks are counted by their characters. */
struct complexity assess_complexity(struct arena *arena, const char *prompt);

/* The first kind with a word in the prompt. */
enum task_type assess_task_type(struct arena *arena, const char *prompt);

/* Whether a text is only white space. */
bool is_blank(const char *text);

#endif
