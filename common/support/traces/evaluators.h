/*
 * The seven evaluators that run on every answer: cheap and deterministic. Each returns a score
 * between 0 and 1, a verdict and metrics.
 */
#ifndef ASSAY_SUPPORT_TRACES_EVALUATORS_H
#define ASSAY_SUPPORT_TRACES_EVALUATORS_H

#include "base/arena.h"
#include "base/optional.h"

#include <stdbool.h>

enum { EVALUATORS = 7 };
extern const char *const evaluator_names[EVALUATORS];

/* EVALUATORS for an unknown name. */
int evaluator_of_name(const char *name);

/* Whether a score of 1 is bad: for evaluators that detect an error. The queries for the worst
 * answers (trace_store.c) and their indexes depend on it: a change needs a migration. */
bool evaluator_lower_is_better(const char *name);

struct evaluation {
    const char *evaluator;
    double score;
    const char *verdict;
    const char *metadata; /* a JSON object */
};

/* Input of the evaluators. */
struct evaluated {
    const char *question, *answer;
    const struct optional_number *relevances; /* of retrieved documents; absent = not scored */
    size_t document_count;
    double words_mean, words_deviation; /* of earlier answers; a deviation of 0 = unknown */
    int answer_tokens;
    const int *tool_tokens;
    size_t tool_count;
};

/* In the order of evaluator_names. */
void evaluate_answer(struct arena *arena, const struct evaluated *evaluated,
                     struct evaluation evaluations[EVALUATORS]);

struct evaluation evaluate_citation_coverage(struct arena *arena, const char *answer);
struct evaluation evaluate_length(struct arena *arena, int words, double mean, double deviation);
struct evaluation evaluate_hit_rate(struct arena *arena, const struct optional_number *relevances,
                                    size_t count);
struct evaluation evaluate_tool_use(struct arena *arena, int answer_tokens, const int *tool_tokens,
                                    size_t count);
struct evaluation evaluate_refusal(struct arena *arena, const char *answer);
struct evaluation evaluate_pii(struct arena *arena, const char *answer);
struct evaluation evaluate_language(struct arena *arena, const char *question, const char *answer);

/* Words, separated by blanks. */
int evaluate_count_words(const char *text);

#endif
