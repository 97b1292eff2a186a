/* Evaluators over HTTP: their agreement with reviewers, switching them, and choosing cases. */
#include "support-improvement/evaluators.h"
#include "support-improvement/family.h"
#include "support/evaluators/choose_cases.h"
#include "support/evaluators/evaluator_report.h"
#include "support/review/review_store.h"
#include "support/traces/evaluator_switch.h"

#include <string.h>

enum { DAYS_MAX = 365 };

struct evaluator_body {
    bool active;
};

#define OWNER struct evaluator_body
static const struct field evaluator_body_fields[] = {
    BOOLEAN(OWNER, active, .required = true,
            .help = "False: it runs on no further answer of the tenant, and its scores are not "
                    "shown or compared until it is switched on again.")};
#undef OWNER
SCHEMA(evaluator_body_schema, struct evaluator_body, "EvaluatorSwitch", evaluator_body_fields,
       .example = "{\"active\":false}");

struct choose_body {
    int64_t days;
    struct optional_integer random, unsure;
};

#define OWNER struct choose_body
static const struct field choose_body_fields[] = {
    INTEGER(OWNER, days, .lower = AT_LEAST(1), .upper = AT_MOST(DAYS_MAX), .default_value = 30,
            .help = "Age of the answers at most."),
    NULLABLE_INTEGER(OWNER, random, .lower = AT_LEAST(0), .upper = AT_MOST(REVIEW_CASES_MOST),
                     .help = "Else REVIEW_RANDOM_CASES."),
    NULLABLE_INTEGER(OWNER, unsure, .lower = AT_LEAST(0), .upper = AT_MOST(REVIEW_CASES_MOST),
                     .help = "Else REVIEW_UNSURE_CASES.")};
#undef OWNER
SCHEMA(choose_body_schema, struct choose_body, "CaseChoice", choose_body_fields,
       .example = "{\"days\":30}");

#define OWNER struct cases_chosen
static const struct field choose_reply_fields[] = {
    INTEGER(OWNER, drawn, .help = "Answers drawn at random; some may have been cases already."),
    INTEGER(OWNER, unsure, .help = "New cases of which the evaluators are not sure."),
    INTEGER(OWNER, estimated,
            .help = "Waiting cases for which it was computed how unsure the "
                    "evaluators are.")};
#undef OWNER
SCHEMA(choose_reply_schema, struct cases_chosen, "CasesChosen", choose_reply_fields);

enum error evaluators_handle(struct request *request, struct reply *reply)
{
    struct evaluators_report *object = ARENA_NEW(request->arena, struct evaluators_report);
    struct trace_call call;
    enum error error = family_call(request, &call);

    reply->object = object;
    return error ? error : evaluators_report(&call, service_settings(request), object);
}

static enum error must_be_known(struct request *request, const char *name)
{
    return evaluator_of_name(name) < EVALUATORS
               ? ERROR_NONE
               : problem_set(&request->problem, ERROR_NOT_FOUND, "evaluator_not_found",
                             "evaluator not found");
}

enum error evaluator_switch_handle(struct request *request, struct reply *reply)
{
    const struct evaluator_body *body = request->body;
    const char *name = request->arguments[0];
    struct evaluators_report *all = ARENA_NEW(request->arena, struct evaluators_report);
    struct trace_call call;
    bool changed = false;
    enum error error = must_be_known(request, name);

    if (!error)
        error = family_call(request, &call);
    if (!error)
        error = evaluator_switch(&call, name, body->active, request->who.subject, &changed);
    if (!error && changed)
        service_audit(request, "evaluator_switch",
                      arena_print(request->arena, "evaluator:%s", name),
                      body->active ? "{\"active\":true}" : "{\"active\":false}");
    if (!error)
        error = evaluators_report(&call, service_settings(request), all);
    if (!error)
        reply->object =
            &((const struct evaluator_report *)all->evaluators.items)[evaluator_of_name(name)];
    return error;
}

enum error cases_choose_handle(struct request *request, struct reply *reply)
{
    const struct choose_body *body = request->body;
    const struct support_settings *settings = service_settings(request);
    const struct case_choice choice = {
        .days = body->days,
        .random = body->random.given ? body->random.value : settings->review_random,
        .unsure = body->unsure.given ? body->unsure.value : settings->review_unsure};
    struct cases_chosen *object = ARENA_NEW(request->arena, struct cases_chosen);
    struct trace_call call;
    enum error error = ERROR_NONE;

    if (!settings->review_queue)
        return problem_set(&request->problem, ERROR_NOT_FOUND, "review_disabled",
                           "review queue disabled");
    error = family_call(request, &call);
    if (!error)
        error = cases_choose(&call, settings, &choice, object);
    if (error)
        return error;
    review_show(call.db, request->arena, request->server->metrics);
    service_audit(request, "review_choose", "review:queue",
                  arena_print(request->arena, "{\"drawn\":%lld,\"unsure\":%lld}",
                              (long long)object->drawn, (long long)object->unsure));
    reply->object = object;
    return ERROR_NONE;
}
