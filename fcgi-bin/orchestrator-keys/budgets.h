/* Budgets with what they have spent. */
#ifndef ASSAY_ORCHESTRATOR_KEYS_BUDGETS_H
#define ASSAY_ORCHESTRATOR_KEYS_BUDGETS_H

#include "orchestrator-keys/call.h"

struct budget_answer {
    const char *id;
    int owner_kind; /* enum budget_owner */
    const char *owner_id;
    int period; /* enum budget_period */
    bool rolling;
    double limit_usd, extra_usd;
    struct optional_integer extra_until;
    struct integer_list alert_percents;
    double spent_usd, held_usd, left_usd;
    int64_t window_from, window_until;
};
SCHEMA_OF(budget_answer_schema, struct budget_answer);

struct budget_body;
struct budget_limit_body;
struct budget_answers;
struct budget_query;
SCHEMA_OF(budget_body_schema, struct budget_body);
SCHEMA_OF(budget_limit_body_schema, struct budget_limit_body);
SCHEMA_OF(budget_answers_schema, struct budget_answers);
SCHEMA_OF(budget_query_schema, struct budget_query);

/* A list of struct budget_answer. */
MUST_CHECK enum error budgets_of_payer(const struct key_store_call *call, const struct payer *payer,
                                       struct object_list *list);

enum error budgets_list(struct request *request, struct reply *reply);
enum error budgets_create(struct request *request, struct reply *reply);
enum error budgets_update(struct request *request, struct reply *reply);
enum error budgets_delete(struct request *request, struct reply *reply);

#endif
