/*
 * Answers questions: plans them, or takes a plan instead; compiles the plan, checks its SQL by the
 * guard, scopes it to the tenant, and runs it page by page.
 */
#ifndef ASSAY_LIVEDATA_QUERY_ANSWER_H
#define ASSAY_LIVEDATA_QUERY_ANSWER_H

#include "db/sandbox.h"
#include "livedata/catalog/catalog.h"
#include "livedata/journal/ages.h"
#include "livedata/query/typed_plan.h"
#include "livedata/storage_call.h"

struct query_request {
    const char *question;
    const struct typed_plan *plan; /* instead of the question, or made from it; or NULL */
    const char *language;          /* of the reader; NULL = that of the question */
    const char *engine;            /* that made such a plan; NULL = the client sent it */
    int64_t limit;
    const char *cursor;                      /* NULL = the first page */
    const struct string_list *allowed_types; /* types of the key; NULL = all */
    const char *time_zone;                   /* zone of the tenant; NULL = of the settings */
    bool paged;                              /* false: at most query_rows_max rows, no count */
};

struct query_result {
    const char *sql;            /* SQL as executed */
    const char *interpretation; /* one sentence that describes the computation */
    const char *engine;         /* "rule_based" or "llm" */
    const struct typed_plan *plan;
    struct string_list flags; /* columns of the answer that are true or false */
    struct sandbox_answer answer;
    struct string_list tables;
    bool has_more;
    const char *next_cursor; /* or NULL */
    struct optional_integer total_count;
    int64_t execution_ms;
    struct data_ages ages;
    bool clamped;
};

/* ERROR_INVALID untranslatable, plan_invalid, too_many_groups, invalid_cursor, foreign_cursor,
 * query_failed; ERROR_FORBIDDEN unsafe_query; ERROR_BUSY query_timeout; and the database's. Outside
 * transactions. */
MUST_CHECK enum error query_answer(const struct storage_call *call, const struct catalog *catalog,
                                   const struct livedata_settings *settings,
                                   const struct query_request *request,
                                   struct query_result *result);

struct query_explanation {
    const char *sql;
    const char *interpretation;
    const char *engine;
    const struct typed_plan *plan;
    const struct typed_plan *again; /* to answer by, so that the question is not planned twice; NULL
                                       = the question has to be */
    const char *language;           /* of the interpretation */
    struct string_list tables;
    struct optional_integer estimated_rows;
    const char *warning; /* or NULL */
};
MUST_CHECK enum error query_explain(const struct storage_call *call, const struct catalog *catalog,
                                    const struct livedata_settings *settings,
                                    const struct query_request *request,
                                    struct query_explanation *explanation);

/* The rows as a JSON list. */
const char *query_rows_text(struct arena *arena, const struct query_result *result);

#endif
