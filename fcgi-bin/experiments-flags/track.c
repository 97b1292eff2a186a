/* What a client reports that has evaluated all flags at once: that a user has seen the value, and
 * what the user did. */
#include "experiments-flags/flags.h"

#include "crypto/digest.h"
#include "experiments/adaptive/adaptive.h"
#include "experiments/live/assign.h"

#include <math.h>
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
    const char *variant; /* that was shown; NULL = not told */
    struct optional_integer round;
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
    STRING(OWNER, variant, .nullable = true, .max_length = FLAG_NAME_MAX,
           .help = "The variant that the user has seen. No exposure is recorded when the service "
                   "decides for another one."),
    NULLABLE_INTEGER(OWNER, round, .lower = AT_LEAST(1), .upper = AT_MOST(ADAPTIVE_ROUNDS_MAX),
                     .help =
                         "Of an adaptive experiment: the assignmentRound of the evaluation that "
                         "was shown. Required with the exposure."),
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
           .help = "none: the user is outside the experiment, has seen another variant, or nothing "
                   "was to be recorded."),
    INTEGER(OWNER, received, .help = "Events."),
    INTEGER(OWNER, recorded, .help = "None of users without an exposure who are outside."),
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

/* Whoever reads a page can send events, so their values are bounded. */
static enum error check_values(struct request *request)
{
    const struct track_request *asked = request->body;
    const struct track_event *events = asked->events.items;
    double most = service_settings(request)->client_event_value_max;

    if (!service_caller(request)->client)
        return ERROR_NONE;
    for (size_t i = 0; i < asked->events.count; i++)
        if (fabs(events[i].value) > most)
            return problem_set(&request->problem, ERROR_INVALID, "event_value_too_large",
                               "events.%zu.value: client keys send values between -%g and %g", i,
                               most, most);
    return ERROR_NONE;
}

/* Keys of client keys are kept apart by user, so that nobody takes the key of another event before
 * it comes. A hash, because such a key must not be longer than others. */
static const char *event_key(struct request *request, const char *user_id, const char *key)
{
    struct arena *arena = request->arena;
    const char *text;
    char hash[DIGEST_SHA256_TEXT];

    if (!service_caller(request)->client)
        return key;
    text = arena_print(arena, "%zu:%s:%s", strlen(user_id), user_id, key);
    digest_sha256_hex(text, strlen(text), hash);
    return arena_print(arena, "client:%s", hash);
}

static struct object_list conversions_of(struct request *request, const char *user_id)
{
    const struct track_request *asked = request->body;
    struct arena *arena = request->arena;
    const struct track_event *events = asked->events.items;
    struct live_conversion *records =
        ARENA_ARRAY(arena, struct live_conversion, asked->events.count);

    for (size_t i = 0; i < asked->events.count; i++)
        records[i] =
            (struct live_conversion){.user_id = user_id,
                                     .metric = events[i].name,
                                     .value = events[i].value,
                                     .idempotency_key = event_key(request, user_id, events[i].key)};
    return (struct object_list){.count = asked->events.count, .items = records};
}

/* What one request is decided to be, before anything is stored. */
struct tracking {
    struct request *request;
    const struct live_call *live;
    struct evaluation_context context;
    struct flag flag;
    struct evaluation evaluation;
    struct object_list exposures, conversions;
};

static enum live_kind exposure_kind(const struct tracking *tracking)
{
    return tracking->evaluation.new_member ? LIVE_HOLDOUTS : LIVE_EXPOSURES;
}

static enum error store(const struct tracking *tracking, struct track_reply *answer)
{
    const char *id = tracking->flag.experiment_id;
    struct live_outcome outcome = {0};
    enum error error = ERROR_NONE;

    if (tracking->exposures.count) {
        error = live_ingest(tracking->live, id, exposure_kind(tracking), &tracking->exposures,
                            &outcome);
        answer->exposure = outcome.recorded ? TRACK_RECORDED : TRACK_KNOWN;
    }
    if (error || !tracking->conversions.count)
        return error;
    error = live_ingest(tracking->live, id, LIVE_CONVERSIONS, &tracking->conversions, &outcome);
    answer->recorded = outcome.recorded;
    answer->deduplicated = outcome.deduplicated;
    return error;
}

static enum error publish(const struct tracking *tracking, struct track_reply *answer)
{
    const struct flag *flag = &tracking->flag;
    struct kafka_intake_target target = {flag->experiment_id, flag->buckets,
                                         exposure_kind(tracking)};
    struct object_list published;
    enum error error = ERROR_NONE;

    if (tracking->exposures.count) {
        error = live_publish(tracking->request, tracking->live, &target, &tracking->exposures,
                             &published);
        answer->exposure = TRACK_PUBLISHED;
    }
    target.kind = LIVE_CONVERSIONS;
    if (!error && tracking->conversions.count)
        error = live_publish(tracking->request, tracking->live, &target, &tracking->conversions,
                             &published);
    return error;
}

/* Whether events of the user count: those of the experiment and its holdout, also after the flag
 * was switched off or fixed. An exposure on its way through Kafka is not stored yet, so whoever
 * would be in the experiment now is asked for none. Archived projects take no records. */
static enum error find_out_whether_counted(const struct tracking *tracking, bool *counted)
{
    *counted = tracking->evaluation.in_experiment || tracking->evaluation.new_member;
    return *counted || tracking->flag.archived
               ? ERROR_NONE
               : live_is_exposed(tracking->live, tracking->flag.experiment_id,
                                 tracking->context.user_id, counted);
}

/* A page shows what was decided when it asked, which may be another variation than now. */
static bool has_seen(const struct tracking *tracking, const struct track_request *asked)
{
    return asked->exposure &&
           (!asked->variant ||
            strcmp(asked->variant, evaluation_variant(&tracking->evaluation)->name) == 0);
}

static enum error collect(struct tracking *tracking, struct track_reply *answer)
{
    const struct track_request *asked = tracking->request->body;
    const struct evaluation *evaluation = &tracking->evaluation;
    struct arena *arena = tracking->request->arena;
    bool counted = false;
    enum error error =
        asked->events.count ? find_out_whether_counted(tracking, &counted) : ERROR_NONE;

    if (counted)
        tracking->conversions = conversions_of(tracking->request, tracking->context.user_id);
    if (!has_seen(tracking, asked))
        return error;
    if (evaluation->new_user)
        tracking->exposures = evaluation_exposure(evaluation, &tracking->context, arena);
    else if (evaluation->new_member)
        tracking->exposures = evaluation_holdout(&tracking->context, arena);
    else if (evaluation->in_experiment)
        answer->exposure = TRACK_KNOWN;
    return error;
}

/* What was shown in another round has another probability than now, and may be another arm. */
static enum error check_round(const struct tracking *tracking, const struct track_request *asked)
{
    if (!asked->exposure || asked->round.given || !tracking->evaluation.new_user ||
        !tracking->evaluation.round)
        return ERROR_NONE;
    return problem_set(&tracking->request->problem, ERROR_INVALID, "round_missing",
                       "round: the experiment is adaptive; send the assignmentRound of the "
                       "evaluation that was shown");
}

static enum error decide(struct tracking *tracking, const struct flag_call *call,
                         struct track_reply *answer)
{
    const struct track_request *asked = tracking->request->body;
    struct evaluation *evaluation = &tracking->evaluation;
    enum error error = flags_find(tracking->request, call, &tracking->flag);

    if (!error)
        error = evaluate(tracking->live, &tracking->flag, &tracking->context, evaluation);
    if (!error)
        error = flags_fault(tracking->request, evaluation);
    if (!error)
        error = check_round(tracking, asked);
    if (!error)
        error = check_metrics(tracking->live, evaluation, asked);
    if (error)
        return error;
    *answer = (struct track_reply){.key = tracking->flag.key,
                                   .variant = evaluation_variant(evaluation)->name,
                                   .in_experiment = evaluation->in_experiment,
                                   .received = (int64_t)asked->events.count};
    return collect(tracking, answer);
}

/* Decides and stores in one transaction; Kafka is waited for outside. */
static enum error take(struct tracking *tracking, const struct flag_call *call,
                       struct track_reply *answer)
{
    bool by_kafka = service_settings(tracking->request)->intake == KAFKA_INTAKE_KAFKA;
    enum error error = db_begin(call->db, by_kafka ? DB_READ : DB_WRITE, call->problem);

    if (error)
        return error;
    error = decide(tracking, call, answer);
    if (!error && !by_kafka)
        error = store(tracking, answer);
    error = db_finish(call->db, error, call->problem);
    return error || !by_kafka ? error : publish(tracking, answer);
}

enum error flags_handle_track(struct request *request, struct reply *reply)
{
    struct track_reply *answer = ARENA_NEW(request->arena, struct track_reply);
    struct live_call live;
    struct tracking tracking = {.request = request, .live = &live};
    struct flag_call call;
    enum error error =
        evaluation_read_context(((const struct track_request *)request->body)->context,
                                &tracking.context, &request->problem);

    if (!error && !tracking.context.user_id)
        error = problem_set(&request->problem, ERROR_INVALID, "targeting_key_missing",
                            "The context has no targetingKey");
    if (!error)
        error = check_values(request);
    tracking.context.round = ((const struct track_request *)request->body)->round.value;
    if (!error)
        error = flags_begin(request, &call);
    if (!error)
        error = live_begin(request, &live);
    if (!error)
        error = take(&tracking, &call, answer);
    reply->object = answer;
    return error;
}
