/*
 * Measures the expected answers of the fixed questions against their own documents, without a
 * model. Finds questions that the documents do not support, and documents that have changed.
 */
#ifndef ASSAY_SUPPORT_REGRESSION_BENCHMARK_H
#define ASSAY_SUPPORT_REGRESSION_BENCHMARK_H

#include "support/documents/document_store.h"

struct benchmark_plan {
    const char *path;    /* file of the questions */
    bool with_documents; /* false: there is no context, and faithfulness and retrieval are 0 */
};

/* The result as indented JSON, from the arena of the call; the documents are those of its tenant.
 * ERROR_NOT_FOUND document_not_found when a question's document is missing; errors of the questions
 * and of the database. */
MUST_CHECK enum error benchmark_run(const struct document_call *call,
                                    const struct benchmark_plan *plan, const char **result,
                                    size_t *count);

#endif
