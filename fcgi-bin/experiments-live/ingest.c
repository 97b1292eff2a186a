/* Takes batches of records. */
#include "experiments-live/live.h"

#include "experiments/live/ingest.h"
#include "experiments/live/view.h"

struct ingest_reply {
    int64_t received;
    int64_t recorded;
    int64_t deduplicated;
    OBJECT_LIST(struct kafka_published, published);
};

#define OWNER struct ingest_reply
static const struct field reply_fields[] = {
    INTEGER(OWNER, received),
    INTEGER(OWNER, recorded),
    INTEGER(OWNER, deduplicated, .help = "Dropped, because the like of it was recorded before."),
    OBJECTS(OWNER, published, kafka_published_schema, .omit_if_null = true,
            .help = "With 202: where in Kafka the records lie, which count when the bridge has "
                    "applied them."),
};
#undef OWNER
SCHEMA(ingest_reply_schema, struct ingest_reply, "IngestReply", reply_fields);

#define OWNER struct live_variation_count
static const struct field variation_fields[] = {
    INTEGER(OWNER, variation_index),
    INTEGER(OWNER, count),
};
#undef OWNER
static SCHEMA(variation_schema, struct live_variation_count, "VariationCount", variation_fields);

#define OWNER struct live_metric_count
static const struct field metric_fields[] = {
    STRING(OWNER, metric),
    INTEGER(OWNER, count),
    NULLABLE_NUMBER(OWNER, value_sum, .help = "Null when a value beyond 1e150 is among them."),
};
#undef OWNER
static SCHEMA(metric_schema, struct live_metric_count, "MetricCount", metric_fields);

#define OWNER struct live_ingestion
static const struct field ingestion_fields[] = {
    STRING(OWNER, experiment_id),
    INTEGER(OWNER, exposures_total),
    OBJECTS(OWNER, exposure_counts, variation_schema),
    INTEGER(OWNER, conversions_total),
    OBJECTS(OWNER, conversion_counts, metric_schema),
};
#undef OWNER
SCHEMA(ingestion_schema, struct live_ingestion, "Ingestion", ingestion_fields,
       .help = "What was recorded, before anybody is folded or left out.");

#define OWNER struct live_clearing
static const struct field clearing_fields[] = {
    STRING(OWNER, experiment_id),
    INTEGER(OWNER, exposures, .help = "How many were deleted, of this and of the next."),
    INTEGER(OWNER, conversions),
};
#undef OWNER
SCHEMA(live_clearing_schema, struct live_clearing, "ExperimentCleared", clearing_fields);

#define OWNER struct live_division_choice
static const struct field buckets_fields[] = {
    INTEGER(OWNER, buckets, .required = true, .lower = AT_LEAST(1),
            .upper = AT_MOST(LIVE_BUCKETS_MAX), .help = "1: the users are not divided."),
};
static const struct field buckets_reply_fields[] = {
    STRING(OWNER, experiment_id),
    INTEGER(OWNER, buckets),
};
#undef OWNER
SCHEMA(live_buckets_schema, struct live_division_choice, "ExperimentBucketsRequest", buckets_fields,
       .example = "{\"buckets\":1}");
SCHEMA(live_buckets_reply_schema, struct live_division_choice, "ExperimentBuckets",
       buckets_reply_fields);

static enum error publish(struct request *request, struct reply *reply, enum live_kind kind)
{
    const struct live_batch *batch = request->body;
    struct ingest_reply *answer = ARENA_NEW(request->arena, struct ingest_reply);
    struct kafka_intake_target target = {.experiment_id = request->arguments[0], .kind = kind};
    struct live_call call;
    enum error error = live_begin(request, &call);

    if (!error)
        error = live_check_experiment(&call, target.experiment_id, &target.buckets);
    if (!error)
        error = live_publish(request, &call, &target, &batch->records, &answer->published);
    if (error)
        return error;
    answer->received = (int64_t)batch->records.count;
    reply->status = 202;
    reply->object = answer;
    return ERROR_NONE;
}

static enum error take(struct request *request, struct reply *reply, enum live_kind kind)
{
    const struct live_batch *batch = request->body;
    struct ingest_reply *answer = ARENA_NEW(request->arena, struct ingest_reply);
    struct live_outcome outcome;
    struct live_call call;
    enum error error;

    if (service_settings(request)->intake == KAFKA_INTAKE_KAFKA)
        return publish(request, reply, kind);
    error = live_begin(request, &call);
    if (!error)
        error = live_ingest(&call, request->arguments[0], kind, &batch->records, &outcome);
    if (error)
        return error;
    *answer = (struct ingest_reply){.received = outcome.received,
                                    .recorded = outcome.recorded,
                                    .deduplicated = outcome.deduplicated};
    if (outcome.skipped > 0)
        reply_add_header(reply, "X-AB-Ingest-Skipped",
                         arena_print(request->arena, "%lld", (long long)outcome.skipped));
    reply->object = answer;
    return ERROR_NONE;
}

enum error live_handle_exposures(struct request *request, struct reply *reply)
{
    return take(request, reply, LIVE_EXPOSURES);
}

enum error live_handle_conversions(struct request *request, struct reply *reply)
{
    return take(request, reply, LIVE_CONVERSIONS);
}

enum error live_handle_identities(struct request *request, struct reply *reply)
{
    return take(request, reply, LIVE_IDENTITIES);
}

enum error live_handle_exclusions(struct request *request, struct reply *reply)
{
    return take(request, reply, LIVE_EXCLUSIONS);
}

enum error live_handle_holdout(struct request *request, struct reply *reply)
{
    return take(request, reply, LIVE_HOLDOUTS);
}

enum error live_handle_pre_period(struct request *request, struct reply *reply)
{
    return take(request, reply, LIVE_PRE_PERIODS);
}

enum error live_handle_strata(struct request *request, struct reply *reply)
{
    return take(request, reply, LIVE_STRATA);
}

enum error live_handle_ingestion(struct request *request, struct reply *reply)
{
    struct live_ingestion *answer = ARENA_NEW(request->arena, struct live_ingestion);
    struct live_call call;
    enum error error = live_begin(request, &call);

    if (!error)
        error = live_read_ingestion(&call, request->arguments[0], answer);
    reply->object = answer;
    return error;
}

enum error live_handle_clear(struct request *request, struct reply *reply)
{
    struct live_clearing *answer = ARENA_NEW(request->arena, struct live_clearing);
    struct live_call call;
    enum error error = live_begin(request, &call);

    if (!error)
        error = live_clear(&call, service_actor(request), request->arguments[0], answer);
    reply->object = answer;
    return error;
}

enum error live_handle_stated_buckets(struct request *request, struct reply *reply)
{
    struct live_division_choice *choice = ARENA_NEW(request->arena, struct live_division_choice);
    struct live_call call;
    enum error error = live_begin(request, &call);

    if (!error)
        error = live_stated_buckets(&call, request->arguments[0], choice);
    reply->object = choice;
    return error;
}

enum error live_handle_buckets(struct request *request, struct reply *reply)
{
    struct live_division_choice *choice = ARENA_NEW(request->arena, struct live_division_choice);
    struct live_call call;
    enum error error = live_begin(request, &call);

    *choice = *(const struct live_division_choice *)request->body;
    choice->experiment_id = request->arguments[0];
    if (!error)
        error = live_choose_buckets(&call, service_actor(request), choice);
    reply->object = choice;
    return error;
}
