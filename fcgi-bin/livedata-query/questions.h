/* Handlers of questions: one, its explanation, and batches of reads. */
#ifndef ASSAY_LIVEDATA_QUERY_QUESTIONS_H
#define ASSAY_LIVEDATA_QUERY_QUESTIONS_H

#include "livedata/query/answer.h"
#include "livedata/service.h"

extern const struct schema query_request_schema, query_schema, explain_request_schema,
    explain_schema, batch_request_schema, batch_schema, features_request_schema;

/* Rows of an answer, with the columns of the question: a JSON list as text. */
#define WRITTEN_ROWS(owner, member)                                                                \
    {                                                                                              \
        .name = #member, .type = FIELD_JSON_OBJECTS, .written = true,                              \
        .offset = FIELD_OFFSET(owner, member, const char *)                                        \
    }

/* The common members of every answer to a question. */
#define QUERY_METADATA_MEMBERS                                                                     \
    int64_t rows_returned, execution_time_ms;                                                      \
    struct optional_number data_freshness_seconds, freshness_seconds, event_age_seconds;           \
    const char *health
#define QUERY_METADATA_ROWS                                                                        \
    INTEGER(OWNER, rows_returned), INTEGER(OWNER, execution_time_ms),                              \
        NULLABLE_NUMBER(OWNER, data_freshness_seconds), NULLABLE_NUMBER(OWNER, freshness_seconds), \
        NULLABLE_NUMBER(OWNER, event_age_seconds), STRING(OWNER, health)

/* The reader's, from Accept-Language; NULL without that header: then that of the question. */
const char *questions_language(const struct request *request);

enum error query_handle(struct request *request, struct reply *reply);
enum error explain_handle(struct request *request, struct reply *reply);
enum error features_handle(struct request *request, struct reply *reply);
enum error batch_handle(struct request *request, struct reply *reply);

#endif
