/*
 * The planner of questions about every entity and metric that a tenant sees. It tries each entity
 * as what the question is about; a plan exists only when it uses every word that carries meaning,
 * and when no other entity's plan does so with equal right.
 */
#ifndef ASSAY_LIVEDATA_QUERY_QUESTION_H
#define ASSAY_LIVEDATA_QUERY_QUESTION_H

#include "livedata/query/samples.h"
#include "livedata/query/typed_plan.h"

struct question_reading {
    bool planned;
    struct typed_plan plan;
    struct string_list left; /* words that no plan used, as written, each once */
    const char *conflict;    /* two meanings with equal right, as a sentence; or NULL */
    const char *language;    /* of the question: "en", "ru", ... */
};

/* `samples` may be NULL. */
struct question_reading question_to_plan(const struct plan_context *context,
                                         const struct catalog *catalog,
                                         struct value_samples *samples, const char *text);

#endif
