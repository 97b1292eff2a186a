/* Private to common/livedata/query: a question, or a plan that was sent, made ready to run: checked
 * against the catalog, the key's types and the guard. */
#ifndef ASSAY_LIVEDATA_QUERY_PREPARED_H
#define ASSAY_LIVEDATA_QUERY_PREPARED_H

#include "livedata/query/answer.h"
#include "livedata/sandbox/scope.h"
#include "livedata/sandbox/sql_guard.h"

struct prepared_question {
    struct plan_context context;
    const char *sql; /* accepted by the guard, not scoped; NULL = computed by typed_values() */
    size_t length;
    const char *engine;
    const char *interpretation;
    const char *language; /* of it */
    const struct typed_plan *plan;
    struct compiled_plan compiled; /* not of the shop's plans */
    struct scope scope;
    struct guard_finding finding;
    struct string_list tables;
    const char *identity; /* what a page's cursor belongs to; NULL = the scoped statement */
    bool clamped;
};

/* ERROR_INVALID untranslatable or plan_invalid, ERROR_FORBIDDEN unsafe_query. */
MUST_CHECK enum error prepare_question(const struct storage_call *call,
                                       const struct catalog *catalog,
                                       const struct livedata_settings *settings,
                                       const struct query_request *request,
                                       struct prepared_question *prepared);

#endif
