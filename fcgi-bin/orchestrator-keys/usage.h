/* What was used and what it did cost, as JSON and as CSV. */
#ifndef ASSAY_ORCHESTRATOR_KEYS_USAGE_H
#define ASSAY_ORCHESTRATOR_KEYS_USAGE_H

#include "base/schema.h"
#include "http/request.h"

struct usage_query;
struct own_usage_query;
struct usage_answer;
SCHEMA_OF(usage_query_schema, struct usage_query);
SCHEMA_OF(own_usage_query_schema, struct own_usage_query);
SCHEMA_OF(usage_answer_schema, struct usage_answer);

enum error usage_handle(struct request *request, struct reply *reply);
enum error usage_csv_handle(struct request *request, struct reply *reply);
enum error own_usage_handle(struct request *request, struct reply *reply);

#endif
