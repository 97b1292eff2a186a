/*
 * How good an answer is by its words alone, without a model: what of it stands in its documents,
 * how early what was asked for was found, what of the question it takes up, and what of the words
 * that were to be found is there.
 */
#ifndef ASSAY_SUPPORT_TRENDS_MEASURES_H
#define ASSAY_SUPPORT_TRENDS_MEASURES_H

#include "base/arena.h"
#include "base/schema.h"

enum measure {
    MEASURE_FAITHFULNESS,
    MEASURE_PRECISION,
    MEASURE_RELEVANCY,
    MEASURE__ANSWERED, /* those above need nothing but the answer and its documents */
    MEASURE_RECALL = MEASURE__ANSWERED,
    MEASURE__MAX
};
extern const char *const measure_names[MEASURE__MAX];

/* Values of all measures, and of those of an answer, as they are written. */
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
    const char *const *documents; /* the first is what was found first */
    size_t document_count;
    struct string_list keywords; /* that are expected; those of a live answer are not known */
};

/* Each between 0 and 1. */
void measures_take(struct arena *arena, const struct measured *what, double scores[MEASURE__MAX]);

#endif
