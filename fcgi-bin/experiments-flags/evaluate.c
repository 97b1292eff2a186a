/* Evaluation by the protocol for remote evaluation (OFREP): of one flag, which records the exposure
 * and answers after the commit; of all flags, which records nothing. */
#include "experiments-flags/flags.h"

#include "crypto/digest.h"
#include "http/idempotency.h"

#include <string.h>

enum { EVALUATIONS_BYTES_MAX = 64 * 1024 * 1024, TAG_LENGTH = 32 };

struct evaluation_metadata {
    const char *experimentId;
    int64_t variationIndex;
    bool inExperiment;
    struct optional_integer assignmentRound;
};

struct evaluation_reply {
    const char *key;
    json_t *value;
    const char *variant;
    const char *reason;
    const struct evaluation_metadata *metadata;
    const char *errorCode;
    const char *errorDetails;
};

struct bulk_metadata {
    bool truncated;
};

struct evaluations_reply {
    OBJECT_LIST(struct evaluation_reply, flags);
    const struct bulk_metadata *metadata;
};

#define OWNER struct evaluation_request
static const struct field request_fields[] = {
    JSON_VALUE(OWNER, context, .nullable = true,
               .help = "targetingKey is the user; the other members are attributes."),
};
#undef OWNER
SCHEMA(evaluation_request_schema, struct evaluation_request, "EvaluationRequest", request_fields,
       .extra = EXTRA_IGNORE,
       .example = "{\"context\":{\"targetingKey\":\"user-1\",\"country\":\"DE\"}}");

#define OWNER struct evaluation_metadata
static const struct field metadata_fields[] = {
    STRING(OWNER, experimentId),
    INTEGER(OWNER, variationIndex),
    BOOLEAN(OWNER, inExperiment),
    NULLABLE_INTEGER(OWNER, assignmentRound, .omit_if_null = true,
                     .help = "Of an adaptive experiment: clients that report an exposure send it "
                             "back."),
};
#undef OWNER
static SCHEMA(metadata_schema, struct evaluation_metadata, "EvaluationMetadata", metadata_fields);

#define OWNER struct evaluation_reply
static const struct field reply_fields[] = {
    STRING(OWNER, key),
    JSON_VALUE(OWNER, value, .nullable = true, .omit_if_null = true),
    STRING(OWNER, variant, .nullable = true, .omit_if_null = true),
    STRING(OWNER, reason, .nullable = true, .omit_if_null = true,
           .help = "STATIC, TARGETING_MATCH, SPLIT, DISABLED or DEFAULT."),
    OBJECT(OWNER, metadata, metadata_schema, .nullable = true, .omit_if_null = true),
    STRING(OWNER, errorCode, .nullable = true, .omit_if_null = true,
           .help = "Of a flag among others that has no value."),
    STRING(OWNER, errorDetails, .nullable = true, .omit_if_null = true),
};
#undef OWNER
SCHEMA(evaluation_schema, struct evaluation_reply, "Evaluation", reply_fields,
       .help = "The value of a flag for a user.");

#define OWNER struct bulk_metadata
static const struct field bulk_metadata_fields[] = {
    BOOLEAN(OWNER, truncated, .help = "There are more flags than AB_OFREP_BULK_FLAGS."),
};
#undef OWNER
static SCHEMA(bulk_metadata_schema, struct bulk_metadata, "EvaluationsMetadata",
              bulk_metadata_fields);

#define OWNER struct evaluations_reply
static const struct field bulk_fields[] = {
    OBJECTS(OWNER, flags, evaluation_schema),
    OBJECT(OWNER, metadata, bulk_metadata_schema),
};
#undef OWNER
SCHEMA(evaluations_schema, struct evaluations_reply, "Evaluations", bulk_fields,
       .help = "The values of all flags for a user.");

static void describe(struct arena *arena, const struct evaluation *evaluation,
                     struct evaluation_reply *answer)
{
    const struct flag_variant *variant = evaluation_variant(evaluation);
    struct evaluation_metadata *metadata = ARENA_NEW(arena, struct evaluation_metadata);

    *metadata =
        (struct evaluation_metadata){.experimentId = evaluation->flag->experiment_id,
                                     .variationIndex = evaluation->variation,
                                     .inExperiment = evaluation->in_experiment,
                                     .assignmentRound = {evaluation->round > 0, evaluation->round}};
    *answer = (struct evaluation_reply){.key = evaluation->flag->key,
                                        .value = variant->value,
                                        .variant = variant->name,
                                        .reason = evaluation_reason_names[evaluation->reason],
                                        .metadata = metadata};
}

static enum error read_context(struct request *request, struct evaluation_context *context)
{
    return evaluation_read_context(((const struct evaluation_request *)request->body)->context,
                                   context, &request->problem);
}

/* One look at flag, design and exposure, in one snapshot. */
static enum error decide(struct request *request, const struct flag_call *call,
                         const struct live_call *live, const struct evaluation_context *context,
                         struct evaluation *evaluation)
{
    struct flag *flag = ARENA_NEW(request->arena, struct flag);
    enum error error = db_begin(call->db, DB_READ, call->problem);

    *evaluation = (struct evaluation){.flag = flag};
    if (error)
        return error;
    error = flags_find(request, call, flag);
    if (!error)
        error = evaluate(live, flag, context, evaluation);
    if (!error)
        error = flags_fault(request, evaluation);
    return db_finish(call->db, error, call->problem);
}

/* `known` when another request has recorded an exposure of the user meanwhile. */
static enum error record(struct request *request, const struct live_call *live,
                         const struct evaluation_context *context,
                         const struct evaluation *evaluation, bool *known)
{
    enum live_kind kind = evaluation->new_member ? LIVE_HOLDOUTS : LIVE_EXPOSURES;
    struct object_list records = evaluation->new_member
                                     ? evaluation_holdout(context, request->arena)
                                     : evaluation_exposure(evaluation, context, request->arena);
    const struct kafka_intake_target target = {evaluation->flag->experiment_id,
                                               evaluation->flag->buckets, kind};
    struct live_outcome outcome = {0};
    struct object_list published;
    enum error error;

    if (service_settings(request)->intake == KAFKA_INTAKE_KAFKA)
        return live_publish(request, live, &target, &records, &published);
    error = live_ingest(live, target.experiment_id, kind, &records, &outcome);
    *known = outcome.deduplicated > 0;
    return error;
}

enum error flags_handle_evaluate(struct request *request, struct reply *reply)
{
    struct evaluation_reply *answer = ARENA_NEW(request->arena, struct evaluation_reply);
    struct evaluation_context context;
    struct evaluation evaluation;
    struct flag_call call;
    struct live_call live;
    bool known = false;
    enum error error = read_context(request, &context);

    if (!error)
        error = flags_begin(request, &call);
    if (!error)
        error = live_begin(request, &live);
    if (!error)
        error = decide(request, &call, &live, &context, &evaluation);
    if (!error && (evaluation.new_user || evaluation.new_member))
        error = record(request, &live, &context, &evaluation, &known);
    if (!error && known) /* the first exposure counts, and may be of another variation */
        error = decide(request, &call, &live, &context, &evaluation);
    if (error)
        return error;
    describe(request->arena, &evaluation, answer);
    reply->object = answer;
    return ERROR_NONE;
}

/* A flag without a value stands among the others with its error. */
static void describe_one_of_all(struct arena *arena, const struct evaluation *evaluation,
                                struct evaluation_reply *answer)
{
    if (evaluation->fault == EVALUATION_OK) {
        describe(arena, evaluation, answer);
        return;
    }
    *answer = (struct evaluation_reply){
        .key = evaluation->flag->key,
        .errorCode = evaluation->fault == EVALUATION_NO_USER ? "TARGETING_KEY_MISSING" : "GENERAL",
        .errorDetails = evaluation_fault_texts[evaluation->fault]};
}

static enum error evaluate_all(struct request *request, const struct flag_call *call,
                               const struct live_call *live,
                               const struct evaluation_context *context,
                               struct evaluations_reply *answer)
{
    const struct client_key *client = service_caller(request)->client;
    int64_t most = service_settings(request)->ofrep_bulk_flags;
    struct bulk_metadata *metadata = ARENA_NEW(request->arena, struct bulk_metadata);
    struct object_list flags;
    enum error error = flag_list(call, client ? client->experiment_id : NULL, most + 1, &flags);
    size_t count = flags.count > (size_t)most ? (size_t)most : flags.count;
    struct evaluation_reply *items = ARENA_ARRAY(request->arena, struct evaluation_reply, count);
    const struct flag *flag = flags.items;
    struct evaluation evaluation;

    for (size_t i = 0; !error && i < count; i++) {
        error = evaluate(live, &flag[i], context, &evaluation);
        if (!error)
            describe_one_of_all(request->arena, &evaluation, &items[i]);
    }
    metadata->truncated = flags.count > count;
    answer->metadata = metadata;
    answer->flags.items = items;
    answer->flags.count = count;
    return error;
}

/* The tag stands for the values, so that it changes with the flags and with the user alike. */
static const char *tag_of(struct arena *arena, const struct evaluations_reply *answer)
{
    const char *text = schema_json(arena, EVALUATIONS_BYTES_MAX, &evaluations_schema, answer);
    char hash[DIGEST_SHA256_TEXT];

    digest_sha256_hex(text, strlen(text), hash);
    return arena_copy(arena, hash, TAG_LENGTH);
}

enum error flags_handle_evaluate_all(struct request *request, struct reply *reply)
{
    struct evaluations_reply *answer = ARENA_NEW(request->arena, struct evaluations_reply);
    struct evaluation_context context;
    struct flag_call call;
    struct live_call live;
    enum error error = read_context(request, &context);

    if (!error)
        error = flags_begin(request, &call);
    if (!error)
        error = live_begin(request, &live);
    if (!error)
        error = db_begin(call.db, DB_READ, call.problem);
    if (error)
        return error;
    error = db_finish(call.db, evaluate_all(request, &call, &live, &context, answer), call.problem);
    if (error || reply_is_unchanged(request, reply, tag_of(request->arena, answer)))
        return error;
    reply->object = answer;
    return ERROR_NONE;
}
