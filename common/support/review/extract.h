/*
 * Extracts from a stored trace what a reviewer needs: question, answer, retrieved documents,
 * citations and scores. Every program that evaluates answers reads traces with it.
 */
#ifndef ASSAY_SUPPORT_REVIEW_EXTRACT_H
#define ASSAY_SUPPORT_REVIEW_EXTRACT_H

#include "base/schema.h"
#include "support/traces/trace_store.h"

struct extract_document {
    const char *title, *excerpt, *source;
};

struct extract_tool {
    const char *tool;
    json_t *args; /* any JSON */
};

struct extract {
    struct string_list tags;    /* verdict from an imported batch */
    const char *query, *answer; /* "" = unknown */
    const char *route;          /* NULL = none */
    struct optional_number quality, fact_score, duration_ms;
    OBJECT_LIST(struct extract_document, docs);
    OBJECT_LIST(struct extract_tool, tool_calls);
    struct string_list citations; /* "[1]" */
    int64_t citations_count;
    const char *channel, *context_hint, *topic;
};

SCHEMA_OF(extract_document_schema, struct extract_document);
SCHEMA_OF(extract_tool_schema, struct extract_tool);

/* Of the call's tenant. `found` is false when the trace is gone or another tenant's. */
MUST_CHECK enum error extract_trace(const struct trace_call *call, const char *trace_id,
                                    struct extract *extract, bool *found);

/* Converts to the form stored with a verdict, and back. Invalid input gives an empty struct. */
const char *extract_json(struct arena *arena, const struct extract *extract);
void extract_read(struct arena *arena, const char *json, struct extract *extract);

#endif
