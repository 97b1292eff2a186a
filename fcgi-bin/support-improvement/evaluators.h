/* Private to fcgi-bin/support-improvement: evaluators over HTTP: their agreement with reviewers,
 * switching them, and choosing cases. */
#ifndef ASSAY_SUPPORT_IMPROVEMENT_EVALUATORS_H
#define ASSAY_SUPPORT_IMPROVEMENT_EVALUATORS_H

#include "http/request.h"

extern const struct schema evaluator_body_schema, choose_body_schema, choose_reply_schema;

enum error evaluators_handle(struct request *request, struct reply *reply);
enum error evaluator_switch_handle(struct request *request, struct reply *reply);
enum error cases_choose_handle(struct request *request, struct reply *reply);

#endif
