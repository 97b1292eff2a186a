/* POST .../assign: the variation of a user, also in the format of common client libraries. */
#include "experiments-live/live.h"

#include "experiments/live/assign.h"

struct assign_request {
    const char *user_id;
    const json_t *attributes;
    int64_t hash_version;
};

/* The members that client libraries of feature flags read. */
struct client_assignment {
    const char *key;
    int64_t variationId;
    bool inExperiment;
    bool hashUsed;
    const char *hashAttribute;
    const char *hashValue;
    struct optional_number bucket;
};

struct assign_reply {
    const char *experiment_id;
    const char *seed;
    const char *user_id;
    int64_t variation_index;
    bool in_experiment;
    struct optional_number hash;
    int64_t num_variations;
    double coverage;
    struct number_list weights;
    int64_t hash_version;
    bool sticky;
    bool namespace_excluded;
    bool targeting_excluded;
    struct optional_integer assignment_round;
    const struct client_assignment *growthbook;
};

#define OWNER struct assign_request
static const struct field request_fields[] = {
    STRING(OWNER, user_id, .required = true, .min_length = 1, .max_length = LIVE_USER_MAX),
    {.name = "attributes",
     .type = FIELD_JSON_OBJECT,
     .offset = offsetof(OWNER, attributes),
     .nullable = true,
     .help = "What is known about the user, for targeting."},
    INTEGER(OWNER, hash_version, .lower = AT_LEAST(HASH_VERSION_1),
            .upper = AT_MOST(HASH_VERSION_2), .default_value = HASH_VERSION_2),
};
#undef OWNER
SCHEMA(assign_request_schema, struct assign_request, "AssignRequest", request_fields,
       .example = "{\"user_id\":\"user-1\",\"attributes\":{\"country\":\"DE\"}}");

#define OWNER struct client_assignment
static const struct field client_fields[] = {
    STRING(OWNER, key),
    INTEGER(OWNER, variationId),
    BOOLEAN(OWNER, inExperiment),
    BOOLEAN(OWNER, hashUsed),
    STRING(OWNER, hashAttribute),
    STRING(OWNER, hashValue),
    NULLABLE_NUMBER(OWNER, bucket),
};
#undef OWNER
static SCHEMA(client_schema, struct client_assignment, "ClientAssignment", client_fields);

#define OWNER struct assign_reply
static const struct field reply_fields[] = {
    STRING(OWNER, experiment_id),
    STRING(OWNER, seed, .help = "Of the hash: the experiment, or the round of an adaptive one."),
    STRING(OWNER, user_id),
    INTEGER(OWNER, variation_index, .help = "-1: not in the experiment."),
    BOOLEAN(OWNER, in_experiment),
    NULLABLE_NUMBER(OWNER, hash, .help = "The user's place between 0 and 1."),
    INTEGER(OWNER, num_variations),
    NUMBER(OWNER, coverage),
    NUMBERS(OWNER, weights),
    INTEGER(OWNER, hash_version),
    BOOLEAN(OWNER, sticky, .help = "As an exposure was recorded before."),
    BOOLEAN(OWNER, namespace_excluded),
    BOOLEAN(OWNER, targeting_excluded),
    NULLABLE_INTEGER(OWNER, assignment_round, .omit_if_null = true,
                     .help = "Of an adaptive experiment: clients send it as the dimension "
                             "assignment_round of the exposure."),
    OBJECT(OWNER, growthbook, client_schema),
};
#undef OWNER
SCHEMA(assign_reply_schema, struct assign_reply, "AssignReply", reply_fields);

enum error live_handle_assign(struct request *request, struct reply *reply)
{
    const struct assign_request *asked = request->body;
    struct assign_reply *answer = ARENA_NEW(request->arena, struct assign_reply);
    struct client_assignment *client = ARENA_NEW(request->arena, struct client_assignment);
    const char *id = request->arguments[0];
    const struct live_asked about = {.user_id = asked->user_id,
                                     .attributes = asked->attributes,
                                     .version = (enum hash_version)asked->hash_version};
    struct live_assignment assigned;
    struct live_call call;
    enum error error = live_begin(request, &call);

    if (!error)
        error = live_assign(&call, id, &about, &assigned);
    if (error)
        return error;
    *client =
        (struct client_assignment){.key = id,
                                   .variationId = assigned.in_experiment ? assigned.variation : 0,
                                   .inExperiment = assigned.in_experiment,
                                   .hashUsed = !assigned.sticky && assigned.in_experiment,
                                   .hashAttribute = "id",
                                   .hashValue = asked->user_id,
                                   .bucket = GIVEN_NUMBER(assigned.position)};
    *answer =
        (struct assign_reply){.experiment_id = id,
                              .seed = assigned.seed,
                              .user_id = asked->user_id,
                              .variation_index = assigned.variation,
                              .in_experiment = assigned.in_experiment,
                              .hash = GIVEN_NUMBER(assigned.position),
                              .num_variations = assigned.variations,
                              .coverage = assigned.coverage,
                              .weights = assigned.weights,
                              .hash_version = assigned.round ? HASH_VERSION_2 : asked->hash_version,
                              .assignment_round = {assigned.round > 0, assigned.round},
                              .sticky = assigned.sticky,
                              .namespace_excluded = assigned.namespace_excluded,
                              .targeting_excluded = assigned.targeting_excluded,
                              .growthbook = client};
    reply->object = answer;
    return ERROR_NONE;
}
