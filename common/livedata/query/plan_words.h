/* Private to common/livedata/query: parsing state of a question. */
#ifndef ASSAY_LIVEDATA_QUERY_PLAN_WORDS_H
#define ASSAY_LIVEDATA_QUERY_PLAN_WORDS_H

#include "livedata/query/plan.h"

struct plan_reader {
    const struct plan_context *context;
    struct question_words words;
    struct question_plan *plan;
    bool awaits; /* "still", "yet", or what has not arrived */
};

/* Splits the question into words and assigns slots; fills in the period, states, ids and numbers of
 * the plan. */
void plan_read_words(struct plan_reader *reader, const char *question);

#endif
