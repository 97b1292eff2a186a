/* Deployments and fallbacks. */
#include "orchestrator/dispatch/replacement.h"

#include "crypto/token.h"
#include "orchestrator/dispatch/adapters.h"
#include "shm/rate.h"

#include <string.h>

/* How long a deployment is left alone: the first of these that is long enough. */
static const uint32_t rests[] = {5, 15, 60, 300};

enum { USUAL_REST = 15 /* seconds, where the provider names none */ };

static const char *rest_key(const struct run *run, const struct model *model, size_t position,
                            uint32_t seconds)
{
    return arena_print(run->arena, "rest:%s:%zu:%u", model->id, position, seconds);
}

static bool is_resting(const struct run *run, const struct model *model, size_t position)
{
    bool rests_now = false;

    for (size_t i = 0; run->worker->region && i < COUNT_OF(rests); i++)
        rests_now =
            rests_now || !rate_peek(run->worker->region, rest_key(run, model, position, rests[i]),
                                    (struct rate_rule){1, rests[i]})
                              .allowed;
    return rests_now;
}

static void let_rest(const struct run *run, const struct model *model, size_t position)
{
    double wanted = run->refusal.retry_after > 0 ? run->refusal.retry_after : USUAL_REST;
    size_t chosen = 0;

    while (chosen + 1 < COUNT_OF(rests) && rests[chosen] < wanted)
        chosen++;
    if (run->worker->region)
        (void)rate_charge(run->worker->region, rest_key(run, model, position, rests[chosen]),
                          (struct rate_rule){1, rests[chosen]}, 1);
}

static bool was_tried(const struct placement *placement, size_t position)
{
    return placement->tried >> position & 1;
}

/* Below zero for a deployment that cannot be chosen; resting ones come after all others. */
static int64_t rank_of(const struct run *run, const struct model *model,
                       const struct placement *placement, size_t position)
{
    const struct deployment *deployment = &model->deployments[position];

    if (was_tried(placement, position) || deployment->missing_key)
        return -1;
    return deployment->priority + (is_resting(run, model, position) ? DEPLOYMENT_PRIORITY_MAX : 0);
}

static const char place_prefix[] = "place:";

bool deployment_counts(const char *slot_name)
{
    return strncmp(slot_name, place_prefix, strlen(place_prefix)) == 0;
}

static const char *place_name(const struct run *run, const struct model *model, size_t position)
{
    return arena_print(run->arena, "%s%zu:%s", place_prefix, position, model->id);
}

/* Leaves the best rank to those with the fewest calls of this host in flight. */
static void keep_least_busy(const struct run *run, const struct model *model, int64_t *ranks,
                            int64_t best)
{
    uint32_t busy[DEPLOYMENTS_MAX], least = UINT32_MAX;

    for (size_t i = 0; i < model->deployment_count; i++) {
        if (ranks[i] != best)
            continue;
        busy[i] = semaphore_read_usage(run->worker->region, place_name(run, model, i), 0).count;
        if (busy[i] < least)
            least = busy[i];
    }
    for (size_t i = 0; i < model->deployment_count; i++)
        if (ranks[i] == best && busy[i] != least)
            ranks[i] = -1;
}

/* Counts the call at its place. Where there is no room for the count, it is not counted. */
static void enter(const struct run *run, const struct model *model, struct placement *placement)
{
    const struct semaphore_request request = {.name = place_name(run, model, placement->current),
                                              .count_max = UINT32_MAX};
    struct semaphore_usage usage;

    (void)!semaphore_try(run->worker->region, &request, &placement->in_flight, &usage);
}

void deployment_leave(const struct run *run, struct placement *placement)
{
    if (run->worker->region)
        semaphore_release(run->worker->region, &placement->in_flight);
}

/* The position of a random one among those of the best rank, by their weights. */
static size_t draw(const struct model *model, const int64_t *ranks, int64_t best)
{
    uint32_t word, sum = 0, position = 0;

    token_random_bytes(&word, sizeof word);
    for (size_t i = 0; i < model->deployment_count; i++)
        sum += ranks[i] == best ? (uint32_t)model->deployments[i].weight : 0;
    /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): one has the rank, and its weight is not 0 */
    word %= sum;
    for (size_t i = 0; i < model->deployment_count; i++) {
        if (ranks[i] != best)
            continue;
        position = (uint32_t)i;
        if (word < (uint32_t)model->deployments[i].weight)
            break;
        word -= (uint32_t)model->deployments[i].weight;
    }
    return position;
}

/* The lowest priority number is the best. */
static bool find_best(const struct run *run, const struct model *model,
                      const struct placement *placement, int64_t *ranks, int64_t *best)
{
    *best = -1;
    for (size_t i = 0; i < model->deployment_count; i++) {
        ranks[i] = rank_of(run, model, placement, i);
        if (ranks[i] >= 0 && (*best < 0 || ranks[i] < *best))
            *best = ranks[i];
    }
    return *best >= 0;
}

const struct model *deployment_choose(struct run *run, const struct model *model,
                                      struct placement *placement)
{
    bool counts = model->routing == ROUTE_LEAST_BUSY && run->worker->region;
    const struct deployment *deployment;
    int64_t ranks[DEPLOYMENTS_MAX], best;
    struct model *placed;

    if (!model->deployment_count || !find_best(run, model, placement, ranks, &best))
        return model;
    if (counts)
        keep_least_busy(run, model, ranks, best);
    placement->current = draw(model, ranks, best);
    if (counts)
        enter(run, model, placement);
    placement->tried |= UINT64_C(1) << placement->current;
    deployment = &model->deployments[placement->current];
    placed = ARENA_NEW(run->arena, struct model);
    *placed = *model;
    placed->base_url = deployment->base_url;
    placed->token = deployment->token;
    if (deployment->model)
        placed->provider_model_id = deployment->model;
    if (deployment->api_version)
        placed->api_version = deployment->api_version;
    return placed;
}

/* Failures of the place, not of the request. */
static bool may_help(const struct run *run, const struct result *result)
{
    int code = result->failure_code;

    return result->status == RUN_FAILED && !result->was_streamed && !result->was_rejected &&
           (code == FAILURE_RATE_LIMITED || code == FAILURE_AUTH || code == FAILURE_TIMEOUT ||
            code == FAILURE_PROVIDER_UNAVAILABLE || code == FAILURE_UNKNOWN) &&
           run_seconds_left(run) > 0;
}

bool deployment_is_left(struct run *run, const struct model *model, const struct result *result,
                        const struct placement *placement)
{
    int64_t ranks[DEPLOYMENTS_MAX], best;

    if (!model->deployment_count || !placement->tried || !may_help(run, result))
        return false;
    let_rest(run, model, placement->current);
    return find_best(run, model, placement, ranks, &best);
}

const struct model *find_fallback(const struct run *run, const struct call_request *wanted,
                                  const struct model *model, const struct result *result)
{
    int code = result->failure_code;
    const struct model *next;

    if (!(run->worker->settings->model_fallback && result->status == RUN_FAILED &&
          model->fallback_model_id && !result->was_streamed &&
          (code == FAILURE_AUTH || code == FAILURE_PROVIDER_UNAVAILABLE ||
           code == FAILURE_TIMEOUT) &&
          run_seconds_left(run) > 0) ||
        (wanted->request && result->was_rejected))
        return NULL;
    next = catalog_find(run->worker->catalog, model->fallback_model_id);
    return next && call_suits(run, wanted, next) ? next : NULL;
}
