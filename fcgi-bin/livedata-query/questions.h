/* Handlers of questions: one, its explanation, and batches of reads. */
#ifndef ASSAY_LIVEDATA_QUERY_QUESTIONS_H
#define ASSAY_LIVEDATA_QUERY_QUESTIONS_H

#include "livedata/service.h"

extern const struct schema query_request_schema, query_schema, explain_request_schema,
    explain_schema, batch_request_schema, batch_schema;

enum error query_handle(struct request *request, struct reply *reply);
enum error explain_handle(struct request *request, struct reply *reply);
enum error batch_handle(struct request *request, struct reply *reply);

#endif
