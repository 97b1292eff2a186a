/*
 * Turns an advisor's answer into structs. Advisors are asked for JSON and mostly give it,
 * but put fences or words around it, write lists as one text, and repeat themselves. Accepts all of
 * that; other texts give an error code.
 */
#ifndef ASSAY_EXPERIMENTS_ADVICE_ADVICE_READING_H
#define ASSAY_EXPERIMENTS_ADVICE_ADVICE_READING_H

#include "base/json.h"
#include "experiments/payloads/analysis_payload.h"

enum reading {
    READING_DONE,
    READING_EMPTY,         /* nothing in it */
    READING_NO_OBJECT,     /* no braces */
    READING_INVALID,       /* no JSON between them */
    READING_NO_HYPOTHESES, /* no list of that name */
    READING_NONE_LEFT,     /* none of them names a change */
    READING__MAX
};

/* "empty_response", "missing_json_object"...; NULL for READING_DONE. */
extern const char *const reading_codes[READING__MAX];

extern const char *const hypothesis_directions[2]; /* "increase", "decrease" */

struct hypothesis {
    const char *change;
    const char *rationale;
    const char *primary_metric;
    int expected_direction; /* into hypothesis_directions */
};

/* Both take the whole text of an answer. Results come from the arena. */
enum reading reading_advice(struct arena *arena, const char *text, struct advice_text *advice);

/* At most `count`; struct hypothesis. */
enum reading reading_hypotheses(struct arena *arena, const char *text, size_t count,
                                struct object_list *hypotheses);

#endif
