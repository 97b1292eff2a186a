/* POST /api/v1/simulate/bandit: allocation and regret for arms and a horizon. */
#include "experiments-compute/bandit.h"
#include "crypto/token.h"
#include "experiments/service.h"
#include "stats/bandit.h"

#include <unistd.h>

enum {
    HORIZON_MIN = 10,
    HORIZON_MAX = 5000,
    SIMULATIONS_MAX = 2000,
    SIMULATIONS_PRESET = 400,
    SEED_PRESET = 42,
    SEED_BITS = 53 /* of a drawn one: exact in a JSON number */
};

struct bandit_request {
    struct number_list arm_rates;
    int64_t horizon;
    int64_t num_simulations;
    struct optional_integer seed;
};

struct regret_point {
    int64_t step;
    double bandit_cumulative_regret;
    double uniform_cumulative_regret;
};

struct bandit_reply {
    struct number_list arm_allocation;
    int64_t best_arm_index;
    double best_arm_allocation;
    double probability_best_arm;
    double final_bandit_regret;
    double final_uniform_regret;
    OBJECT_LIST(struct regret_point, regret_curve);
    int64_t num_simulations;
    int64_t horizon;
    int64_t seed;
};

#define OWNER struct bandit_request
static const struct field request_fields[] = {
    NUMBERS(OWNER, arm_rates, .required = true, .min_length = 2, .max_length = BANDIT_ARMS_MAX,
            .help = "True success rate of each arm, 0 to 1."),
    INTEGER(OWNER, horizon, .required = true, .lower = AT_LEAST(HORIZON_MIN),
            .upper = AT_MOST(HORIZON_MAX), .help = "Users that arrive one after the other."),
    INTEGER(OWNER, num_simulations, .lower = AT_LEAST(1), .upper = AT_MOST(SIMULATIONS_MAX),
            .default_value = SIMULATIONS_PRESET,
            .help = "Runs that the figures are averaged over."),
    NULLABLE_INTEGER(OWNER, seed, .default_value = SEED_PRESET, .default_unless_null = true,
                     .help = "The same seed and body give the same answer; null draws a seed."),
};
#undef OWNER

static bool rates_are_probabilities(const void *object)
{
    const struct number_list *rates = &((const struct bandit_request *)object)->arm_rates;

    for (size_t i = 0; i < rates->count; i++)
        if (!(rates->items[i] >= 0 && rates->items[i] <= 1))
            return false;
    return true;
}

static const struct schema_rule request_rules[] = {
    {"errors.schemas.bandit_arm_rates_range", rates_are_probabilities},
};

SCHEMA(bandit_request_schema, struct bandit_request, "BanditRequest", request_fields,
       .help = "Arms with known rates, to be played without knowing them.", RULES(request_rules),
       .example = "{\"arm_rates\":[0.05,0.12],\"horizon\":400,\"num_simulations\":100,\"seed\":7}");

#define OWNER struct regret_point
static const struct field point_fields[] = {
    INTEGER(OWNER, step),
    NUMBER(OWNER, bandit_cumulative_regret),
    NUMBER(OWNER, uniform_cumulative_regret),
};
#undef OWNER
static SCHEMA(point_schema, struct regret_point, "RegretPoint", point_fields);

#define OWNER struct bandit_reply
static const struct field reply_fields[] = {
    NUMBERS(OWNER, arm_allocation, .help = "Mean share of the users that each arm got."),
    INTEGER(OWNER, best_arm_index, .help = "The first arm with the highest rate."),
    NUMBER(OWNER, best_arm_allocation),
    NUMBER(OWNER, probability_best_arm,
           .help = "Share of the runs that gave the best arm the most users."),
    NUMBER(OWNER, final_bandit_regret,
           .help = "Expected successes short of showing everybody the best arm."),
    NUMBER(OWNER, final_uniform_regret, .help = "The same for an even split."),
    OBJECTS(OWNER, regret_curve, point_schema),
    INTEGER(OWNER, num_simulations),
    INTEGER(OWNER, horizon),
    INTEGER(OWNER, seed, .help = "The seed that was used."),
};
#undef OWNER
SCHEMA(bandit_reply_schema, struct bandit_reply, "BanditReply", reply_fields,
       .help = "Thompson sampling beside an even split.");

static struct bandit_game game_of(const struct bandit_request *asked, int64_t seed)
{
    return (struct bandit_game){.arm_rates = asked->arm_rates,
                                .horizon = asked->horizon,
                                .simulations = asked->num_simulations,
                                .seed = (uint64_t)seed};
}

void bandit_request_cost(const void *body, struct compute_cost *cost)
{
    struct bandit_game game = game_of(body, 0);

    *cost = (struct compute_cost){.units = (uint32_t)bandit_cost(&game), .heavy = true};
}

static int64_t draw_seed(void)
{
    uint64_t bits;

    token_random_bytes(&bits, sizeof bits);
    return (int64_t)(bits >> (64 - SEED_BITS));
}

/* As many heavy requests as are admitted at a time share the processors. */
static int threads_for(const struct request *request)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);

    return (int)(processors / service_settings(request)->compute_max_heavy_concurrent);
}

static struct object_list list_points(const struct bandit_result *result, struct arena *arena)
{
    struct regret_point *points = ARENA_ARRAY(arena, struct regret_point, result->point_count);

    for (size_t i = 0; i < result->point_count; i++)
        points[i] = (struct regret_point){result->points[i].step, result->points[i].bandit_regret,
                                          result->points[i].uniform_regret};
    return (struct object_list){result->point_count, points};
}

enum error bandit_handle(struct request *request, struct reply *reply)
{
    const struct bandit_request *asked = request->body;
    int64_t seed = asked->seed.given ? asked->seed.value : draw_seed();
    struct bandit_game game = game_of(asked, seed);
    struct bandit_result *result = ARENA_NEW(request->arena, struct bandit_result);
    struct bandit_reply *answer = ARENA_NEW(request->arena, struct bandit_reply);
    const struct bandit_point *last;

    if (seed < 0)
        return problem_set(&request->problem, ERROR_INVALID, "seed_negative",
                           "seed must not be negative.");
    bandit_simulate(&game, threads_for(request), request->arena, result);
    last = &result->points[result->point_count - 1];
    *answer = (struct bandit_reply){.arm_allocation = {asked->arm_rates.count, result->allocation},
                                    .best_arm_index = (int64_t)result->best_arm,
                                    .best_arm_allocation = result->allocation[result->best_arm],
                                    .probability_best_arm = result->probability_best,
                                    .final_bandit_regret = last->bandit_regret,
                                    .final_uniform_regret = last->uniform_regret,
                                    .regret_curve = list_points(result, request->arena),
                                    .num_simulations = asked->num_simulations,
                                    .horizon = asked->horizon,
                                    .seed = seed};
    reply->object = answer;
    return ERROR_NONE;
}
