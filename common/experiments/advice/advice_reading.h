/*
 * Parses an advisor's answer into structs. The prompt asks for JSON; advisors often add fences or
 * text around it, write lists as one text, and repeat items. The parser accepts all of that. Other
 * texts give an error code.
 */
#ifndef ASSAY_EXPERIMENTS_ADVICE_ADVICE_READING_H
#define ASSAY_EXPERIMENTS_ADVICE_ADVICE_READING_H

#include "base/json.h"
#include "experiments/payloads/analysis_payload.h"

enum reading {
    READING_DONE,
    READING_EMPTY,         /* empty text */
    READING_NO_OBJECT,     /* no braces */
    READING_INVALID,       /* no JSON between them */
    READING_NO_HYPOTHESES, /* no list with the expected name */
    READING_NONE_LEFT,     /* no hypothesis names a change */
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

/* Both functions take the whole answer text. Results come from the arena. */
enum reading reading_advice(struct arena *arena, const char *text, struct advice_text *advice);

/* At most `count` items of struct hypothesis. */
enum reading reading_hypotheses(struct arena *arena, const char *text, size_t count,
                                struct object_list *hypotheses);

#endif
