/* Private to common/livedata/query: plans proposed by a model of the orchestrator, used when the
 * planners do not understand a question. A model writes a typed plan, never SQL; one repair attempt
 * is allowed. */
#ifndef ASSAY_LIVEDATA_QUERY_MODEL_H
#define ASSAY_LIVEDATA_QUERY_MODEL_H

#include "livedata/query/typed_plan.h"

/* False when the model has no plan that typed_compile() accepts and that reads allowed tables. */
bool model_propose(const struct plan_context *context, const struct catalog *catalog,
                   const struct string_list *allowed, const char *question,
                   struct typed_plan *plan);

/* The plan in a model's text: an object of that form, fenced or not, alone or as the member `plan`;
 * false when there is none. */
bool model_find_plan(struct arena *arena, const char *text, struct typed_plan *plan);

#endif
