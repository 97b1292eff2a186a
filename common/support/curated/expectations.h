/* Checks whether an answer meets the expectations of a curated case. */
#ifndef ASSAY_SUPPORT_CURATED_EXPECTATIONS_H
#define ASSAY_SUPPORT_CURATED_EXPECTATIONS_H

#include "support/answer/citation_list.h"
#include "support/curated/curated.h"

struct execution {
    const char *answer;
    double quality_score, factuality_score;
    OBJECT_LIST(struct citation, citations);
    int64_t citation_count; /* cited documents */
    struct optional_integer duration_ms;
    struct optional_number cost_usd;
    const char *route;
    const char *trace_id;
    bool silent; /* a provider was under comparison and failed every call */
};

/* The failed expectations as texts; none = it passes. */
struct string_list expectations_failed(struct arena *arena, const struct curated_expected *expected,
                                       const struct execution *execution);

/* Whether `needle` occurs in the text: literally without regard to case, as words, or in the
 * normalized form of phrases (phrases.h). */
bool expectation_found(struct arena *arena, const char *text, const char *needle);

/* Whether one phrase of a group occurs; an empty group always passes. */
bool expectation_met(struct arena *arena, const char *text, const struct string_list *options);

/* The failure is the model provider's, not the answer's. */
bool execution_is_infrastructure(struct arena *arena, const struct execution *execution);

#endif
