/* Which stored answers a reader may see: those whose documents he may read all. An answer without a
 * trace, as after its purge, is shown only to people who may read every document. */
#ifndef ASSAY_SUPPORT_TRACES_READABLE_H
#define ASSAY_SUPPORT_TRACES_READABLE_H

#include "support/documents/document_store.h"

struct readable_traces {
    bool all;
    struct string_list ids; /* in bytewise order */
};

/* Notes the documents of all searches of an answer, at least one; in the caller's transaction. */
MUST_CHECK enum error readable_note(struct db *db, const char *trace_id,
                                    const struct string_list *doc_ids, struct problem *problem);

/* Looks at `count` traces at once; ids that are NULL are passed over. Of the call the reader, the
 * database, the arena and the problem are used. */
MUST_CHECK enum error readable_traces_find(const struct document_call *call,
                                           const char *const *trace_ids, size_t count,
                                           struct readable_traces *readable);

/* Whether it is one of them; a NULL id is not. */
bool trace_is_readable(const struct readable_traces *readable, const char *trace_id);

/* The same for a single one. */
MUST_CHECK enum error readable_trace(const struct document_call *call, const char *trace_id,
                                     bool *readable);

#endif
