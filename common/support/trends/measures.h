/*
 * Quality measures from words alone, without a model: the share of the answer that its documents
 * contain, the rank of relevant results, the share of the question that the answer covers, and the
 * share of expected words that it contains.
 */
#ifndef ASSAY_SUPPORT_TRENDS_MEASURES_H
#define ASSAY_SUPPORT_TRENDS_MEASURES_H

#include "base/arena.h"
#include "base/schema.h"

enum measure {
    MEASURE_FAITHFULNESS,
    MEASURE_PRECISION,
    MEASURE_RELEVANCY,
    MEASURE__ANSWERED, /* the measures above need only the answer and its documents */
    MEASURE_RECALL = MEASURE__ANSWERED,
    MEASURE__MAX
};
extern const char *const measure_names[MEASURE__MAX];

/* Schemas of the values of all measures, and of those of an answer. */
struct measures {
    double values[MEASURE__MAX];
};
struct answered_measures {
    double values[MEASURE__ANSWERED];
};
SCHEMA_OF(measures_schema, struct measures);
SCHEMA_OF(answered_measures_schema, struct answered_measures);

struct measured {
    const char *question, *answer;
    const char *const *documents; /* the first one has rank 1 */
    size_t document_count;
    struct string_list keywords; /* expected keywords; unknown for live answers */
};

/* Each value is between 0 and 1. */
void measures_take(struct arena *arena, const struct measured *what, double scores[MEASURE__MAX]);

#endif
