/* What a prompt looks like before anybody is asked: how complex it is, and of which kind. Word
 * lists and weights are fixed, so that the same prompt is always treated the same, and so is its
 * translation: the lists of all languages hold the same ideas (vocabulary.h). */
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

/* 0.5 min(1, I/4) + 0.3 min(1, words/50) + 0.2 min(1, D/2), with I words that tell of weighing and
 * D that join questions. In languages without a list, I and D come from the marks between parts of
 * sentences. Words of scripts without blanks are counted by their characters. */
struct complexity assess_complexity(struct arena *arena, const char *prompt);

/* The first kind of which a word stands in the prompt. */
enum task_type assess_task_type(struct arena *arena, const char *prompt);

/* Nothing but white space. */
bool is_blank(const char *text);

#endif
