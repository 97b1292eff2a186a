/* What people decide: recorded with the recommendation of the moment. */
#include "experiments-live/live.h"

#include "experiments/live/outcome_store.h"
#include "experiments/live_results/headline.h"

struct outcome_request {
    int decision; /* enum outcome_decision */
    struct optional_integer variation_index;
    const char *note;
};

struct outcomes_reply {
    const char *experiment_id;
    const struct outcome *current; /* NULL = not decided, or reopened */
    OBJECT_LIST(struct outcome, outcomes);
};

static bool names_variation(const void *object)
{
    const struct outcome_request *asked = object;

    return asked->decision == OUTCOME_SHIP || !asked->variation_index.given;
}

static const struct schema_rule rules[] = {
    {"errors.schemas.outcome_variation", names_variation},
};

#define OWNER struct outcome_request
static const struct field request_fields[] = {
    CHOICE(OWNER, decision, outcome_decision_names, .choice_count = OUTCOME__MAX, .required = true),
    NULLABLE_INTEGER(OWNER, variation_index, .lower = AT_LEAST(0),
                     .upper = AT_MOST(LIVE_ARMS_MAX - 1),
                     .help = "With ship: which variation; null = the only treatment."),
    STRING(OWNER, note, .max_length = OUTCOME_NOTE_MAX, .help = "Why."),
};
#undef OWNER
SCHEMA(outcome_request_schema, struct outcome_request, "OutcomeRequest", request_fields,
       RULES(rules), .help = "A decision about an experiment.",
       .example = "{\"decision\":\"ship\",\"variation_index\":1,\"note\":\"Rolled out to all.\"}");

#define OWNER struct outcomes_reply
static const struct field reply_fields[] = {
    STRING(OWNER, experiment_id),
    OBJECT(OWNER, current, outcome_schema, .nullable = true,
           .help = "The decision in force; null while nobody has decided, or once reopened."),
    OBJECTS(OWNER, outcomes, outcome_schema, .help = "The newest 100, newest first."),
};
#undef OWNER
SCHEMA(outcomes_reply_schema, struct outcomes_reply, "ExperimentOutcomes", reply_fields,
       .help = "What people decided about an experiment.");

static enum error answer(struct request *request, struct reply *reply, const struct live_call *call)
{
    struct outcomes_reply *answer = ARENA_NEW(request->arena, struct outcomes_reply);
    const struct outcome *newest;
    enum error error;

    answer->experiment_id = request->arguments[0];
    error = outcome_list(call, request->arguments[0], &answer->outcomes);
    newest = answer->outcomes.items;
    if (answer->outcomes.count && newest->decision != OUTCOME_REOPEN)
        answer->current = newest;
    reply->object = answer;
    return error;
}

enum error live_handle_outcomes(struct request *request, struct reply *reply)
{
    const char *version;
    struct live_call call;
    enum error error = live_begin(request, &call);

    if (!error)
        error = live_read_version(&call, request->arguments[0], &version); /* is there one? */
    return error ? error : answer(request, reply, &call);
}

/* The only treatment where none is named. */
static enum error check_variation(struct request *request, const struct live_view *view,
                                  struct outcome *outcome)
{
    if (outcome->decision != OUTCOME_SHIP)
        return ERROR_NONE;
    if (!outcome->variation_index.given && view->arm_count == 2)
        outcome->variation_index = GIVEN_INTEGER(1);
    if (outcome->variation_index.given && outcome->variation_index.value < (int64_t)view->arm_count)
        return ERROR_NONE;
    return problem_set(&request->problem, ERROR_INVALID, "outcome_variation",
                       "variation_index must name one of the %zu variations of the design",
                       view->arm_count);
}

enum error live_handle_decide(struct request *request, struct reply *reply)
{
    const struct outcome_request *asked = request->body;
    const struct live_results_call results = live_results_call(request);
    struct live_view *view = ARENA_NEW(request->arena, struct live_view);
    struct outcome outcome = {.decision = asked->decision,
                              .variation_index = asked->variation_index,
                              .note = asked->note ? asked->note : ""};
    struct headline_figures figures;
    struct live_call call;
    enum error error = live_begin(request, &call);

    if (!error)
        error = live_view_load(&call, request->arguments[0], &(struct live_view_options){0}, view);
    if (!error)
        error = check_variation(request, view, &outcome);
    if (error)
        return error;
    headline_figures(&results, view, &figures);
    outcome.verdict = verdict_names[figures.verdict];
    outcome.headline = headline_names[figures.headline];
    error = outcome_record(&call, service_actor(request), request->arguments[0], &outcome);
    return error ? error : answer(request, reply, &call);
}
