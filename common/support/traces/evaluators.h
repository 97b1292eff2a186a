/*
 * The seven evaluators that judge every answer: cheap, deterministic, each giving a score between 0
 * and 1, a verdict and figures.
 */
#ifndef ASSAY_SUPPORT_TRACES_EVALUATORS_H
#define ASSAY_SUPPORT_TRACES_EVALUATORS_H

#include "base/arena.h"
#include "base/optional.h"

#include <stdbool.h>

enum { EVALUATORS = 7 };
extern const char *const evaluator_names[EVALUATORS];

/* Whether a score of 1 is bad: the evaluators that look for a fault. The order of the worst answers
 * is by them (trace_store.c) and so are its indexes: another one needs a migration. */
bool evaluator_lower_is_better(const char *name);

struct evaluation {
    const char *evaluator;
    double score;
    const char *verdict;
    const char *metadata; /* a JSON object */
};

/* What the evaluators look at. */
struct evaluated {
    const char *question, *answer;
    const struct optional_number *relevances; /* of retrieved documents; not given = not scored */
    size_t document_count;
    double words_mean, words_deviation; /* of earlier answers; a deviation of 0 = not known */
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

/* Words as blanks separate them. */
int evaluate_count_words(const char *text);

#endif
