/* Routes that make more than one round of calls: consensus, compare, debate, batch, pipeline. */
#ifndef ASSAY_ORCHESTRATOR_SYNC_PATTERNS_H
#define ASSAY_ORCHESTRATOR_SYNC_PATTERNS_H

#include "base/schema.h"
#include "http/request.h"

extern const struct schema consensus_body_schema, consensus_answer_schema, compare_body_schema,
    compare_answer_schema, debate_body_schema, debate_answer_schema, batch_body_schema,
    batch_answer_schema, pipeline_body_schema, pipeline_answer_schema;

enum error consensus_handle(struct request *request, struct reply *reply);
enum error compare_handle(struct request *request, struct reply *reply);
enum error debate_handle(struct request *request, struct reply *reply);
enum error batch_handle(struct request *request, struct reply *reply);
enum error pipeline_handle(struct request *request, struct reply *reply);

#endif
