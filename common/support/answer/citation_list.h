/* The numbered sources of an answer in the form used for display, storage and comparison. */
#ifndef ASSAY_SUPPORT_ANSWER_CITATION_LIST_H
#define ASSAY_SUPPORT_ANSWER_CITATION_LIST_H

#include "base/schema.h"
#include "support/answer/graph.h"

struct citation {
    int64_t index; /* the number in its markers, from 1 */
    const char *doc_id, *title, *excerpt;
};

SCHEMA_OF(citation_schema, struct citation);

/* One struct citation for each source of the outcome. */
struct object_list citations_of(struct arena *arena, const struct graph_outcome *outcome);

#endif
