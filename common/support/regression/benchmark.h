/*
 * Measures the expected answers of the fixed questions against their own documents, without asking
 * a model. Finds questions that the documents do not support, and documents that have changed.
 */
#ifndef ASSAY_SUPPORT_REGRESSION_BENCHMARK_H
#define ASSAY_SUPPORT_REGRESSION_BENCHMARK_H

#include "support/documents/document_store.h"

struct benchmark_plan {
    const char *path;    /* of the questions */
    bool with_documents; /* else there is no context: faithfulness and what is found are 0 */
};

/* The result as indented JSON, from the arena of the call, whose tenant is the documents'.
 * ERROR_NOT_FOUND document_not_found when one that a question stands on is not there; errors of the
 * questions and of the database. */
MUST_CHECK enum error benchmark_run(const struct document_call *call,
                                    const struct benchmark_plan *plan, const char **result,
                                    size_t *count);

#endif
