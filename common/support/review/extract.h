/* What a stored trace comes to: question, answer, what the answer stood on, how good it was. One
 * reading for everybody who judges answers. */
#ifndef ASSAY_SUPPORT_REVIEW_EXTRACT_H
#define ASSAY_SUPPORT_REVIEW_EXTRACT_H

#include "base/json.h"
#include "base/optional.h"
#include "support/traces/trace_store.h"

struct extract {
    const char *query, *answer; /* "" = not known */
    const char *route;          /* NULL = none */
    struct optional_number quality, fact_score, duration_ms;
    const char *docs;       /* JSON list of {title, excerpt, source} */
    const char *tool_calls; /* JSON list of {tool, args} */
    const char *citations;  /* JSON list of "[1]" */
    int64_t citations_count;
    const char *channel, *context_hint, *topic;
};

/* Of the call's tenant. `found` is false when the trace is gone or somebody else's. */
MUST_CHECK enum error extract_trace(const struct trace_call *call, const char *trace_id,
                                    struct extract *extract, bool *found);

/* As it is kept with a verdict, and back. What cannot be read is empty. */
const char *extract_json(struct arena *arena, const struct extract *extract);
void extract_read(struct arena *arena, const char *json, struct extract *extract);

/* A value as JSON text. */
const char *extract_text(struct arena *arena, const json_t *value);

#endif
