/* POST /api/v1/assignment/preview: the shares of sample users for a seed and weights. */
#include "experiments-compute/assignment.h"
#include "experiments/assignment/assignment.h"

enum { SEED_MAX_LENGTH = 200, PREFIX_MAX_LENGTH = 80, USERS_MAX = 100000, USERS_PRESET = 1000 };

struct assignment_request {
    const char *seed;
    int64_t num_variations;
    double coverage;
    struct number_list weights;
    int64_t sample_size;
    const char *user_id_prefix;
    int64_t hash_version; /* enum hash_version */
};

struct assignment_share {
    int64_t variation_index;
    int64_t count;
    double fraction;
};

struct assignment_reply {
    int64_t sample_size;
    double in_experiment_fraction;
    OBJECT_LIST(struct assignment_share, distribution);        /* struct assignment_share */
    OBJECT_LIST(struct assignment_sample, sample_assignments); /* struct assignment_sample */
};

#define OWNER struct assignment_request
static const struct field request_fields[] = {
    STRING(OWNER, seed, .required = true, .min_length = 1, .max_length = SEED_MAX_LENGTH,
           .help = "What makes this experiment's split its own; live ones use their id."),
    INTEGER(OWNER, num_variations, .required = true, .lower = AT_LEAST(2),
            .upper = AT_MOST(ASSIGNMENT_VARIATIONS_MAX)),
    NUMBER(OWNER, coverage, .lower = AT_LEAST(0), .upper = AT_MOST(1), .default_value = 1,
           .help = "Share of the users that are in the experiment."),
    NUMBERS(OWNER, weights, .nullable = true,
            .help = "Share of each variation, summing to 1; equal shares are used when they do "
                    "not, or are not one per variation."),
    INTEGER(OWNER, sample_size, .lower = AT_LEAST(1), .upper = AT_MOST(USERS_MAX),
            .default_value = USERS_PRESET),
    STRING(OWNER, user_id_prefix, .max_length = PREFIX_MAX_LENGTH, .default_text = "user-",
           .help = "Users are called by it and a number from 0 on."),
    INTEGER(OWNER, hash_version, .lower = AT_LEAST(HASH_VERSION_1),
            .upper = AT_MOST(HASH_VERSION_2), .default_value = HASH_VERSION_2),
};
#undef OWNER

static bool weights_are_not_negative(const void *object)
{
    const struct number_list *weights = &((const struct assignment_request *)object)->weights;

    for (size_t i = 0; i < weights->count; i++)
        if (!(weights->items[i] >= 0))
            return false;
    return true;
}

static const struct schema_rule request_rules[] = {
    {"errors.schemas.assignment_weights_non_negative", weights_are_not_negative},
};

SCHEMA(assignment_request_schema, struct assignment_request, "AssignmentRequest", request_fields,
       .help = "A split to be tried on made-up users.", RULES(request_rules),
       .example = "{\"seed\":\"exp-1\",\"num_variations\":2,\"sample_size\":2000}");

#define OWNER struct assignment_share
static const struct field share_fields[] = {
    INTEGER(OWNER, variation_index, .help = "-1: outside the experiment."),
    INTEGER(OWNER, count),
    NUMBER(OWNER, fraction, .help = "Of the sample."),
};
#undef OWNER
static SCHEMA(share_schema, struct assignment_share, "AssignmentShare", share_fields);

#define OWNER struct assignment_sample
static const struct field sample_fields[] = {
    STRING(OWNER, user_id),
    INTEGER(OWNER, variation_index),
};
#undef OWNER
static SCHEMA(sample_schema, struct assignment_sample, "AssignmentSample", sample_fields);

#define OWNER struct assignment_reply
static const struct field reply_fields[] = {
    INTEGER(OWNER, sample_size),
    NUMBER(OWNER, in_experiment_fraction),
    OBJECTS(OWNER, distribution, share_schema, .help = "By variation; only those that occur."),
    OBJECTS(OWNER, sample_assignments, sample_schema, .help = "The first users."),
};
#undef OWNER
SCHEMA(assignment_reply_schema, struct assignment_reply, "AssignmentReply", reply_fields,
       .help = "Where the users of the sample fall.");

void assignment_request_cost(const void *body, struct compute_cost *cost)
{
    int64_t units = assignment_preview_cost(((const struct assignment_request *)body)->sample_size);

    *cost = (struct compute_cost){.units = (uint32_t)units, .heavy = units >= COMPUTE_HEAVY_UNITS};
}

static struct object_list list_shares(const struct assignment_preview *preview, double users,
                                      struct arena *arena)
{
    struct assignment_share *shares =
        ARENA_ARRAY(arena, struct assignment_share, COUNT_OF(preview->counts));
    size_t count = 0;

    for (size_t i = 0; i < COUNT_OF(preview->counts); i++)
        if (preview->counts[i])
            shares[count++] = (struct assignment_share){(int64_t)i - 1, preview->counts[i],
                                                        (double)preview->counts[i] / users};
    return (struct object_list){count, shares};
}

enum error assignment_handle(struct request *request, struct reply *reply)
{
    const struct assignment_request *asked = request->body;
    struct assignment_reply *answer = ARENA_NEW(request->arena, struct assignment_reply);
    struct assignment_preview *preview = ARENA_NEW(request->arena, struct assignment_preview);
    struct assignment_plan plan = {.seed = asked->seed,
                                   .version = (enum hash_version)asked->hash_version,
                                   .count = (size_t)asked->num_variations};
    double users = (double)asked->sample_size;

    assignment_cut(&plan, asked->coverage, &asked->weights);
    assignment_preview(&plan, asked->user_id_prefix, asked->sample_size, request->arena, preview);
    *answer = (struct assignment_reply){
        .sample_size = asked->sample_size,
        .in_experiment_fraction = (users - (double)preview->counts[0]) / users,
        .distribution = list_shares(preview, users, request->arena),
        .sample_assignments = {preview->sample_count, preview->samples}};
    reply->object = answer;
    return ERROR_NONE;
}
