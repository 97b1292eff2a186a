/* What a client reports that has evaluated all flags at once: that a user has seen the value, and
 * what the user did. */
#include "experiments-flags/flags.h"

#include "experiments/live/rollup_store.h"

#include <string.h>

enum { TRACK_EVENTS_MAX = 100 };

struct track_event {
    const char *name;
    double value;
    const char *key;
};

struct track_request {
    json_t *context;
    bool exposure;
    OBJECT_LIST(struct track_event, events);
};

/* What became of the exposure. */
enum track_exposure { TRACK_NONE, TRACK_RECORDED, TRACK_KNOWN, TRACK_PUBLISHED, TRACK__MAX };
static const char *const exposure_names[TRACK__MAX] = {"none", "recorded", "known", "published"};

struct track_reply {
    const char *key;
    const char *variant;
    bool in_experiment;
    int exposure; /* enum track_exposure */
    int64_t received;
    int64_t recorded;
    int64_t deduplicated;
};

#define OWNER struct track_event
static const struct field event_fields[] = {
    STRING(OWNER, name, .required = true, .min_length = 1, .max_length = LIVE_NAME_MAX,
           .help = "A metric of the design."),
    NUMBER(OWNER, value, .default_value = 1),
    STRING(OWNER, key, .required = true, .min_length = 1, .max_length = LIVE_USER_MAX,
           .help = "An event with a key that was seen before is dropped, so clients may repeat."),
};
#undef OWNER
static SCHEMA(event_schema, struct track_event, "TrackedEvent", event_fields);

#define OWNER struct track_request
static const struct field request_fields[] = {
    JSON_VALUE(OWNER, context, .nullable = true, .help = "As in the evaluation."),
    BOOLEAN(OWNER, exposure, .default_value = true, .help = "The user has seen the value."),
    OBJECTS(OWNER, events, event_schema, .max_length = TRACK_EVENTS_MAX,
            .help = "What the user did."),
};
#undef OWNER
SCHEMA(track_request_schema, struct track_request, "TrackRequest", request_fields,
       .example = "{\"context\":{\"targetingKey\":\"user-1\"},\"exposure\":true,"
                  "\"events\":[{\"name\":\"conversion\",\"key\":\"order-1\"}]}");

#define OWNER struct track_reply
static const struct field reply_fields[] = {
    STRING(OWNER, key),
    STRING(OWNER, variant),
    BOOLEAN(OWNER, in_experiment),
    CHOICE(OWNER, exposure, exposure_names, .choice_count = TRACK__MAX,
           .help = "none: the user is outside the experiment, or nothing was to be recorded."),
    INTEGER(OWNER, received, .help = "Events."),
    INTEGER(OWNER, recorded),
    INTEGER(OWNER, deduplicated, .help = "Dropped: their keys were seen before."),
};
#undef OWNER
SCHEMA(track_reply_schema, struct track_reply, "TrackReply", reply_fields,
       .help = "What became of what a client has reported.");

static bool is_same(const char *one, const char *other)
{
    return one && strcmp(one, other) == 0;
}

/* Client keys are public, so events name only metrics that the design knows. */
static bool is_metric(const struct experiment_payload *design, const char *name)
{
    const struct payload_metrics *metrics = design->metrics;
    const struct guardrail_metric *guardrails = metrics->guardrail_metrics.items;
    const struct robust_metric *robust = metrics->robust_metrics.items;

    for (size_t i = 0; i < metrics->secondary_metrics.count; i++)
        if (is_same(metrics->secondary_metrics.items[i], name))
            return true;
    for (size_t i = 0; i < metrics->guardrail_metrics.count; i++)
        if (is_same(guardrails[i].name, name))
            return true;
    for (size_t i = 0; i < metrics->robust_metrics.count; i++)
        if (is_same(robust[i].name, name))
            return true;
    return is_same(metrics->primary_metric_name, name) ||
           is_same(metrics->numerator_metric_name, name) ||
           is_same(metrics->denominator_metric_name, name);
}

static enum error check_metrics(const struct live_call *live, const struct evaluation *evaluation,
                                const struct track_request *asked)
{
    const struct track_event *events = asked->events.items;
    struct live_reading reading;
    enum error error = ERROR_NONE;

    if (asked->events.count)
        error = live_read_experiment(live, evaluation->flag->experiment_id, &reading);
    for (size_t i = 0; !error && i < asked->events.count; i++)
        if (!is_metric(reading.design, events[i].name))
            return problem_set(live->problem, ERROR_INVALID, "metric_unknown",
                               "The design has no metric %s", events[i].name);
    return error;
}

static struct object_list conversions_of(const struct track_request *asked,
                                         const struct evaluation_context *context,
                                         struct arena *arena)
{
    const struct track_event *events = asked->events.items;
    struct live_conversion *records =
        ARENA_ARRAY(arena, struct live_conversion, asked->events.count);

    for (size_t i = 0; i < asked->events.count; i++)
        records[i] = (struct live_conversion){.user_id = context->user_id,
                                              .metric = events[i].name,
                                              .value = events[i].value,
                                              .idempotency_key = events[i].key};
    return (struct object_list){.count = asked->events.count, .items = records};
}

/* Users who are forced, and those of a flag that is off or fixed, never count. */
static bool counts(const struct evaluation *evaluation)
{
    return evaluation->in_experiment || evaluation->reason == EVALUATED_DEFAULT;
}

static enum error store(struct request *request, const struct live_call *live,
                        const struct evaluation *evaluation, const struct object_list *exposures,
                        const struct object_list *conversions, struct track_reply *answer)
{
    enum live_kind kind = evaluation->new_member ? LIVE_HOLDOUTS : LIVE_EXPOSURES;
    const char *id = evaluation->flag->experiment_id;
    struct live_outcome outcome = {0};
    enum error error = ERROR_NONE;

    (void)request;
    if (exposures->count)
        error = live_ingest(live, id, kind, exposures, &outcome);
    if (exposures->count)
        answer->exposure = outcome.recorded ? TRACK_RECORDED : TRACK_KNOWN;
    if (error || !conversions->count)
        return error;
    error = live_ingest(live, id, LIVE_CONVERSIONS, conversions, &outcome);
    answer->recorded = outcome.recorded;
    answer->deduplicated = outcome.deduplicated;
    return error;
}

static enum error publish(struct request *request, const struct live_call *live,
                          const struct evaluation *evaluation, const struct object_list *exposures,
                          const struct object_list *conversions, struct track_reply *answer)
{
    enum live_kind kind = evaluation->new_member ? LIVE_HOLDOUTS : LIVE_EXPOSURES;
    const char *id = evaluation->flag->experiment_id;
    struct object_list published;
    enum error error = ERROR_NONE;

    if (exposures->count)
        error = live_publish(request, live, id, kind, exposures, &published);
    if (exposures->count)
        answer->exposure = TRACK_PUBLISHED;
    if (!error && conversions->count)
        error = live_publish(request, live, id, LIVE_CONVERSIONS, conversions, &published);
    return error;
}

static enum error take(struct request *request, const struct live_call *live,
                       const struct evaluation_context *context,
                       const struct evaluation *evaluation, struct track_reply *answer)
{
    const struct track_request *asked = request->body;
    struct object_list exposures = {0}, conversions = {0};
    bool by_kafka = service_settings(request)->intake == KAFKA_INTAKE_KAFKA;

    if (counts(evaluation))
        conversions = conversions_of(asked, context, request->arena);
    if (asked->exposure && evaluation->new_user)
        exposures = evaluation_exposure(evaluation, context, request->arena);
    else if (asked->exposure && evaluation->new_member)
        exposures = evaluation_holdout(context, request->arena);
    else if (asked->exposure && evaluation->in_experiment)
        answer->exposure = TRACK_KNOWN;
    return (by_kafka ? publish : store)(request, live, evaluation, &exposures, &conversions,
                                        answer);
}

static enum error decide_and_take(struct request *request, const struct flag_call *call,
                                  const struct live_call *live,
                                  const struct evaluation_context *context,
                                  struct track_reply *answer)
{
    struct evaluation evaluation;
    struct flag flag;
    enum error error = flags_find(request, call, &flag);

    if (!error)
        error = evaluate(live, &flag, context, &evaluation);
    if (!error)
        error = flags_fault(request, &evaluation);
    if (!error)
        error = check_metrics(live, &evaluation, request->body);
    if (error)
        return error;
    *answer = (struct track_reply){
        .key = flag.key,
        .variant = evaluation_variant(&evaluation)->name,
        .in_experiment = evaluation.in_experiment,
        .received = (int64_t)((const struct track_request *)request->body)->events.count};
    return take(request, live, context, &evaluation, answer);
}

enum error flags_handle_track(struct request *request, struct reply *reply)
{
    struct track_reply *answer = ARENA_NEW(request->arena, struct track_reply);
    struct evaluation_context context;
    struct flag_call call;
    struct live_call live;
    enum error error = evaluation_read_context(
        ((const struct track_request *)request->body)->context, &context, &request->problem);

    if (!error && !context.user_id)
        error = problem_set(&request->problem, ERROR_INVALID, "targeting_key_missing",
                            "The context has no targetingKey");
    if (!error)
        error = flags_begin(request, &call);
    if (!error)
        error = live_begin(request, &live);
    if (!error)
        error = db_begin(call.db, DB_WRITE, call.problem);
    if (error)
        return error;
    error =
        db_finish(call.db, decide_and_take(request, &call, &live, &context, answer), call.problem);
    reply->object = answer;
    return error;
}
