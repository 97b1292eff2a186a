/* Routes with several rounds of calls: consensus, compare, debate, batch, pipeline. */
#ifndef ASSAY_ORCHESTRATOR_SYNC_PATTERNS_H
#define ASSAY_ORCHESTRATOR_SYNC_PATTERNS_H

#include "base/schema.h"
#include "http/request.h"

SCHEMA_OF(consensus_body_schema, struct consensus_body);
SCHEMA_OF(consensus_answer_schema, struct consensus_answer);
SCHEMA_OF(compare_body_schema, struct compare_body);
SCHEMA_OF(compare_answer_schema, struct compare_answer);
SCHEMA_OF(debate_body_schema, struct debate_body);
SCHEMA_OF(debate_answer_schema, struct debate_answer_body);
SCHEMA_OF(batch_body_schema, struct batch_body);
SCHEMA_OF(batch_answer_schema, struct batch_answer);
SCHEMA_OF(pipeline_body_schema, struct pipeline_body);
SCHEMA_OF(pipeline_answer_schema, struct pipeline_answer);

enum error consensus_handle(struct request *request, struct reply *reply);
enum error compare_handle(struct request *request, struct reply *reply);
enum error debate_handle(struct request *request, struct reply *reply);
enum error batch_handle(struct request *request, struct reply *reply);
enum error pipeline_handle(struct request *request, struct reply *reply);

#endif
