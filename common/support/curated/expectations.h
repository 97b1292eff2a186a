/* Whether an answer is what a curated case expects. */
#ifndef ASSAY_SUPPORT_CURATED_EXPECTATIONS_H
#define ASSAY_SUPPORT_CURATED_EXPECTATIONS_H

#include "support/answer/citation_list.h"
#include "support/curated/curated.h"

struct execution {
    const char *answer;
    double quality_score, factuality_score;
    OBJECT_LIST(struct citation, citations);
    int64_t citation_count; /* documents that are cited */
    struct optional_integer duration_ms;
    struct optional_number cost_usd;
    const char *route;
    const char *trace_id;
    bool silent; /* a provider was to be compared, and it answered no call */
};

/* What fails, in words; none = it passes. */
struct string_list expectations_failed(struct arena *arena, const struct curated_expected *expected,
                                       const struct execution *execution);

/* Whether `needle` stands in the text: letter by letter without regard to case, word by word, or in
 * the form in which phrases are made (phrases.h). */
bool expectation_found(struct arena *arena, const char *text, const char *needle);

/* Whether one of a group does; a group of nothing asks for nothing. */
bool expectation_met(struct arena *arena, const char *text, const struct string_list *options);

/* The provider of models failed, not the answer. */
bool execution_is_infrastructure(struct arena *arena, const struct execution *execution);

#endif
