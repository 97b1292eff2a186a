/* Private to common/livedata/query: a question while its plan is made. */
#ifndef ASSAY_LIVEDATA_QUERY_PLAN_WORDS_H
#define ASSAY_LIVEDATA_QUERY_PLAN_WORDS_H

#include "livedata/query/plan.h"

struct plan_reader {
    const struct plan_context *context;
    struct question_words words;
    struct question_plan *plan;
};

/* Takes the question apart and gives its words to slots; fills in what they say: period, states,
 * ids, numbers. */
void plan_read_words(struct plan_reader *reader, const char *question);

#endif
